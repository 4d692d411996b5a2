/**
 * How many tokens a request would have with a conversation: what stands before it, an estimate of the messages, and what the
 * server counted of the last one.
 */
import type { MessageHistory } from '../messages/message.ts';
import type { Usage } from '../messages/usage.ts';
import type { PromptHead } from '../request/view.ts';
import type { Tool } from '../tools/tool.ts';
import { estimatePrompt, estimateTools, mostTokens } from './estimate/head.ts';
import { Weight } from './estimate/weight.ts';
import { Reckoning } from './reckoning.ts';
import type { Thresholds } from './thresholds.ts';

export class Measure {
  readonly #head: PromptHead;
  readonly #weight = new Weight();
  readonly #reckoning = new Reckoning();
  #promptTokens: number | undefined;

  constructor(head: PromptHead) {
    this.#head = head;
  }

  /** The best that is known. */
  count(messages: MessageHistory, tools: readonly Tool[]): number {
    return this.#reckoning.tokens(this.estimate(messages, tools), messages);
  }

  /**
   * For the levels, which only ask whether there is too much: a conversation that is small by any reckoning is not reckoned.
   * The first request of a program goes out sooner for it.
   */
  upTo(messages: MessageHistory, tools: readonly Tool[], thresholds: Thresholds): number {
    if (this.#reckoning.hasCount) return this.count(messages, tools);
    const { microcompact, snip, collapse, autoCompact } = thresholds;
    const most = mostTokens(this.#head, tools) + this.#weight.of(messages);
    const isSmall = most < Math.min(microcompact, snip, collapse, autoCompact);
    return isSmall ? most : this.count(messages, tools);
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

function promptTokens(head: PromptHead): number {
  const { system, user } = estimatePrompt(head);
  return system + user;
}
