/** One page of a text: as many whole lines as a call may show. Pure. */

/** Characters a call shows at most, about 25,000 tokens of code: a tenth of a context, and below what is spilled to a file. */
export const PAGE_CHARS = 80_000;

export interface Page {
  readonly lines: readonly string[];
  /** The line after the page; undefined at the end of the file. */
  readonly next: number | undefined;
  /** Characters of its only line that did not fit. */
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

/** A line that is longer than a page is cut: there is nothing smaller to offer. */
export function pageOf(all: readonly string[], { offset, limit }: Range): Page {
  const lines: string[] = [];
  let room = PAGE_CHARS;
  for (let index = offset - 1; index < all.length; index += 1) {
    const line = all[index] ?? '';
    const cost = line.length + NUMBER_WIDTH;
    if (lines.length >= limit || (cost > room && lines.length > 0)) return { lines, next: index + 1, cut: 0 };
    if (cost > room) {
      const shown = line.slice(0, PAGE_CHARS);
      const next = index + 1 < all.length ? index + 2 : undefined;
      return { lines: [shown], next, cut: line.length - shown.length };
    }
    lines.push(line);
    room -= cost;
  }
  return { lines, next: undefined, cut: 0 };
}

/** The number, a tab and the line break. */
const NUMBER_WIDTH = 8;

export function numbered(lines: readonly string[], first: number): string {
  return lines.map((line, index) => `${String(first + index).padStart(6)}\t${line}`).join('\n');
}
