/**
 * The last stage, which needs no model. It replaces media by notes, moves the oldest outputs to files, then drops whole
 * rounds until the conversation fits. It fails only if a single message that must stay is too large.
 */
import { type CompactionTrigger, History, isToolResult, type Message } from '@heddle/core';
import type { RereadFiles } from '../deps.ts';
import { estimateMessage, estimateMessages } from '../estimate/message.ts';
import type { Spill } from '../levels/result-budget.ts';
import { readHistory } from '../history/history-reader.ts';
import { decodeMessage, isRequest, resultText } from '../history/decode-message.ts';
import { assembleHistory } from './handoff.ts';
import { extractOf, keptRequests, tailFrom, type WorkExtract } from './extract.ts';
import { shortResults, withoutMedia } from './squeeze.ts';

export interface ReduceRequest {
  /** The tokens to aim at, and the tokens that must not be exceeded. */
  readonly target: number;
  readonly limit: number;
  readonly trigger: CompactionTrigger;
  readonly isCompactable: (tool: string) => boolean;
  /** Rules that hold for the whole conversation. */
  readonly instructions: readonly RereadFiles[];
  /** Returns the path for an output, or undefined if it cannot be stored. */
  readonly pathOf: (toolUseId: string) => string | undefined;
  readonly id: string;
  readonly stamp: () => { readonly uuid: string; readonly at: number };
}

export interface Reduced {
  readonly messages: History<Message>;
  /** Must be stored before the messages are used. */
  readonly spills: readonly Spill[];
}

/** The characters that stay of an output. */
const PREVIEW = 400;

export function reduce(messages: History<Message>, request: ReduceRequest): Reduced | undefined {
  if (estimateMessages(messages) <= request.target) return { messages, spills: [] };
  const { small, spills } = externalize(messages, request);
  if (estimateMessages(small) <= request.target) return { messages: History.of(small), spills };
  const kept = dropRounds(History.of(small), request, estimateMessages(messages));
  return kept && { messages: kept, spills: spills.filter(({ toolUseId }) => isNamed(kept, toolUseId)) };
}

/** Shortens messages from the oldest on, until the history fits. */
function externalize(
  messages: History<Message>,
  { target, pathOf }: ReduceRequest,
): { readonly small: Message[]; readonly spills: Spill[] } {
  const small = [...messages];
  const spills: Spill[] = [];
  let tokens = estimateMessages(messages);
  const replace = (index: number, next: Message): void => {
    const before = small[index];
    if (!before || next === before) return;
    tokens += estimateMessage(next) - estimateMessage(before);
    small[index] = next;
  };
  for (const [index, message] of messages.since(0).entries()) {
    if (tokens <= target) break;
    replace(index, withoutMedia(message, 'to save space'));
    const short = shortResults(small[index] ?? message, PREVIEW, pathOf);
    if (short === small[index]) continue;
    for (const block of decodeMessage(message).results)
      spills.push({ toolUseId: block.tool_use_id, text: resultText(block) });
    replace(index, short);
  }
  return { small, spills };
}

/** Returns the longest tail that fits after the facts of the dropped messages. */
function dropRounds(
  messages: History<Message>,
  request: ReduceRequest,
  tokensBefore: number,
): History<Message> | undefined {
  const all = messages.since(0);
  // Checked first: if this is too large, no share helps, and each try would measure everything again.
  if (estimateMessages(lastRequest(all)) > request.limit) return undefined;
  const reader = readHistory(messages);
  for (const room of [request.target, request.limit]) {
    for (const share of SHARES) {
      const from = tailFrom(messages, reader, room * share);
      const extract = trimmed(extractOf(all.slice(0, from), request.isCompactable), room * (1 - share));
      const next = assembleHistory({
        standing: [],
        files: [],
        instructions: request.instructions,
        id: request.id,
        trigger: request.trigger,
        summary: undefined,
        extract,
        tail: all.slice(from),
        tokensBefore,
        stamp: request.stamp,
      });
      if (estimateMessages(next) <= room) return History.of(next);
    }
  }
  return lastWords(all, request, tokensBefore);
}

const SHARES = [0.7, 0.4, 0.15, 0];

/** Limits the extract, so that it does not itself exceed the target. */
function trimmed(extract: WorkExtract, tokens: number): WorkExtract {
  return {
    ...extract,
    requests: keptRequests(extract.requests, tokens / 2),
    changed: extract.changed.slice(-50),
    read: extract.read.slice(-20),
    failing: extract.failing.slice(-3),
    open: [],
  };
}

/** Keeps only the last request of the user. */
function lastWords(
  messages: readonly Message[],
  { limit, id, trigger, stamp }: ReduceRequest,
  tokensBefore: number,
): History<Message> | undefined {
  const tail = lastRequest(messages);
  const parts = { id, trigger, stamp, tokensBefore, tail, instructions: [], standing: [], files: [] };
  const next = assembleHistory({ ...parts, summary: undefined, extract: NOTHING_KEPT });
  return estimateMessages(next) <= limit ? History.of(next) : undefined;
}

/** Returns the last request. It stays word for word in every case. */
function lastRequest(messages: readonly Message[]): readonly Message[] {
  const last = messages.findLast(isRequest);
  const words = last ? decodeMessage(last).blocks.filter((block) => !isToolResult(block)) : [];
  return last ? [withoutMedia({ ...last, content: words })] : [];
}

const NOTHING_KEPT: WorkExtract = {
  requests: [],
  todos: undefined,
  changed: [],
  read: [],
  failing: [],
  open: [],
};

function isNamed(messages: History<Message>, toolUseId: string): boolean {
  for (const message of messages)
    if (decodeMessage(message).results.some(({ tool_use_id: id }) => id === toolUseId)) return true;
  return false;
}
