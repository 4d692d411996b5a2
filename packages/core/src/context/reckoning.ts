/**
 * How many tokens the next request has: what the server counted of the last one, and an estimate of what changed since. Where
 * the server has said nothing yet, the estimate alone.
 */
import type { History } from '../messages/history.ts';
import type { Message } from '../messages/message.ts';
import type { Usage } from '../messages/usage.ts';
import { estimateMessage } from './estimate/message.ts';

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

export class Reckoning {
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
    const input = usage.input_tokens + usage.cache_read_input_tokens + usage.cache_creation_input_tokens;
    // Some servers report nothing; some report it for an answer whose request was never estimated.
    const estimate = input > 0 ? this.#sent() : 0;
    if (estimate <= 0) return;
    this.#counted = { responseId, tokens: input + usage.output_tokens, input, estimate };
  }

  /** `estimate` is of all that is to be sent. */
  tokens(estimate: number, messages: History<Message>): number {
    const counted = this.#counted;
    if (!counted) return estimate;
    const change = estimate - counted.estimate;
    // What was estimated high frees less than the estimate says when it goes.
    if (change < 0)
      return Math.max(0, Math.round(counted.input + change * Math.min(1, counted.input / counted.estimate)));
    const answer = answerTokens(messages, counted.responseId);
    if (answer === 0 || change < answer) return Math.round(counted.input + change);
    return Math.round(counted.tokens + change - answer);
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
