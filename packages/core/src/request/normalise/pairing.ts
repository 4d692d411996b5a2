/**
 * Step 2, `ensureToolResultPairing`: every call is answered by exactly one result, in the message right after it and in
 * the order of the calls. Never throws, and says what it mended.
 */
import type { ContentBlock, ToolResultBlock, ToolUseBlock } from '../../messages/blocks.ts';
import { isToolResult } from '../../messages/blocks.ts';
import type { RequestMessage } from '../../model/port.ts';
import { RESULT_MISSING } from '../texts.ts';
import type { AnswerPart } from './fold.ts';
import { type IdClaims, IdRegister } from './ids.ts';
import type { Mend } from './sanitise.ts';
import { pairServerTools } from './server-tools.ts';

export interface Pairing {
  readonly answer: readonly AnswerPart[];
  /** One for each call. */
  readonly results: readonly ToolResultBlock[];
}

/** `mayBeOpen`: calls of tools on the server may wait for the answer to go on. */
export function pairRound(
  round: { readonly answer: readonly AnswerPart[]; readonly results: readonly ToolResultBlock[] },
  claims: IdClaims,
  mend: Mend,
  mayBeOpen = false,
): Pairing {
  const waiting = firstResults(round.results, mend);
  const called = new Set<string>();
  const answer: AnswerPart[] = [];
  const results: ToolResultBlock[] = [];
  for (const part of pairServerTools(round.answer, claims, mend, mayBeOpen)) {
    if (part.block.type !== 'tool_use') {
      answer.push(part);
      continue;
    }
    const call = part.block;
    if (called.has(call.id)) {
      mend(`a second call ${call.id} in the same answer was left out`);
      continue;
    }
    called.add(call.id);
    const id = claims.claim(call.id);
    if (id !== call.id) mend(`the id of a call was changed from ${JSON.stringify(call.id)} to ${id}`);
    answer.push(id === call.id ? part : { ...part, block: { ...call, id } });
    results.push(resultFor(call, id, waiting.get(call.id), mend));
  }
  for (const id of waiting.keys())
    if (!called.has(id)) mend(`a result without its call ${JSON.stringify(id)} was left out`);
  return { answer, results };
}

/** The step alone, over messages of any making. */
export function ensureToolResultPairing(messages: readonly RequestMessage[]): {
  readonly messages: readonly RequestMessage[];
  readonly mends: readonly string[];
} {
  const mends: string[] = [];
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
      mends.push(what),
    );
    claims.keep();
    push(
      'assistant',
      pairing.answer.map((part) => part.block),
    );
    push('user', [...pairing.results, ...said.filter((block) => !isToolResult(block))]);
  }
  return { messages: paired, mends };
}

function firstResults(results: readonly ToolResultBlock[], mend: Mend): Map<string, ToolResultBlock> {
  const first = new Map<string, ToolResultBlock>();
  for (const result of results) {
    if (first.has(result.tool_use_id))
      mend(`a second result of the call ${JSON.stringify(result.tool_use_id)} was left out`);
    else first.set(result.tool_use_id, result);
  }
  return first;
}

function resultFor(
  call: ToolUseBlock,
  id: string,
  found: ToolResultBlock | undefined,
  mend: Mend,
): ToolResultBlock {
  if (found !== undefined) return found.tool_use_id === id ? found : { ...found, tool_use_id: id };
  mend(`the call ${id} of ${call.name} had no result and was closed as interrupted`);
  return { type: 'tool_result', tool_use_id: id, content: RESULT_MISSING, is_error: true };
}
