/**
 * The last stage, which needs no model: media become notes, the oldest outputs go to files, then whole rounds go, until the
 * conversation provably fits. Fails only where one message that may not be dropped is too large by itself.
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
  /** What it should come down to, and what it must not exceed. */
  readonly target: number;
  readonly limit: number;
  readonly trigger: CompactionTrigger;
  readonly isCompactable: (tool: string) => boolean;
  /** Rules that hold for the whole conversation. */
  readonly instructions: readonly RereadFiles[];
  /** Where an output will be stored; undefined where it cannot be. */
  readonly pathOf: (toolUseId: string) => string | undefined;
  readonly id: string;
  readonly stamp: () => { readonly uuid: string; readonly at: number };
}

export interface Reduced {
  readonly messages: History<Message>;
  /** To be stored before the messages are used. */
  readonly spills: readonly Spill[];
}

/** Characters that are left of an output. */
const PREVIEW = 400;

export function reduce(messages: History<Message>, request: ReduceRequest): Reduced | undefined {
  if (estimateMessages(messages) <= request.target) return { messages, spills: [] };
  const { small, spills } = externalize(messages, request);
  if (estimateMessages(small) <= request.target) return { messages: History.of(small), spills };
  const kept = dropRounds(History.of(small), request, estimateMessages(messages));
  return kept && { messages: kept, spills: spills.filter(({ toolUseId }) => isNamed(kept, toolUseId)) };
}

/** From the oldest on, until it fits. */
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
    replace(index, withoutMedia(message, 'to save room'));
    const short = shortResults(small[index] ?? message, PREVIEW, pathOf);
    if (short === small[index]) continue;
    for (const block of decodeMessage(message).results)
      spills.push({ toolUseId: block.tool_use_id, text: resultText(block) });
    replace(index, short);
  }
  return { small, spills };
}

/** The longest end that fits behind what must be kept of the rest. */
function dropRounds(
  messages: History<Message>,
  request: ReduceRequest,
  tokensBefore: number,
): History<Message> | undefined {
  const all = messages.since(0);
  // Looked at first: where even that is too much, no share of the room will do, and each try measures everything anew.
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

/** What is kept as data must not itself be what does not fit. */
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

/** Nothing but what the user asked last. */
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

/** It is kept word for word, whatever else goes. */
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
