/**
 * An append-only list whose versions share their past: appending costs what is added, and an old version never changes.
 * A run of ten thousand steps would otherwise copy its whole conversation at every one.
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
    // Someone else has grown the trunk beyond this version: branch off with a copy.
    const trunk = this.#trunk.length === this.length ? this.#trunk : this.#trunk.slice(0, this.length);
    for (const item of items) trunk.push(item);
    return new History(trunk, trunk.length);
  }

  /** True when this version is that one with something appended (or nothing); decided without looking at the items. */
  extends(earlier: History<T>): boolean {
    return this.#trunk === earlier.#trunk && earlier.length <= this.length;
  }

  /** The items from `start` on, as a copy. */
  since(start: number): T[] {
    return this.#trunk.slice(start, this.length);
  }

  *[Symbol.iterator](): Iterator<T> {
    // The trunk may be longer: it also holds what later versions appended.
    let left = this.length;
    for (const item of this.#trunk) {
      if (left-- === 0) return;
      yield item;
    }
  }
}
