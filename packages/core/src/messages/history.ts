/**
 * An append-only list whose versions share their items. The cost of `append` depends only on the added items, and an old
 * version never changes. Otherwise a run of ten thousand steps would copy its whole conversation at every step.
 */
export class History<T> implements Iterable<T> {
  readonly length: number;
  readonly #trunk: T[];

  private constructor(trunk: T[], length: number) {
    this.#trunk = trunk;
    this.length = length;
  }

  static of<T>(items: Iterable<T>): History<T> {
    const trunk = [...items];
    return new History(trunk, trunk.length);
  }

  at(index: number): T | undefined {
    return index >= 0 && index < this.length ? this.#trunk[index] : undefined;
  }

  last(): T | undefined {
    return this.at(this.length - 1);
  }

  append(items: readonly T[]): History<T> {
    if (items.length === 0) return this;
    // A later version has already extended the shared list, so this version continues on a copy.
    const trunk = this.#trunk.length === this.length ? this.#trunk : this.#trunk.slice(0, this.length);
    for (const item of items) trunk.push(item);
    return new History(trunk, trunk.length);
  }

  /** Returns true if this version is `earlier` with appended items, or the same. Does not compare the items. */
  extends(earlier: History<T>): boolean {
    return this.#trunk === earlier.#trunk && earlier.length <= this.length;
  }

  /** Returns true if this version begins with all items of `earlier`. Compares by identity, because a version may be a copy. */
  startsWith(earlier: History<T>): boolean {
    if (this.extends(earlier)) return true;
    if (this.length < earlier.length) return false;
    for (let index = 0; index < earlier.length; index++)
      if (this.#trunk[index] !== earlier.#trunk[index]) return false;
    return true;
  }

  /** Returns a copy of the items from `start` on. */
  since(start: number): T[] {
    return this.#trunk.slice(start, this.length);
  }

  *[Symbol.iterator](): Iterator<T> {
    // The shared list may be longer, because later versions appended to it.
    let left = this.length;
    for (const item of this.#trunk) {
      if (left-- === 0) return;
      yield item;
    }
  }
}
