/** How many cells a text takes. Near enough for an input line: a terminal that disagrees only moves a line break. */

import { stripVTControlCharacters } from 'node:util';

/** Made for the first text that needs it: tables of all scripts come with it, and most input lines are plain. */
let segmenter: Intl.Segmenter | undefined;

/** What a reader takes for one character. */
export function charactersOf(text: string): string[] {
  if (isPlain(text)) return text.split('');
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

export function widthOf(text: string): number {
  if (isPlain(text)) return text.length;
  return charactersOf(text).reduce((sum, character) => sum + cellsOf(character), 0);
}

/** Of one character. */
export function cellsOf(character: string): number {
  if (NO_WIDTH.test(character)) return 0;
  return WIDE.test(character) ? 2 : 1;
}

/**
 * The most cells that any terminal gives a text. Many draw the parts of a picture one beside the other, and some draw what
 * others hide: whatever must not cross an edge is counted like this.
 */
export function mostWidthOf(text: string): number {
  if (isPlain(text)) return text.length;
  return charactersOf(text).reduce((sum, character) => sum + mostCellsOf(character), 0);
}

/** Of one character. */
export function mostCellsOf(character: string): number {
  if (isPlain(character)) return character.length;
  const parts = Array.from(character, (part) => {
    if (HIDDEN_BY_SOME.test(part)) return 1;
    return WIDE_FOR_SOME.test(part) && !NO_WIDTH.test(part) ? 2 : cellsOf(part);
  });
  return Math.max(
    cellsOf(character),
    parts.reduce((sum, cells) => sum + cells, 0),
  );
}

const TAB_STOP = 8;

/** Tabs as spaces up to the next stop, counted from the beginning of this text. Colours take no room. */
export function withoutTabs(text: string): string {
  if (!text.includes('\t')) return text;
  const [first = '', ...others] = text.split('\t');
  let column = widthOf(stripVTControlCharacters(first));
  return others.reduce((all, part) => {
    const gap = TAB_STOP - (column % TAB_STOP);
    column += gap + widthOf(stripVTControlCharacters(part));
    return all + ' '.repeat(gap) + part;
  }, first);
}

const HIDDEN_BY_SOME = /^\p{Cf}$/u;
/** Pictures that may be drawn as letters, and signs that only the newest tables call wide. */
const WIDE_FOR_SOME = /^[\p{Extended_Pictographic}\u2600-\u27bf\u4dc0-\u4dff\u{10000}-\u{10ffff}]$/u;
const NO_WIDTH = /^[\p{Mn}\p{Me}\p{Cf}]+$/u;
/** Scripts of East Asia, full-width forms, and pictures. */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1f64f}\u{1f900}-\u{1f9ff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}|\ufe0f/u;

function isPlain(text: string): boolean {
  return /^[\x20-\x7e]*$/.test(text);
}
