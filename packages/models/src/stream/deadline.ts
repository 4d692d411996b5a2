/** A wait that must not last. It ends by itself when nothing has happened for too long on the clock. */
import type { Clock } from '@heddle/core';

export class Deadline {
  readonly #clock: Clock;
  readonly #limitMs: number;
  readonly #over = new AbortController();
  #since: number;
  #isHeld = false;

  constructor(clock: Clock, limitMs: number, missed: () => void) {
    this.#clock = clock;
    this.#limitMs = limitMs;
    this.#since = clock.now();
    void this.#watch(missed);
  }

  /** Something happened: the time begins anew. Cheap, so that it can be called for every chunk. */
  touch(): void {
    this.#since = this.#clock.now();
    this.#isHeld = false;
  }

  /** Until the next `touch` the silence is our own doing. */
  hold(): void {
    this.#isHeld = true;
  }

  stop(): void {
    this.#over.abort();
  }

  async #watch(missed: () => void): Promise<void> {
    const { signal } = this.#over;
    let leftMs = this.#limitMs;
    while (leftMs > 0 || this.#isHeld) {
      await this.#clock.sleep(leftMs > 0 ? leftMs : this.#limitMs, signal);
      if (signal.aborted) return;
      leftMs = this.#since + this.#limitMs - this.#clock.now();
    }
    missed();
  }
}
