/** Level 2: drops whole old rounds, each call with its results, and leaves one marker. Messages of the user stay. */
import { History, isToolResult, type Message, type UserMessage } from '@heddle/core';
import { estimateMessage, estimateMessages } from '../estimate/message.ts';
import { type LevelResult, untouched } from '../deps.ts';
import type { SnipOptions } from '../options.ts';
import type { HistoryReader } from '../history/history-reader.ts';
import { decodeMessage, isRequest } from '../history/decode-message.ts';

export interface SnipRequest {
  /** The size of the conversation. The level runs if it exceeds `over`, and aims at `downTo`. */
  readonly tokens: number;
  readonly over: number;
  readonly downTo: number;
  readonly options: SnipOptions;
  readonly stamp: { readonly uuid: string; readonly at: number };
}

// Sessions of earlier versions contain the marker with `room`.
const MARKER = /^\[(\d+) earlier steps? (?:was|were) left out here to save (?:space|room)\.\]$/;

function markerText(count: number): string {
  return `[${count} earlier ${count === 1 ? 'step was' : 'steps were'} left out here to save space.]`;
}

export function snip(messages: History<Message>, reader: HistoryReader, request: SnipRequest): LevelResult {
  if (request.tokens <= request.over) return untouched(messages);
  const { rounds } = reader;
  // The first round has no answer: it contains the messages before the first answer.
  const last = rounds.length - request.options.keepRounds;
  const before = earlierMarkers(messages);
  const marker = (count: number): UserMessage => ({
    type: 'user',
    ...request.stamp,
    content: markerText(before.count + count),
    isMeta: true,
  });
  const dropped = new Set<number>();
  const kept = new Set<number>();
  // The marker costs tokens too. Without them the next snip would drop one round more.
  let freed = before.tokens - estimateMessage(marker(rounds.length));
  let count = 0;
  for (let round = 1; round < last && request.tokens - freed > request.downTo; round++) {
    const [from, to] = [rounds[round]?.from ?? 0, rounds[round + 1]?.from ?? messages.length];
    for (let index = from; index < to; index++) {
      const message = messages.at(index);
      if (!message) continue;
      if (isOwnWords(message)) {
        kept.add(index);
        continue;
      }
      dropped.add(index);
      freed += estimateMessage(message);
    }
    count++;
  }
  if (count === 0) return untouched(messages);
  const next = without(messages, { dropped, kept }, marker(count));
  const tokensFreed = estimateMessages(messages) - estimateMessages(next);
  if (tokensFreed <= 0) return untouched(messages);
  return {
    messages: History.of(next),
    tokensFreed,
    report: {
      level: 'snip',
      tokensBefore: request.tokens,
      tokensAfter: request.tokens - tokensFreed,
      rewrotePrefix: true,
      details: { rounds: count },
    },
  };
}

interface Dropped {
  readonly dropped: ReadonlySet<number>;
  /** Messages of the user in dropped rounds. */
  readonly kept: ReadonlySet<number>;
}

/** Removes the dropped messages and puts one marker at the first place that this or an earlier snip dropped. */
function without(
  messages: History<Message>,
  { dropped, kept }: Dropped,
  marker: UserMessage,
): readonly Message[] {
  const next: Message[] = [];
  let place = -1;
  for (let index = 0; index < messages.length; index++) {
    const message = messages.at(index);
    if (message === undefined) continue;
    const goes = dropped.has(index) || markedCount(message) > 0;
    if (goes && place < 0) place = next.length;
    if (!goes) next.push(kept.has(index) ? withoutResults(message) : message);
  }
  next.splice(Math.max(place, 0), 0, marker);
  return next;
}

/** Sums up the markers of earlier snips: the steps that they dropped, and the tokens of the markers. */
function earlierMarkers(messages: History<Message>): { readonly count: number; readonly tokens: number } {
  let [count, tokens] = [0, 0];
  for (const message of messages) {
    const marked = markedCount(message);
    if (marked === 0) continue;
    count += marked;
    tokens += estimateMessage(message);
  }
  return { count, tokens };
}

function markedCount(message: Message): number {
  if (message?.type !== 'user' || message.isMeta !== true || typeof message.content !== 'string') return 0;
  return Number(MARKER.exec(message.content)?.[1] ?? 0);
}

function isOwnWords(message: Message): boolean {
  if (message.type === 'attachment') return message.attachment.kind === 'queued_command';
  return isRequest(message) || message.type === 'system';
}

/** Removes the results from a message of the user, because their calls are gone. */
function withoutResults(message: Message): Message {
  const { blocks, results } = decodeMessage(message);
  if (message.type !== 'user' || results.length === 0) return message;
  return { ...message, content: blocks.filter((block) => !isToolResult(block)) };
}
