/** Text in columns of a terminal: how wide it is, cut to fit, filled up. Pure. */
import { harmless } from '../../terminal/harmless.ts';

const graphemes = new Intl.Segmenter();

/** In cells: most letters take one, those of East Asia and pictures two. */
export function widthOf(text: string): number {
  // oxlint-disable-next-line no-control-regex -- plain ASCII needs no second look
  if (/^[\u0020-\u007e]*$/.test(text)) return text.length;
  let width = 0;
  for (const { segment } of graphemes.segment(text)) width += cellsOf(segment);
  return width;
}

function cellsOf(grapheme: string): number {
  return WIDE.test(grapheme) ? 2 : 1;
}

const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}|\ufe0f/u;

/** Cut to so many cells, with a sign that something is missing. */
export function cutTo(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  if (width < 1) return '';
  let cut = '';
  let used = 1;
  for (const { segment } of graphemes.segment(text)) {
    used += cellsOf(segment);
    if (used > width) break;
    cut += segment;
  }
  return `${cut}…`;
}

export function fill(text: string, width: number, side: 'left' | 'right' = 'right'): string {
  const room = ' '.repeat(Math.max(0, width - widthOf(text)));
  return side === 'left' ? `${room}${text}` : `${text}${room}`;
}

/** One line of somebody's text: no breaks, nothing that turns the direction of writing or speaks to the terminal. */
export function oneLine(text: string): string {
  return harmless(
    text.replaceAll(/\s+/g, ' ').replaceAll(/[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, ''),
  ).trim();
}
