/**
 * One place where several producers meet one consumer: model records, tool progress, aborts. A single pending promise per
 * wait; racing long-lived promises instead would leave a reaction behind on each of them at every delta.
 */
export class EventQueue<T> {
  #items: T[] = [];
  #next = 0;
  #wake: (() => void) | undefined;

  push(item: T): void {
    this.#items.push(item);
    this.#wake?.();
    this.#wake = undefined;
  }

  get isEmpty(): boolean {
    return this.#next === this.#items.length;
  }

  /** The oldest item that is already here. */
  poll(): T | undefined {
    if (this.#next === this.#items.length) return undefined;
    const item = this.#items[this.#next++];
    if (this.#next === this.#items.length) {
      this.#items = [];
      this.#next = 0;
    }
    return item;
  }

  /** Resolves as soon as something is here. One consumer only. */
  async arrival(): Promise<void> {
    if (this.#next < this.#items.length) return;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
  }
}
