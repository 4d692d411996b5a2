/** Lines that were typed: for whoever waits for one, for the run that is under way, or for later. */
import type { QueuedCommand } from '@heddle/core';
import { InputQueue } from './queue.ts';
import type { Unsent } from './returned.ts';

export class Inbox {
  readonly #joining = new InputQueue();
  /** Typed before it could be taken: several lines at once, or a command during a turn. Each is the next in its turn. */
  readonly #later: string[] = [];
  #waiting: ((line: string | undefined) => void) | undefined;

  /** What was typed already, if anything was. */
  takeNext(): string | undefined {
    return this.takeLeft() ?? this.#later.shift();
  }

  /** Undefined: nobody types any more. */
  async wait(): Promise<string | undefined> {
    const { promise, resolve } = Promise.withResolvers<string | undefined>();
    this.#waiting = resolve;
    return promise;
  }

  /** For whoever waits; else it is kept. An empty line is not worth it. */
  give(text: string): void {
    const take = this.#waiting;
    this.#waiting = undefined;
    if (take) take(text);
    else if (text.trim() !== '') this.later(text);
  }

  stopWaiting(): void {
    this.#waiting?.(undefined);
  }

  later(text: string): void {
    this.#later.push(text);
  }

  /** For the run that is under way, before its next request. */
  join(text: string): void {
    this.#joining.add(text);
  }

  takeJoining(): readonly QueuedCommand[] {
    return this.#joining.take();
  }

  /** What did not join any more, as one text. */
  takeLeft(): string | undefined {
    return this.#joining.takeText();
  }

  /** Everything that was not sent. */
  takeUnsent(): Unsent {
    return { prompt: this.takeLeft(), commands: this.#later.splice(0) };
  }
}
