/** What may be shown of a text that is still coming. */
import { widthOf } from '../../terminal/width.ts';

export interface Split {
  readonly now: string;
  readonly later: string;
}

/** Longer runs without a space are no words: scripts without spaces, tokens, paths. */
const LONGEST_WORD = 40;

/** Up to the end of the last whole word: what stands on the screen never ends within one. */
export function wholeWords(text: string): Split {
  // Looked for from its end: what comes in one piece may be long.
  let end = text.length;
  while (end > 0 && !/\s/.test(text.charAt(end - 1))) {
    end--;
    if (text.length - end > LONGEST_WORD) return { now: text, later: '' };
  }
  return { now: text.slice(0, end), later: text.slice(end) };
}

/** Up to the end of the last whole line; a line that is wider than the screen is ended at a word. */
export function wholeLines(text: string, columns: number): Split {
  const end = text.lastIndexOf('\n') + 1;
  let now = text.slice(0, end);
  let rest = text.slice(end);
  while (isWider(rest, columns)) {
    const space = rest.lastIndexOf(' ', columns);
    const cut = space > 0 ? space : wholeCharacters(rest, columns);
    now += `${rest.slice(0, cut)}\n`;
    rest = rest.slice(space > 0 ? cut + 1 : cut);
  }
  return { now, later: rest };
}

/** What is far longer need not be measured. */
function isWider(text: string, columns: number): boolean {
  return text.length > columns * 4 || widthOf(text) >= columns;
}

function wholeCharacters(text: string, length: number): number {
  return /[\ud800-\udbff]/.test(text.charAt(length - 1)) ? length + 1 : length;
}
