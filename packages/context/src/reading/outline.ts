/**
 * What the levels need to know about a history: its rounds (an answer and what was said back), its results, and where it may
 * be cut without tearing a call from its result. Read once per message; a grown history costs what it grew.
 */
import { History, type Message, type ToolResultBlock, type ToolUseBlock } from '@heddle/core';
import { messageBlocks, callsIn, isAnswer, isRequest, toolResultsIn } from './read.ts';

export interface OutlineRound {
  readonly from: number;
  readonly responses: Set<string>;
  /** Calls whose result has not come. */
  readonly open: Set<string>;
  /** Something was said back: the next answer begins a new round. */
  isAnswered: boolean;
}

export interface PlacedResult {
  readonly result: ToolResultBlock;
  /** The call it answers; undefined for an orphan. */
  readonly call: ToolUseBlock | undefined;
  readonly message: number;
  readonly round: number;
}

export class Outline {
  #history = History.of<Message>([]);
  #calls = new Map<string, ToolUseBlock>();
  rounds: OutlineRound[] = [firstRound()];
  results: PlacedResult[] = [];
  /** Places before which the history may be cut, ascending. */
  cuts: number[] = [];
  /** The last compact boundary; -1 without one. */
  boundary = -1;

  read(history: History<Message>): this {
    if (history === this.#history) return this;
    const isGrown = history.extends(this.#history);
    if (!isGrown) this.#reset();
    for (let index = isGrown ? this.#history.length : 0; index < history.length; index++) {
      const message = history.at(index);
      if (message !== undefined && message !== null) this.#note(message, index);
    }
    this.#history = history;
    return this;
  }

  #reset(): void {
    this.#calls = new Map();
    this.rounds = [firstRound()];
    this.results = [];
    this.cuts = [];
    this.boundary = -1;
  }

  #note(message: Message, index: number): void {
    const last = this.rounds.at(-1) ?? firstRound();
    if (message.type === 'system' && message.subtype === 'compact_boundary') {
      this.boundary = index;
      return;
    }
    if (isAnswer(message)) return this.#noteAnswer(message, index, last);
    if (message.type !== 'user') {
      // An attachment is something said back; what else there is, is never sent.
      if (message.type === 'attachment') last.isAnswered = true;
      return;
    }
    for (const result of toolResultsIn(message)) {
      last.open.delete(result.tool_use_id);
      const call = this.#calls.get(result.tool_use_id);
      this.results.push({ result, call, message: index, round: this.rounds.length - 1 });
    }
    if (isRequest(message) && last.open.size === 0 && index > last.from) this.cuts.push(index);
    if (messageBlocks(message).length > 0) last.isAnswered = true;
  }

  #noteAnswer(message: Extract<Message, { type: 'assistant' }>, index: number, last: OutlineRound): void {
    const continues = this.rounds.length > 1 && (!last.isAnswered || last.responses.has(message.responseId));
    const round = continues ? last : newRound(index);
    if (!continues) {
      this.rounds.push(round);
      if (index > 0) this.cuts.push(index);
    }
    round.responses.add(message.responseId);
    for (const call of callsIn(message)) {
      round.open.add(call.id);
      this.#calls.set(call.id, call);
    }
  }
}

export function outlineOf(history: History<Message>): Outline {
  return new Outline().read(history);
}

function newRound(from: number): OutlineRound {
  return { from, responses: new Set(), open: new Set(), isAnswered: false };
}

function firstRound(): OutlineRound {
  return newRound(0);
}
