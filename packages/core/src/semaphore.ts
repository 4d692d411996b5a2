/** Limits how many callers work at the same time. The others wait in the order of their arrival. */
import { untilAborted } from './abort.ts';

export class Semaphore {
  readonly #limit: number;
  readonly #waiting: (() => void)[] = [];
  #active = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /**
   * Waits for a slot, and returns a function that frees it. Call that function once.
   * After an abort the wait ends without a slot, and the function has no effect.
   */
  async enter(signal?: AbortSignal): Promise<() => void> {
    if (this.#active < this.#limit) {
      this.#active++;
      return () => this.#leave();
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push(resolve);
    const isAborted = await untilAborted(
      promise.then(() => false),
      signal,
      () => true,
    );
    if (!isAborted) return () => this.#leave();
    const at = this.#waiting.indexOf(resolve);
    if (at >= 0) this.#waiting.splice(at, 1);
    // The slot was given to this caller in the moment of the abort.
    else this.#leave();
    return () => undefined;
  }

  #leave(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#active--;
  }
}
