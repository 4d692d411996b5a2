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

/** No tokenizer is further from the estimate than this. A larger difference is input that the estimate does not see. */
const LEAST_SCALE = 0.6;
const MOST_SCALE = 1.6;

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
