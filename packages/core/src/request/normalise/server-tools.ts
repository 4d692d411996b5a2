/**
 * Tools that run on the server: call and result stand in the same answer, the call first. One without the other is
 * refused, so it is left out. Code execution is let through as it is: its result may come answers later.
 */
import type { ContentBlock } from '../../messages/blocks.ts';
import { isDict } from './clean-json.ts';
import type { AnswerPart } from './fold.ts';
import type { IdClaims } from './ids.ts';
import { kindOf, type Mend } from './sanitise.ts';

export function pairServerTools(
  answer: readonly AnswerPart[],
  claims: IdClaims,
  mend: Mend,
  mayBeOpen: boolean,
): readonly AnswerPart[] {
  if (!answer.some((part) => roleOf(part.block) !== undefined)) return answer;
  const open = new Map<string, AnswerPart>();
  const pairs = new Set<AnswerPart>();
  for (const part of answer) {
    const role = roleOf(part.block);
    if (role === undefined) continue;
    if (role.is === 'call') {
      if (!open.has(role.id) && !claims.isTaken(role.id)) open.set(role.id, part);
      continue;
    }
    const call = open.get(role.id);
    if (call === undefined) continue;
    pairs.add(call).add(part);
    open.delete(role.id);
    claims.claim(role.id);
  }
  if (mayBeOpen) for (const call of open.values()) pairs.add(call);
  return answer.filter((part) => {
    if (roleOf(part.block) === undefined || pairs.has(part)) return true;
    mend(`a block of type ${kindOf(part.block)} without its counterpart was left out`);
    return false;
  });
}

function roleOf(block: ContentBlock): { readonly is: 'call' | 'result'; readonly id: string } | undefined {
  const kind = kindOf(block);
  const fields: unknown = block;
  if (!isDict(fields) || kind.includes('code_execution')) return undefined;
  if (kind === 'server_tool_use' || kind === 'mcp_tool_use') {
    if (typeof fields['name'] === 'string' && fields['name'].includes('code_execution')) return undefined;
    return { is: 'call', id: idOf(fields['id']) };
  }
  return kind.endsWith('_tool_result') ? { is: 'result', id: idOf(fields['tool_use_id']) } : undefined;
}

/** An id that is none pairs with nothing a well-formed block could name. */
function idOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
