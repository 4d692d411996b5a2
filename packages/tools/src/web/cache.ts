/** Pages fetched a moment ago, bounded in time and size. */
export class PageCache<Value> {
  readonly #entries = new Map<string, { value: Value; size: number; until: number }>();
  readonly #now: () => number;
  #size = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  get(key: string): Value | undefined {
    const entry = this.#entries.get(key);
    if (!entry) return undefined;
    if (entry.until > this.#now()) return entry.value;
    this.#remove(key);
    return undefined;
  }

  set(key: string, value: Value, size: number): void {
    this.#remove(key);
    if (size > MAX_CHARACTERS) return;
    this.#entries.set(key, { value, size, until: this.#now() + KEPT_MS });
    this.#size += size;
    // The oldest first: a map remembers the order in which its entries came.
    for (const [oldest] of this.#entries) {
      if (this.#size <= MAX_CHARACTERS) return;
      this.#remove(oldest);
    }
  }

  #remove(key: string): void {
    this.#size -= this.#entries.get(key)?.size ?? 0;
    this.#entries.delete(key);
  }
}

const KEPT_MS = 15 * 60_000;
const MAX_CHARACTERS = 10_000_000;
