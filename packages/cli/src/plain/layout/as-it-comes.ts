/** Output as it is: nothing is wrapped or painted, only words are kept whole. */
import type { Layout } from './layout.ts';

/** Longer runs without a space are no words: scripts without spaces, tokens, paths. */
const LONGEST_WORD = 40;

export class AsItComes implements Layout {
  #held = '';

  add(text: string): string {
    const all = this.#held + text;
    const end = endOfWords(all);
    this.#held = all.slice(end);
    return all.slice(0, end);
  }

  end(): string {
    const rest = this.#held;
    this.#held = '';
    return rest;
  }

  tearOff(): void {
    // A row is as good as any other.
  }
}

/** Looked for from its end: what comes in one piece may be long. */
function endOfWords(text: string): number {
  let end = text.length;
  while (end > 0 && !/\s/.test(text.charAt(end - 1))) {
    end--;
    if (text.length - end > LONGEST_WORD) return text.length;
  }
  return end;
}
