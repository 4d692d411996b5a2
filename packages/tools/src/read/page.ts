/** One page of a text: as many whole lines as a call may show. Pure. */

/** Characters a call shows at most, about 25,000 tokens of code: a tenth of a context, and below what is spilled to a file. */
export const PAGE_CHARS = 80_000;

export interface Page {
  readonly lines: readonly string[];
  /** The line after the page; undefined at the end of the file. */
  readonly next: number | undefined;
  /** Characters of its last line that did not fit. */
  readonly cut: number;
}

export interface Range {
  /** From 1. */
  readonly offset: number;
  readonly limit: number;
}

export function rangeOf({
  offset = 1,
  limit = Number.MAX_SAFE_INTEGER,
}: {
  readonly offset?: number | undefined;
  readonly limit?: number | undefined;
}): Range {
  return { offset, limit };
}

/** `\n` and `\r\n` end a line; one at the very end begins none. */
export function splitLines(text: string): string[] {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return text.includes('\r') ? lines.map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line)) : lines;
}

export function pageOf(lines: readonly string[], { offset, limit }: Range): Page {
  const filler = new PageFiller(limit);
  for (let index = offset - 1; index < lines.length; index += 1) {
    if (!filler.take(lines[index] ?? '')) return filler.page(index + 1);
  }
  return filler.page(undefined);
}

/** Takes lines until the page is full. A line that is longer than a page is cut: there is no smaller one to offer. */
export class PageFiller {
  readonly #lines: string[] = [];
  readonly #limit: number;
  #room = PAGE_CHARS;
  #cut = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** False where it did not fit, and belongs to the next page. */
  take(line: string): boolean {
    if (this.isFull) return false;
    const cost = line.length + NUMBER_WIDTH;
    if (cost > this.#room && this.#lines.length > 0) {
      this.#room = 0;
      return false;
    }
    const shown = line.slice(0, this.#room);
    this.#cut = line.length - shown.length;
    this.#lines.push(shown);
    this.#room -= cost;
    return true;
  }

  get isFull(): boolean {
    return this.#room <= 0 || this.#lines.length >= this.#limit;
  }

  page(next: number | undefined): Page {
    return { lines: this.#lines, next, cut: this.#cut };
  }
}

/** The number, a tab and the line break. */
const NUMBER_WIDTH = 8;

export function numbered(lines: readonly string[], first: number): string {
  return lines.map((line, index) => `${String(first + index).padStart(6)}\t${line}`).join('\n');
}
