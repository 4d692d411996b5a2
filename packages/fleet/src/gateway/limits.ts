/** Limits of the gateway, in memory: requests per minute, and streams at the same time. */

/** Allows a number of requests per minute for each key. Unused requests collect up to one minute. */
export class RateLimit {
  readonly #perMinute: number;
  readonly #now: () => number;
  readonly #buckets = new Map<string, { left: number; at: number }>();

  constructor(perMinute: number, now: () => number = Date.now) {
    this.#perMinute = perMinute;
    this.#now = now;
  }

  /** Returns 0 if the request may run. Otherwise the number of seconds until the next one may. */
  take(key: string): number {
    const now = this.#now();
    const filled = this.#filled(key, now);
    if (filled < 1) return this.#secondsFrom(filled);
    this.#forgetFull(now);
    this.#buckets.set(key, { left: filled - 1, at: now });
    return 0;
  }

  /** The result of `take`, without taking. */
  secondsUntilFree(key: string): number {
    const filled = this.#filled(key, this.#now());
    return filled < 1 ? this.#secondsFrom(filled) : 0;
  }

  #filled(key: string, now: number): number {
    const { left, at } = this.#buckets.get(key) ?? { left: this.#perMinute, at: now };
    return Math.min(this.#perMinute, left + ((now - at) / MINUTE_MS) * this.#perMinute);
  }

  #secondsFrom(filled: number): number {
    return Math.ceil(((1 - filled) / this.#perMinute) * (MINUTE_MS / 1_000));
  }

  /** A bucket that was not used for a minute is full. It needs no memory. */
  #forgetFull(now: number): void {
    if (this.#buckets.size < MAX_BUCKETS) return;
    for (const [key, { at }] of this.#buckets) if (now - at > MINUTE_MS) this.#buckets.delete(key);
    // Many new keys within one minute: the oldest ones are forgotten, so that memory stays bounded.
    for (const key of this.#buckets.keys()) {
      if (this.#buckets.size < MAX_BUCKETS) break;
      this.#buckets.delete(key);
    }
  }
}

const MINUTE_MS = 60_000;
const MAX_BUCKETS = 10_000;

/** Counts open streams for each key. */
export class StreamLimit {
  readonly #most: number;
  readonly #open = new Map<string, number>();

  constructor(most: number) {
    this.#most = most;
  }

  /** Returns the release of the stream. Undefined if the key has too many. */
  open(key: string): (() => void) | undefined {
    const count = this.#open.get(key) ?? 0;
    if (count >= this.#most) return undefined;
    this.#open.set(key, count + 1);
    let isOpen = true;
    return () => {
      if (!isOpen) return;
      isOpen = false;
      const left = (this.#open.get(key) ?? 1) - 1;
      if (left === 0) this.#open.delete(key);
      else this.#open.set(key, left);
    };
  }
}
