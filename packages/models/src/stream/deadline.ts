/** A wait that must not last. It ends by itself when nothing has happened for too long on the clock. */
import type { Clock } from '@heddle/core';

export class Deadline {
  readonly #clock: Clock;
  #limitMs = 0;
  #since = 0;
  #missed: () => void = () => undefined;
  #isHeld = false;
  /** When the sleeper wakes to look at the time; undefined while there is none. */
  #wakesAt: number | undefined;
  #sleep = new AbortController();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** From now on, so long and no longer. Replaces what was set before. */
  set(limitMs: number, missed: () => void): void {
    this.#limitMs = limitMs;
    this.#missed = missed;
    this.touch();
    if (this.#wakesAt !== undefined && this.#wakesAt <= this.#since + limitMs) return;
    this.stop();
    void this.#watch(this.#sleep.signal);
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
    if (this.#wakesAt === undefined) return;
    this.#wakesAt = undefined;
    this.#sleep.abort(OVER);
    this.#sleep = new AbortController();
  }

  async #watch(signal: AbortSignal): Promise<void> {
    for (;;) {
      const leftMs = this.#since + this.#limitMs - this.#clock.now();
      if (leftMs <= 0 && !this.#isHeld) break;
      const waitMs = leftMs > 0 ? leftMs : this.#limitMs;
      this.#wakesAt = this.#clock.now() + waitMs;
      await this.#clock.sleep(waitMs, signal);
      if (signal.aborted) return;
    }
    this.#wakesAt = undefined;
    this.#missed();
  }
}

/** A reason of our own: without one, each abort builds an exception with a stack that nobody looks at. */
const OVER = 'over';
