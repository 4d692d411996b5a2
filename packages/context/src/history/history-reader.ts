/**
 * Reads a history for all levels: its rounds (an answer and the replies to it), its results, its size, and the places at
 * which it may be cut without separating a call from its result.
 *
 * Contract: each message is read once. A history that grew costs only what was added.
 */
import { History, type Message, type ToolResultBlock, type ToolUseBlock } from '@heddle/core';
import { estimateMessage, mostMessageTokens } from '../estimate/message.ts';
import { type DecodedMessage, decodeMessage } from './decode-message.ts';

export interface HistoryRound {
  readonly from: number;
  readonly responses: Set<string>;
  /** Calls without a result so far. */
  readonly open: Set<string>;
  /** A reply followed, so the next answer begins a new round. */
  isAnswered: boolean;
}

export interface PlacedResult {
  readonly result: ToolResultBlock;
  /** Undefined for a result without a call. */
  readonly call: ToolUseBlock | undefined;
  readonly message: number;
  readonly round: number;
}

export class HistoryReader {
  #history = History.of<Message>([]);
  #calls = new Map<string, ToolUseBlock>();
  rounds: HistoryRound[] = [newRound(0)];
  results: PlacedResult[] = [];
  /** Indices before which the history may be cut, ascending. */
  cuts: number[] = [];
  /** The index of the last compact boundary, or -1. */
  boundary = -1;
  #tokens = 0;
  /** Messages that are not part of `#tokens` yet. */
  #uncounted: Message[] = [];

  /** The estimated tokens of all messages. They are counted when this is first read. */
  get tokens(): number {
    for (const message of this.#uncounted.splice(0)) this.#tokens += estimateMessage(message);
    return this.#tokens;
  }

  /** An upper limit of `tokens` that costs nearly nothing. */
  get mostTokens(): number {
    return this.#uncounted.reduce((sum, message) => sum + mostMessageTokens(message), this.#tokens);
  }

  read(history: History<Message>): this {
    if (history === this.#history) return this;
    const isGrown = history.startsWith(this.#history);
    if (!isGrown) this.#reset();
    for (let index = isGrown ? this.#history.length : 0; index < history.length; index++) {
      const message = history.at(index);
      if (message !== undefined && message !== null) this.#add(message, index);
    }
    this.#history = history;
    return this;
  }

  #reset(): void {
    this.#calls = new Map();
    this.rounds = [newRound(0)];
    this.results = [];
    this.cuts = [];
    this.boundary = -1;
    this.#tokens = 0;
    this.#uncounted = [];
  }

  #add(message: Message, index: number): void {
    this.#uncounted.push(message);
    const decoded = decodeMessage(message);
    const last = this.rounds.at(-1) ?? newRound(0);
    switch (decoded.kind) {
      case 'boundary':
        this.boundary = index;
        return;
      case 'answer':
        return this.#addAnswer(decoded, message.type === 'assistant' ? message.responseId : '', index, last);
      case 'request':
      case 'reply':
      case 'other':
        return this.#addReply(decoded, index, last);
    }
  }

  #addReply({ kind, results }: DecodedMessage, index: number, last: HistoryRound): void {
    for (const result of results) {
      last.open.delete(result.tool_use_id);
      const call = this.#calls.get(result.tool_use_id);
      this.results.push({ result, call, message: index, round: this.rounds.length - 1 });
    }
    if (kind === 'request' && last.open.size === 0 && index > last.from) this.cuts.push(index);
    if (kind !== 'other') last.isAnswered = true;
  }

  #addAnswer({ calls }: DecodedMessage, responseId: string, index: number, last: HistoryRound): void {
    const continues = this.rounds.length > 1 && (!last.isAnswered || last.responses.has(responseId));
    const round = continues ? last : newRound(index);
    if (!continues) {
      this.rounds.push(round);
      if (index > 0) this.cuts.push(index);
    }
    round.responses.add(responseId);
    for (const call of calls) {
      round.open.add(call.id);
      this.#calls.set(call.id, call);
    }
  }
}

export function readHistory(history: History<Message>): HistoryReader {
  return new HistoryReader().read(history);
}

/** Returns the history from its last boundary on. The boundary is included. */
export function sinceBoundary(messages: History<Message>, { boundary }: HistoryReader): History<Message> {
  return boundary > 0 ? History.of(messages.since(boundary)) : messages;
}

function newRound(from: number): HistoryRound {
  return { from, responses: new Set(), open: new Set(), isAnswered: false };
}
