/**
 * A text prepared for search: some differences are folded, and every match is mapped back to the text
 * itself.
 */

export interface FoldedText {
  readonly text: string;
  /**
   * Returns the offset in the original. Undefined inside a folded character, in which no match may begin
   * or end.
   */
  readonly at: (index: number) => number | undefined;
}

/** Converts `\r\n` to `\n`, the form in which a model sees every file. */
export function textViewOf(original: string): FoldedText {
  const breaks: number[] = [];
  for (let at = original.indexOf('\r\n'); at !== -1; at = original.indexOf('\r\n', at + 2)) {
    breaks.push(at - breaks.length);
  }
  if (breaks.length === 0) return { text: original, at: (index) => index };
  return {
    text: original.replaceAll('\r\n', '\n'),
    at: (index) => index + countBelow(breaks, index),
  };
}

function countBelow(sorted: readonly number[], limit: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] ?? limit) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

// A line break, or a character with its combining marks. Hangul vowels and finals combine without being
// marks.
const UNITS = /\r\n|[^][\p{M}\u1160-\u11ff]*/gu;

/**
 * Folds characters that a model cannot write reliably: typographic quotes become straight, and characters
 * with marks take the composed form.
 */
export function foldedViewOf(original: string): FoldedText {
  let text = '';
  const offsets: (number | undefined)[] = [];
  for (const { 0: unit, index } of original.matchAll(UNITS)) {
    const folded = unit === '\r\n' ? '\n' : straightenQuotes(unit.normalize('NFC'));
    text += folded;
    offsets.push(index);
    for (let inner = 1; inner < folded.length; inner += 1) offsets.push(undefined);
  }
  offsets.push(original.length);
  return { text, at: (index) => offsets[index] };
}

export function straightenQuotes(text: string): string {
  return text.replaceAll(/[“”„‟]/g, '"').replaceAll(/[‘’‚‛]/g, "'");
}

/**
 * Returns every occurrence of `part`, including overlapping ones, because they also make a text ambiguous.
 */
export function occurrencesOf(part: string, { text, at }: FoldedText): number[] {
  const places: number[] = [];
  for (let index = text.indexOf(part); index !== -1; index = text.indexOf(part, index + 1)) {
    if (at(index) !== undefined && at(index + part.length) !== undefined) places.push(index);
  }
  return places;
}

/** Returns occurrences without overlaps, from left to right. */
export function dropOverlaps(places: readonly number[], length: number): number[] {
  let end = 0;
  return places.filter((place) => {
    if (place < end) return false;
    end = place + length;
    return true;
  });
}

export function lineAt(text: string, index: number): number {
  return linesAt(text, [index])[0] ?? 1;
}

/** Expects places in ascending order, so that the text is scanned once. */
export function linesAt(text: string, places: readonly number[]): number[] {
  let line = 1;
  let next = text.indexOf('\n');
  return places.map((place) => {
    while (next !== -1 && next < place) {
      line += 1;
      next = text.indexOf('\n', next + 1);
    }
    return line;
  });
}
