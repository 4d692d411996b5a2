/** What may be shown of a text that is still coming. */
import { widthOf } from './width.ts';

export interface Split {
  readonly now: string;
  readonly later: string;
}

/** Longer runs without a space are no words: scripts without spaces, tokens, paths. */
const LONGEST_WORD = 40;

/** Up to the end of the last whole word: what stands on the screen never ends within one. */
export function wholeWords(text: string): Split {
  const end = text.search(/\S*$/);
  if (text.length - end > LONGEST_WORD) return { now: text, later: '' };
  return { now: text.slice(0, end), later: text.slice(end) };
}

/** Up to the end of the last whole line; a line that is wider than the screen is ended at a word. */
export function wholeLines(text: string, columns: number): Split {
  const end = text.lastIndexOf('\n') + 1;
  const now = text.slice(0, end);
  const rest = text.slice(end);
  if (widthOf(rest) < columns) return { now, later: rest };
  const space = rest.lastIndexOf(' ', columns);
  if (space <= 0) return { now: `${now}${rest.slice(0, columns)}\n`, later: rest.slice(columns) };
  const wrapped = wholeLines(rest.slice(space + 1), columns);
  return { now: `${now}${rest.slice(0, space)}\n${wrapped.now}`, later: wrapped.later };
}
