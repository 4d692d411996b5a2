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
import { estimateMessage, estimateMessages, mostMessageTokens } from '../estimate/message.ts';
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
  /** The last count for the levels was a limit, so the estimate of its request may never be needed. */
  #isUncounted = false;

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
      const estimate = (): number => this.headTokens(tools) + estimateMessages(sent);
      this.#estimator.recall(responseId, usage, { messages: sent, tools, estimate });
    }
  }

  /**
   * Returns a count for the levels, which only compare it with limits. A conversation that is certainly small is not counted,
   * so that its request starts sooner.
   */
  upTo(messages: MessageHistory, tools: readonly Tool[], limits: Limits): number {
    const small = this.#smallCount(messages, tools, limits);
    this.#isUncounted = small !== undefined;
    return small ?? this.count(messages, tools, limits.usualScale);
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
    const limit = Math.min(microcompact, snip, collapse, autoCompact);
    // The head is estimated only if the server's count and the size of the new messages do not suffice.
    const grown = this.#estimator.mostAfterGrowth(messages, tools, usualScale);
    if (grown !== undefined && grown < limit) return grown;
    const head = this.#estimator.hasCount ? this.headTokens(tools) : mostTokens(this.#head, tools);
    const most = this.#estimator.mostTokens(head + this.#reader.read(messages).mostTokens, usualScale);
    return most < limit ? most : undefined;
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
    this.#estimator.sending({ messages, tools, estimate: () => this.estimate(messages, tools) });
  }

  /**
   * Estimates the announced request now, and not when its answer has arrived. A small conversation is left out: it needs no
   * estimate. So is the first request: its connection may still be opening.
   */
  countSent(): void {
    if (this.#estimator.hasCount && !this.#isUncounted) this.#estimator.countSent();
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

interface SentRequest {
  readonly messages: MessageHistory;
  readonly tools: readonly Tool[];
  readonly estimate: () => number;
}

interface Counted {
  readonly responseId: string;
  readonly sent: SentRequest;
  /** Input and output of the answer, as the server counted them. */
  readonly tokens: number;
  /** The input alone. */
  readonly input: number;
}

/** The number of last messages in which an answer is searched. Its blocks are near the end, or gone. */
const NEAR = 500;

/** No tokenizer is further from the estimate than this. A larger difference is input that the estimate does not see. */
const LEAST_SCALE = 0.6;
const MOST_SCALE = 1.6;

class TokenEstimator {
  #sent: SentRequest | undefined;
  #counted: Counted | undefined;
  /** The last result of `#answerTokens`. The levels of one turn ask several times about the same history. */
  #lastAnswer:
    | { readonly messages: History<Message>; readonly counted: Counted; readonly tokens: number }
    | undefined;

  /** Announces a request. The estimate is computed when it is needed. */
  sending(request: SentRequest): void {
    this.#sent = estimatedOnce(request);
  }

  /** Computes the estimate of the announced request. */
  countSent(): void {
    this.#sent?.estimate();
  }

  /** Returns true after the first count of the server. */
  get hasCount(): boolean {
    return this.#counted !== undefined;
  }

  answered(responseId: string, usage: Usage): void {
    // Some answers belong to a request that was never announced.
    if (this.#sent !== undefined) this.recall(responseId, usage, this.#sent);
  }

  /** Stores the count of an answer, with its request. */
  recall(responseId: string, usage: Usage, request: SentRequest): void {
    const input = usage.input_tokens + usage.cache_read_input_tokens + usage.cache_creation_input_tokens;
    // Some servers report no count.
    if (input <= 0) return;
    this.#counted = { responseId, sent: estimatedOnce(request), tokens: input + usage.output_tokens, input };
  }

  /** Returns real tokens per estimated token, according to the last answer. `usual` applies before it. */
  scale(usual: number): number {
    if (!this.#counted) return usual;
    const { input, sent } = this.#counted;
    const scale = input / sent.estimate();
    return scale >= LEAST_SCALE && scale <= MOST_SCALE ? scale : usual;
  }

  /** Returns an upper limit of `tokens` for every estimate up to `most`. */
  mostTokens(most: number, usual: number): number {
    const counted = this.#counted;
    if (!counted) return Math.round(most * usual);
    const growth = Math.max(1, this.scale(usual));
    return Math.round(counted.tokens + Math.max(0, most - counted.sent.estimate()) * growth);
  }

  /**
   * Returns an upper limit of `tokens` for a conversation that only grew since the server's count, without any estimate.
   * Returns undefined for another conversation.
   */
  mostAfterGrowth(messages: History<Message>, tools: readonly Tool[], usual: number): number | undefined {
    const counted = this.#counted;
    if (!counted || counted.sent.tools !== tools || !messages.startsWith(counted.sent.messages))
      return undefined;
    const added = messages.since(counted.sent.messages.length);
    const most = added.reduce((sum, message) => sum + mostMessageTokens(message), 0);
    return Math.round(counted.tokens + most * Math.max(MOST_SCALE, usual));
  }

  /** `estimate` covers the whole request. */
  tokens(estimate: number, messages: History<Message>, usual: number): number {
    const counted = this.#counted;
    if (!counted) return Math.round(estimate * usual);
    const estimateSent = counted.sent.estimate();
    const change = estimate - estimateSent;
    // Removed messages free what they were counted for. New ones count at least their estimate.
    const scale = this.scale(usual);
    if (change < 0)
      return Math.max(0, Math.round(counted.input + change * Math.min(1, counted.input / estimateSent)));
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

/** The estimate is a divisor, so it is at least 1. */
function estimatedOnce({ messages, tools, estimate }: SentRequest): SentRequest {
  let tokens: number | undefined;
  return { messages, tools, estimate: () => (tokens ??= Math.max(1, estimate())) };
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
