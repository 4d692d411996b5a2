/**
 * Step 2, `ensureToolResultPairing`: every call is answered by exactly one result, in the message right after it and in
 * the order of the calls. Never throws, and says what it mended.
 */
import { isRecord } from '../../json.ts';
import {
  type ContentBlock,
  isToolResult,
  type ToolResultBlock,
  type ToolUseBlock,
} from '../../messages/blocks.ts';
import type { RequestMessage } from '../../model/port.ts';
import { RESULT_MISSING } from '../texts.ts';
import type { AnswerPart } from './fold.ts';
import { type IdClaims, IdRegister } from './ids.ts';
import { blockKindOf, type Repair } from './sanitize.ts';

interface Pairing {
  readonly answer: readonly AnswerPart[];
  /** One for each call. */
  readonly results: readonly ToolResultBlock[];
}

/** `mayBeOpen`: calls of tools on the server may wait for the answer to go on. */
export function pairRound(
  round: { readonly answer: readonly AnswerPart[]; readonly results: readonly ToolResultBlock[] },
  claims: IdClaims,
  repair: Repair,
  mayBeOpen = false,
): Pairing {
  const waiting = firstResults(round.results, repair);
  const called = new Set<string>();
  const answer: AnswerPart[] = [];
  const results: ToolResultBlock[] = [];
  for (const part of pairServerTools(round.answer, claims, repair, mayBeOpen)) {
    if (part.block.type !== 'tool_use') {
      answer.push(part);
      continue;
    }
    const call = part.block;
    if (called.has(call.id)) {
      repair(`a second call ${call.id} in the same answer was left out`);
      continue;
    }
    called.add(call.id);
    const id = claims.claim(call.id);
    if (id !== call.id) repair(`the id of a call was changed from ${JSON.stringify(call.id)} to ${id}`);
    answer.push(id === call.id ? part : { ...part, block: { ...call, id } });
    results.push(resultFor(call, id, waiting.get(call.id), repair));
  }
  for (const id of waiting.keys())
    if (!called.has(id)) repair(`a result without its call ${JSON.stringify(id)} was left out`);
  return { answer, results };
}

/** The step alone, over messages of any making. */
export function ensureToolResultPairing(messages: readonly RequestMessage[]): {
  readonly messages: readonly RequestMessage[];
  readonly repairs: readonly string[];
} {
  const repairs: string[] = [];
  const register = new IdRegister();
  const paired: RequestMessage[] = [];
  const push = (role: RequestMessage['role'], content: readonly ContentBlock[]): void => {
    if (content.length > 0) paired.push({ role, content });
  };
  for (let index = 0; index < messages.length; ) {
    const answer: AnswerPart[] = [];
    const said: ContentBlock[] = [];
    for (; messages[index]?.role === 'assistant'; index++)
      for (const block of messages[index]?.content ?? []) answer.push({ block, model: undefined });
    for (; index < messages.length && messages[index]?.role !== 'assistant'; index++)
      for (const block of messages[index]?.content ?? []) said.push(block);
    const claims = register.claims();
    const pairing = pairRound({ answer, results: said.filter(isToolResult) }, claims, (what) =>
      repairs.push(what),
    );
    claims.keep();
    push(
      'assistant',
      pairing.answer.map((part) => part.block),
    );
    push('user', [...pairing.results, ...said.filter((block) => !isToolResult(block))]);
  }
  return { messages: paired, repairs };
}

function firstResults(results: readonly ToolResultBlock[], repair: Repair): Map<string, ToolResultBlock> {
  const first = new Map<string, ToolResultBlock>();
  for (const result of results) {
    if (first.has(result.tool_use_id))
      repair(`a second result of the call ${JSON.stringify(result.tool_use_id)} was left out`);
    else first.set(result.tool_use_id, result);
  }
  return first;
}

function resultFor(
  call: ToolUseBlock,
  id: string,
  found: ToolResultBlock | undefined,
  repair: Repair,
): ToolResultBlock {
  if (found !== undefined) return found.tool_use_id === id ? found : { ...found, tool_use_id: id };
  repair(`the call ${id} of ${call.name} had no result and was closed as interrupted`);
  return { type: 'tool_result', tool_use_id: id, content: RESULT_MISSING, is_error: true };
}

// Tools that run on the server: call and result stand in the same answer, the call first. One without the other is
// refused, so it is left out. Code execution is let through as it is: its result may come answers later.

function pairServerTools(
  answer: readonly AnswerPart[],
  claims: IdClaims,
  repair: Repair,
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
    repair(`a block of type ${blockKindOf(part.block)} without its counterpart was left out`);
    return false;
  });
}

function roleOf(block: ContentBlock): { readonly is: 'call' | 'result'; readonly id: string } | undefined {
  const kind = blockKindOf(block);
  const fields: unknown = block;
  if (!isRecord(fields) || kind.includes('code_execution')) return undefined;
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
