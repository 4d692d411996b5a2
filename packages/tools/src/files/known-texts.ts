/** The texts behind the hashes of the file-state cache, as far as they fit: to show what changed since a file was read. */

/** Characters kept in all, and of one text. */
const MAX_TOTAL = 8_000_000;
const MAX_TEXT = 500_000;

export class KnownTexts {
  readonly #texts = new Map<string, string>();
  #total = 0;

  keep(hash: string, text: string): void {
    if (text.length > MAX_TEXT) return;
    this.#forget(hash);
    this.#texts.set(hash, text);
    this.#total += text.length;
    for (const [oldest] of this.#texts) {
      if (this.#total <= MAX_TOTAL) return;
      this.#forget(oldest);
    }
  }

  get(hash: string): string | undefined {
    return this.#texts.get(hash);
  }

  #forget(hash: string): void {
    this.#total -= this.#texts.get(hash)?.length ?? 0;
    this.#texts.delete(hash);
  }
}
