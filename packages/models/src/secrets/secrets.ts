/** What must never be shown. Everything that leaves this package as text goes through `redact`. */

/** Shorter than this it is no key but a word, and blotting it out would make every message unreadable. */
const SHORTEST = 6;

/** Keys of the API give themselves away, also where they are not ours. */
const LOOKS_LIKE_A_KEY = /\bsk-ant-[\w-]{8,}/g;

const BLOT = '[redacted]';

export class Secrets {
  readonly #values = new Set<string>();

  add(...values: readonly (string | undefined)[]): void {
    for (const value of values) {
      const secret = value?.trim() ?? '';
      if (secret.length >= SHORTEST) this.#values.add(secret);
    }
  }

  redact(text: string): string {
    let shown = text;
    // The longest first: one secret may be a part of another.
    for (const value of [...this.#values].sort((left, right) => right.length - left.length)) {
      for (const form of new Set([value, encodeURIComponent(value.toWellFormed())]))
        shown = shown.replaceAll(form, BLOT);
    }
    return shown.replaceAll(LOOKS_LIKE_A_KEY, BLOT);
  }
}
