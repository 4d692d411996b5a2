/** How many cells a text takes. Near enough for an input line: a terminal that disagrees only moves a line break. */

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

const NO_WIDTH = /^[\p{Mn}\p{Me}\p{Cf}]+$/u;
/** Scripts of East Asia, full-width forms, and pictures. */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1f64f}\u{1f900}-\u{1f9ff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}|\ufe0f/u;

function isPlain(text: string): boolean {
  return /^[\x20-\x7e]*$/.test(text);
}
