/** The estimate of a whole history, kept up as it grows: an iteration costs what it added. */
import { History } from '../../messages/history.ts';
import type { Message } from '../../messages/message.ts';
import { estimateMessage } from './message.ts';

export class Weight {
  #history = History.of<Message>([]);
  #tokens = 0;

  of(history: History<Message>): number {
    if (history === this.#history) return this.#tokens;
    const isGrown = history.extends(this.#history);
    let tokens = isGrown ? this.#tokens : 0;
    for (let index = isGrown ? this.#history.length : 0; index < history.length; index++) {
      const message = history.at(index);
      if (message) tokens += estimateMessage(message);
    }
    this.#history = history;
    this.#tokens = tokens;
    return tokens;
  }
}
