/**
 * How many tokens a request would have with a conversation: what stands before it, an estimate of the messages, and what the
 * server counted of the last one.
 */
import {
  type AnswerCount,
  History,
  type Message,
  type MessageHistory,
  type PromptHead,
  type Tool,
  type Usage,
} from '@heddle/core';
import { estimatePrompt, estimateTools, mostTokens } from '../estimate/head.ts';
import { estimateMessage, estimateMessages } from '../estimate/message.ts';
import { HistoryReader } from '../history/history-reader.ts';
import type { Thresholds } from '../thresholds.ts';

/** What a count is held against. */
interface Limits {
  readonly thresholds: Thresholds;
  readonly usualScale: number;
}

export class ContextMeasure {
  readonly #head: PromptHead;
  readonly #reader = new HistoryReader();
  readonly #reckoning = new TokenEstimator();
  #promptTokens: number | undefined;

  constructor(head: PromptHead) {
    this.#head = head;
  }

  /** The best that is known. */
  count(messages: MessageHistory, tools: readonly Tool[], usualScale: number): number {
    return this.#reckoning.tokens(this.estimate(messages, tools), messages, usualScale);
  }

  /** Real tokens for each estimated one. `usual`: what is known of the model before its first answer. */
  scale(usual: number): number {
    return Math.max(1, this.#reckoning.scale(usual));
  }

  /** Takes up what the server counted in an earlier process. Does nothing if the answer is not among the messages. */
  recall({ responseId, usage }: AnswerCount, messages: MessageHistory, tools: readonly Tool[]): void {
    const at = firstOfAnswer(messages, responseId);
    if (at > 0) {
      const sent = History.of(messages.since(0).slice(0, at));
      this.#reckoning.recall(responseId, usage, () => this.headTokens(tools) + estimateMessages(sent));
    }
  }

  /**
   * For the levels, which only ask whether there is too much: a conversation that is small by any reckoning is not reckoned.
   * The first request of a program goes out sooner for it.
   */
  upTo(messages: MessageHistory, tools: readonly Tool[], limits: Limits): number {
    return this.#smallCount(messages, tools, limits) ?? this.count(messages, tools, limits.usualScale);
  }

  /** The conversation is small by any estimate, and the server has counted nothing yet. */
  isSmall(messages: MessageHistory, tools: readonly Tool[], limits: Limits): boolean {
    return this.#smallCount(messages, tools, limits) !== undefined;
  }

  /** Undefined: the conversation has to be counted. */
  #smallCount(
    messages: MessageHistory,
    tools: readonly Tool[],
    { thresholds, usualScale }: Limits,
  ): number | undefined {
    if (this.#reckoning.hasCount) return undefined;
    const { microcompact, snip, collapse, autoCompact } = thresholds;
    const most = Math.round(
      (mostTokens(this.#head, tools) + this.#reader.read(messages).tokens) * usualScale,
    );
    return most < Math.min(microcompact, snip, collapse, autoCompact) ? most : undefined;
  }

  /** Without the server's word. */
  estimate(messages: MessageHistory, tools: readonly Tool[]): number {
    return this.headTokens(tools) + this.#reader.read(messages).tokens;
  }

  headTokens(tools: readonly Tool[]): number {
    return (this.#promptTokens ??= promptTokens(this.#head)) + estimateTools(tools);
  }

  /** This is about to be sent: what the server will count is held against its estimate. */
  sending(messages: MessageHistory, tools: readonly Tool[]): void {
    this.#reckoning.sending(() => this.estimate(messages, tools));
  }

  answered(responseId: string, usage: Usage): void {
    this.#reckoning.answered(responseId, usage);
  }
}

/** Looked for from the end: the last answer is near it. -1 if it is not there. */
function firstOfAnswer(messages: MessageHistory, responseId: string): number {
  let found = -1;
  for (let index = messages.length - 1; index >= 0; index--) {
    const message = messages.at(index);
    const isPart = message?.type === 'assistant' && message.responseId === responseId;
    if (isPart) found = index;
    else if (found >= 0 && message?.type === 'assistant') return found;
  }
  return found;
}

function promptTokens(head: PromptHead): number {
  const { system, user } = estimatePrompt(head);
  return system + user;
}

// How many tokens the next request has: what the server counted of the last one, and an estimate of what changed since. Where
// the server has said nothing yet, the estimate alone.

interface Counted {
  readonly responseId: string;
  /** Input and output of the answer, as the server counted them. */
  readonly tokens: number;
  /** Input alone, and what had been estimated of it. */
  readonly input: number;
  readonly estimate: number;
}

/** An answer is looked for among so many of the last messages: its blocks are near the end, or it is gone. */
const NEAR = 500;

/** No tokenizer is further from the estimate than this. A larger difference is input that the estimate does not see. */
const LEAST_SCALE = 0.6;
const MOST_SCALE = 1.6;

class TokenEstimator {
  #sent = (): number => 0;
  #counted: Counted | undefined;

  /** A request of this estimate is about to be sent; it is made when it is needed. */
  sending(estimate: () => number): void {
    this.#sent = estimate;
  }

  /** The server has counted something. */
  get hasCount(): boolean {
    return this.#counted !== undefined;
  }

  answered(responseId: string, usage: Usage): void {
    this.recall(responseId, usage, this.#sent);
  }

  /** An answer of an earlier process, with the estimate of what had been sent for it. */
  recall(responseId: string, usage: Usage, estimateSent: () => number): void {
    const input = usage.input_tokens + usage.cache_read_input_tokens + usage.cache_creation_input_tokens;
    // Some servers report nothing; some report it for an answer whose request was never estimated.
    const estimate = input > 0 ? estimateSent() : 0;
    if (estimate <= 0) return;
    this.#counted = { responseId, tokens: input + usage.output_tokens, input, estimate };
  }

  /** Real tokens for each estimated one, as the last answer shows it. `usual`: until there is an answer. */
  scale(usual: number): number {
    if (!this.#counted) return usual;
    const { input, estimate } = this.#counted;
    const scale = input / estimate;
    return scale >= LEAST_SCALE && scale <= MOST_SCALE ? scale : usual;
  }

  /** `estimate` is of all that is to be sent. */
  tokens(estimate: number, messages: History<Message>, usual: number): number {
    const counted = this.#counted;
    if (!counted) return Math.round(estimate * usual);
    const change = estimate - counted.estimate;
    // What goes frees as much as it was counted for. What comes is never estimated lower than its text suggests.
    const scale = this.scale(usual);
    if (change < 0)
      return Math.max(0, Math.round(counted.input + change * Math.min(1, counted.input / counted.estimate)));
    const growth = Math.max(1, scale);
    const answer = answerTokens(messages, counted.responseId);
    if (answer === 0 || change < answer) return Math.round(counted.input + change * growth);
    return Math.round(counted.tokens + (change - answer) * growth);
  }
}

function answerTokens(messages: History<Message>, responseId: string): number {
  let tokens = 0;
  for (let index = messages.length - 1; index >= Math.max(0, messages.length - NEAR); index--) {
    const message = messages.at(index);
    if (message?.type === 'assistant' && message.responseId === responseId)
      tokens += estimateMessage(message);
  }
  return tokens;
}
