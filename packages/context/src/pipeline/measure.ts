/**
 * Counts the tokens of a request with a conversation: the prompt and tools, an estimate of the messages, and the server's
 * count of the last request.
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

/** The limits that a count is compared with. */
interface Limits {
  readonly thresholds: Thresholds;
  readonly usualScale: number;
}

export class ContextMeasure {
  readonly #head: PromptHead;
  readonly #reader = new HistoryReader();
  readonly #estimator = new TokenEstimator();
  #promptTokens: number | undefined;

  constructor(head: PromptHead) {
    this.#head = head;
  }

  /** Returns the most exact count. */
  count(messages: MessageHistory, tools: readonly Tool[], usualScale: number): number {
    return this.#estimator.tokens(this.estimate(messages, tools), messages, usualScale);
  }

  /** Returns real tokens per estimated token. `usual` applies before the first answer of the model. */
  scale(usual: number): number {
    return Math.max(1, this.#estimator.scale(usual));
  }

  /** Restores the server's count of an earlier process. Does nothing if the answer is not among the messages. */
  recall({ responseId, usage }: AnswerCount, messages: MessageHistory, tools: readonly Tool[]): void {
    const at = firstOfAnswer(messages, responseId);
    if (at > 0) {
      const sent = History.of(messages.since(0).slice(0, at));
      this.#estimator.recall(responseId, usage, () => this.headTokens(tools) + estimateMessages(sent));
    }
  }

  /**
   * Returns a count for the levels, which only compare it with limits. A conversation that is certainly small is not counted,
   * so that its request starts sooner.
   */
  upTo(messages: MessageHistory, tools: readonly Tool[], limits: Limits): number {
    return this.#smallCount(messages, tools, limits) ?? this.count(messages, tools, limits.usualScale);
  }

  /** The conversation is small by any estimate, and the server has counted nothing yet. */
  isSmall(messages: MessageHistory, tools: readonly Tool[], limits: Limits): boolean {
    return !this.#estimator.hasCount && this.#smallCount(messages, tools, limits) !== undefined;
  }

  /** Returns undefined if the conversation has to be counted. */
  #smallCount(
    messages: MessageHistory,
    tools: readonly Tool[],
    { thresholds, usualScale }: Limits,
  ): number | undefined {
    const { microcompact, snip, collapse, autoCompact } = thresholds;
    // The head is estimated for the first answer, so its limit is only needed before.
    const head = this.#estimator.hasCount ? this.headTokens(tools) : mostTokens(this.#head, tools);
    const most = this.#estimator.mostTokens(head + this.#reader.read(messages).mostTokens, usualScale);
    return most < Math.min(microcompact, snip, collapse, autoCompact) ? most : undefined;
  }

  /** Estimates without the server's count. */
  estimate(messages: MessageHistory, tools: readonly Tool[]): number {
    return this.headTokens(tools) + this.#reader.read(messages).tokens;
  }

  headTokens(tools: readonly Tool[]): number {
    return (this.#promptTokens ??= promptTokens(this.#head)) + estimateTools(tools);
  }

  /** Announces a request, so that the server's count can be compared with its estimate. */
  sending(messages: MessageHistory, tools: readonly Tool[]): void {
    this.#estimator.sending(() => this.estimate(messages, tools));
  }

  /**
   * Estimates the announced request now, and not when its answer has arrived. The first request is left out: its estimate takes
   * long, and its connection may still be opening.
   */
  countSent(): void {
    if (this.#estimator.hasCount) this.#estimator.countSent();
  }

  answered(responseId: string, usage: Usage): void {
    this.#estimator.answered(responseId, usage);
  }
}

/** Searches from the end, because the last answer is near it. Returns -1 if the answer is missing. */
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

// Tokens of the next request: the server's count of the last one plus an estimate of the changes since. Before the first
// count, the estimate alone.

interface Counted {
  readonly responseId: string;
  /** Input and output of the answer, as the server counted them. */
  readonly tokens: number;
  /** The input alone, and its estimate. */
  readonly input: number;
  readonly estimate: number;
}

/** The number of last messages in which an answer is searched. Its blocks are near the end, or gone. */
const NEAR = 500;

/** No tokenizer is further from the estimate than this. A larger difference is input that the estimate does not see. */
const LEAST_SCALE = 0.6;
const MOST_SCALE = 1.6;

class TokenEstimator {
  #sent = (): number => 0;
  #counted: Counted | undefined;
  /** The last result of `#answerTokens`. The levels of one turn ask several times about the same history. */
  #lastAnswer:
    | { readonly messages: History<Message>; readonly counted: Counted; readonly tokens: number }
    | undefined;

  /** Announces a request. The estimate is computed when it is needed. */
  sending(estimate: () => number): void {
    this.#sent = estimate;
  }

  /** Computes the estimate of the announced request. */
  countSent(): void {
    const estimate = this.#sent();
    this.#sent = () => estimate;
  }

  /** Returns true after the first count of the server. */
  get hasCount(): boolean {
    return this.#counted !== undefined;
  }

  answered(responseId: string, usage: Usage): void {
    this.recall(responseId, usage, this.#sent);
  }

  /** Stores the count of an answer, with the estimate of its request. */
  recall(responseId: string, usage: Usage, estimateSent: () => number): void {
    const input = usage.input_tokens + usage.cache_read_input_tokens + usage.cache_creation_input_tokens;
    // Some servers report no count, and some answers belong to a request that was never estimated.
    const estimate = input > 0 ? estimateSent() : 0;
    if (estimate <= 0) return;
    this.#counted = { responseId, tokens: input + usage.output_tokens, input, estimate };
  }

  /** Returns real tokens per estimated token, according to the last answer. `usual` applies before it. */
  scale(usual: number): number {
    if (!this.#counted) return usual;
    const { input, estimate } = this.#counted;
    const scale = input / estimate;
    return scale >= LEAST_SCALE && scale <= MOST_SCALE ? scale : usual;
  }

  /** Returns an upper limit of `tokens` for every estimate up to `most`. */
  mostTokens(most: number, usual: number): number {
    const counted = this.#counted;
    if (!counted) return Math.round(most * usual);
    const growth = Math.max(1, this.scale(usual));
    return Math.round(counted.tokens + Math.max(0, most - counted.estimate) * growth);
  }

  /** `estimate` covers the whole request. */
  tokens(estimate: number, messages: History<Message>, usual: number): number {
    const counted = this.#counted;
    if (!counted) return Math.round(estimate * usual);
    const change = estimate - counted.estimate;
    // Removed messages free what they were counted for. New ones count at least their estimate.
    const scale = this.scale(usual);
    if (change < 0)
      return Math.max(0, Math.round(counted.input + change * Math.min(1, counted.input / counted.estimate)));
    const growth = Math.max(1, scale);
    const answer = this.#answerTokens(messages, counted);
    if (answer === 0 || change < answer) return Math.round(counted.input + change * growth);
    return Math.round(counted.tokens + (change - answer) * growth);
  }

  #answerTokens(messages: History<Message>, counted: Counted): number {
    const last = this.#lastAnswer;
    if (last?.messages === messages && last.counted === counted) return last.tokens;
    const tokens = answerTokens(messages, counted.responseId);
    this.#lastAnswer = { messages, counted, tokens };
    return tokens;
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
