/**
 * How many tokens a request would have with a conversation: what stands before it, an estimate of the messages, and what the
 * server counted of the last one.
 */
import { History } from '../messages/history.ts';
import type { MessageHistory } from '../messages/message.ts';
import type { AnswerCount, Usage } from '../messages/usage.ts';
import type { PromptHead } from '../request/view.ts';
import type { Tool } from '../tools/tool.ts';
import { estimatePrompt, estimateTools, mostTokens } from './estimate/head.ts';
import { estimateMessages } from './estimate/message.ts';
import { Weight } from './estimate/weight.ts';
import { Reckoning } from './reckoning.ts';
import type { Thresholds } from './thresholds.ts';

/** What a count is held against. */
interface Limits {
  readonly thresholds: Thresholds;
  readonly usualScale: number;
}

export class Measure {
  readonly #head: PromptHead;
  readonly #weight = new Weight();
  readonly #reckoning = new Reckoning();
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
    const most = Math.round((mostTokens(this.#head, tools) + this.#weight.of(messages)) * usualScale);
    return most < Math.min(microcompact, snip, collapse, autoCompact) ? most : undefined;
  }

  /** Without the server's word. */
  estimate(messages: MessageHistory, tools: readonly Tool[]): number {
    return this.headTokens(tools) + this.#weight.of(messages);
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
