/**
 * Step 4: how many of the oldest media have to be left out. The limits are the request's: 100 media, and 32 MB in all, of
 * which some is left for words. Each removal rewrites the prefix and costs its cache, so it makes room for more at once.
 * Decided from left to right, so the same media are left out whether a history came bit by bit or as a whole.
 */
const MOST = { count: 100, size: 28 * 1024 * 1024 };
const ROOMY = { count: 80, size: 20 * 1024 * 1024 };

/** A document may fill a request, but must fit. */
export const LARGEST_DOCUMENT = MOST.size;

interface Kept {
  /** How many of the oldest are left out. */
  readonly out: number;
  /** The characters of the others. */
  readonly size: number;
}

export class MediaBudget {
  readonly #sizes: number[] = [];
  #kept: Kept = { out: 0, size: 0 };

  get count(): number {
    return this.#sizes.length;
  }

  add(sizes: readonly number[]): void {
    this.#kept = this.#after(sizes);
    for (const size of sizes) this.#sizes.push(size);
  }

  /** How many of the oldest have to go if these came next. */
  excess(next: readonly number[]): number {
    return this.#after(next).out;
  }

  #after(next: readonly number[]): Kept {
    let { out, size } = this.#kept;
    const sizeAt = (index: number): number => this.#sizes[index] ?? next[index - this.#sizes.length] ?? 0;
    for (const [index, added] of next.entries()) {
      size += added;
      const last = this.#sizes.length + index;
      if (last + 1 - out <= MOST.count && size <= MOST.size) continue;
      while (out < last && (last + 1 - out > ROOMY.count || size > ROOMY.size)) size -= sizeAt(out++);
    }
    return { out, size };
  }
}
