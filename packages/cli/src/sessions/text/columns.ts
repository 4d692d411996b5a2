/** Cuts and pads text to columns of a terminal. Pure. */
import { escapeControls } from '../../terminal/escape-controls.ts';
import { cellsOf, charactersOf, widthOf } from '../../terminal/width.ts';

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
