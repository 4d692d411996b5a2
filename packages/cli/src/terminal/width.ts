/** Estimates how many cells a text takes, and cuts and pads text to columns. If a terminal differs, only a line break moves. */
import { stripVTControlCharacters } from 'node:util';
import { escapeControls } from './escape-controls.ts';

/** Created on first use, because it loads Unicode tables and most input is ASCII. */
let segmenter: Intl.Segmenter | undefined;

/** Splits a text into characters as a reader sees them (grapheme clusters). */
export function charactersOf(text: string): string[] {
  if (isPlain(text) || ONE_UNIT_EACH.test(text)) return text.split('');
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

export function widthOf(text: string): number {
  if (isPlain(text)) return text.length;
  return charactersOf(text).reduce((sum, character) => sum + cellsOf(character), 0);
}

/** Returns the cells of one character. */
export function cellsOf(character: string): number {
  if (NO_WIDTH.test(character)) return 0;
  return WIDE.test(character) ? 2 : 1;
}

/**
 * Returns the largest number of cells that any terminal uses for a text. Many terminals draw the parts of an emoji side by
 * side, and some draw characters that others hide. Text that must not cross the right edge is measured like this.
 */
export function mostWidthOf(text: string): number {
  if (isPlain(text)) return text.length;
  return charactersOf(text).reduce((sum, character) => sum + mostCellsOf(character), 0);
}

/** Returns the largest number of cells for one character. */
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

/**
 * Text in which each code unit is one character: Latin, Greek, Cyrillic, Chinese, Japanese and Korean letters, and the
 * signs of the screen. It needs no segmenter. Combining marks and joiners are not part of it.
 */
const ONE_UNIT_EACH =
  /^[\x20-\x7e\u00a1-\u00ac\u00ae-\u02ff\u0370-\u0482\u048a-\u052f\u2010-\u2027\u2030-\u205e\u2190-\u21ff\u2500-\u25ff\u2700-\u27bf\u2800-\u28ff\u3001-\u3029\u3041-\u3096\u30a1-\u30fe\u4e00-\u9fff\uac00-\ud7a3]*$/;

const TAB_STOP = 8;

/** Replaces tabs by spaces up to the next tab stop, counted from the start of the text. Color codes take no cells. */
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
/** Emoji that some terminals draw narrow, and symbols that only new Unicode tables define as wide. */
const WIDE_FOR_SOME = /^[\p{Extended_Pictographic}\u2600-\u27bf\u4dc0-\u4dff\u{10000}-\u{10ffff}]$/u;
const NO_WIDTH = /^[\p{Mn}\p{Me}\p{Cf}]+$/u;
/** East Asian scripts, full-width forms and emoji. */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1f64f}\u{1f900}-\u{1f9ff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}|\ufe0f/u;

function isPlain(text: string): boolean {
  return /^[\x20-\x7e]*$/.test(text);
}

/** Cuts the text to `width` cells. A cut text ends with an ellipsis. */
export function cutTo(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  if (width < 1) return '';
  let cut = '';
  let used = 1;
  for (const character of charactersOf(text)) {
    used += cellsOf(character);
    if (used > width) break;
    cut += character;
  }
  return `${cut}…`;
}

export function fill(text: string, width: number, side: 'left' | 'right' = 'right'): string {
  const padding = ' '.repeat(Math.max(0, width - widthOf(text)));
  return side === 'left' ? `${padding}${text}` : `${text}${padding}`;
}

/** Makes any text printable on one line: removes line breaks and direction marks, and escapes control characters. */
export function oneLine(text: string): string {
  return escapeControls(
    text.replaceAll(/\s+/g, ' ').replaceAll(/[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, ''),
  ).trim();
}
