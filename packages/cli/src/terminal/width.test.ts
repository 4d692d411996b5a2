/** The widths of texts, and their characters. */
import { describe, expect, it } from 'vitest';
import { charactersOf, mostWidthOf, widthOf } from './width.ts';

/** The text, its characters as a reader sees them, and its cells. */
const TEXTS: readonly (readonly [string, number, number])[] = [
  ['plain', 5, 5],
  ['Привет — ok', 11, 11],
  ['漢字かな한글', 6, 12],
  ['e\u0301a', 2, 2],
  ['👩‍👩‍👧', 1, 2],
  ['🇩🇪🇫🇷', 2, 4],
  ['❤️', 1, 2],
  ['שלום', 4, 4],
  ['مرحبا', 5, 5],
  ['हिन्दी', 2, 2],
  ['│ ─ ● ✓ ❯ … ⠋', 13, 13],
  ['가', 1, 2],
];

describe('the width of a text', () => {
  it.each(TEXTS)('of %j: %i characters, %i cells', (text, characters, cells) => {
    const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });
    const segments = Array.from(segmenter.segment(text), ({ segment }) => segment);
    expect(charactersOf(text)).toEqual(segments);
    expect(segments).toHaveLength(characters);
    expect(widthOf(text)).toBe(cells);
    expect(mostWidthOf(text)).toBeGreaterThanOrEqual(cells);
  });
});
