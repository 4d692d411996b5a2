/**
 * Step 2, `ensureToolResultPairing`: gives every call exactly one result, in the next message and in the order of the
 * calls. Does not throw, and reports its repairs.
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
import { blockKindOf, type Repair } from './sanitize.ts';

interface Pairing {
  readonly answer: readonly AnswerPart[];
  /** One result for each call. */
  readonly results: readonly ToolResultBlock[];
}

/** Pairs the calls of one round. With `mayBeOpen`, calls of server tools may lack a result until the answer continues. */
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

/** Applies only this step to a list of messages. */
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
    const userBlocks: ContentBlock[] = [];
    for (; messages[index]?.role === 'assistant'; index++)
      for (const block of messages[index]?.content ?? []) answer.push({ block, model: undefined });
    for (; index < messages.length && messages[index]?.role !== 'assistant'; index++)
      for (const block of messages[index]?.content ?? []) userBlocks.push(block);
    const claims = register.claims();
    const pairing = pairRound({ answer, results: userBlocks.filter(isToolResult) }, claims, (what) =>
      repairs.push(what),
    );
    claims.keep();
    push(
      'assistant',
      pairing.answer.map((part) => part.block),
    );
    push('user', [...pairing.results, ...userBlocks.filter((block) => !isToolResult(block))]);
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

/**
 * Pairs tools that run on the server. Their call and result are in the same answer, the call first. The API refuses one
 * without the other, so it is left out. Code execution is not changed: its result may be in a later answer.
 */
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

/** Returns '' for an invalid id, which matches no well-formed block. */
function idOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** The call ids of a request, valid and unique. They are assigned from left to right, so a sent id never changes. */
export class IdRegister {
  readonly #taken = new Set<string>();
  /** The last number tried for a repeated id. It keeps the search linear for many repetitions. */
  readonly #repeats = new Map<string, number>();

  /** Creates the claims of a round that may still change. They take effect with `keep`. */
  claims(): IdClaims {
    return new IdClaims(this);
  }

  isTaken(id: string): boolean {
    return this.#taken.has(id);
  }

  repeatsOf(id: string): number {
    return this.#repeats.get(id) ?? 1;
  }

  keep(ids: Iterable<string>, repeats: Iterable<readonly [string, number]>): void {
    for (const id of ids) this.#taken.add(id);
    for (const [id, number] of repeats) this.#repeats.set(id, number);
  }
}

export class IdClaims {
  readonly #register: IdRegister;
  readonly #claimed = new Set<string>();
  readonly #repeats = new Map<string, number>();

  constructor(register: IdRegister) {
    this.#register = register;
  }

  isTaken(id: string): boolean {
    return this.#claimed.has(id) || this.#register.isTaken(id);
  }

  /** Returns the id itself if it is valid and free. Otherwise it returns a similar id. */
  claim(wanted: string): string {
    const valid = wanted.replaceAll(/[^a-zA-Z0-9_-]/g, '_');
    const base = valid === '' ? 'toolu_mended' : valid;
    let id = base;
    let number = this.#repeats.get(base) ?? this.#register.repeatsOf(base);
    while (this.isTaken(id)) id = `${base}_${++number}`;
    if (id !== base) this.#repeats.set(base, number);
    this.#claimed.add(id);
    return id;
  }

  keep(): void {
    this.#register.keep(this.#claimed, this.#repeats);
  }
}
