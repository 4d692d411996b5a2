/** Text in columns of a terminal: how wide it is, cut to fit, filled up. Pure. */
import { escapeControls } from '../../terminal/escape-controls.ts';
import { cellsOf, charactersOf, widthOf } from '../../terminal/width.ts';

/** Cut to so many cells, with a sign that something is missing. */
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
  const room = ' '.repeat(Math.max(0, width - widthOf(text)));
  return side === 'left' ? `${room}${text}` : `${text}${room}`;
}

/** One line of somebody's text: no breaks, nothing that turns the direction of writing or speaks to the terminal. */
export function oneLine(text: string): string {
  return escapeControls(
    text.replaceAll(/\s+/g, ' ').replaceAll(/[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, ''),
  ).trim();
}
