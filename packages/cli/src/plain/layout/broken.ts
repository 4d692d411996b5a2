/** A line broken at the edge, as a terminal does it, or at the word before it. Pure. */
import { charactersOf, mostCellsOf, withoutTabs } from '../../terminal/width.ts';

/** Our own colours: they take no room. */
const COLOUR = '\u001b[';
// oxlint-disable-next-line no-control-regex -- colours are the point
const PIECES = /\u001b\[[\d;]*m|[^\u001b]+/g;

/** Each row after the first begins with `hang`, and has room for so many cells beside it. Not a character is left out. */
export function broken(line: string, room: number, { hang = '', atWords = false } = {}): string {
  const rows: string[] = [];
  let row = '';
  let used = 0;
  /** The word that stands last in the row. */
  let word = { start: 0, cells: 0 };
  for (const [piece] of line.matchAll(PIECES)) {
    if (piece.startsWith(COLOUR)) {
      row += piece;
      continue;
    }
    for (const character of charactersOf(piece)) {
      const cells = mostCellsOf(character);
      if (used > 0 && used + cells > room) {
        // A long word is broken: it would leave a row behind that is almost empty.
        const movesWord = atWords && word.start > 0 && word.cells <= room / 2;
        const end = movesWord ? word.start : row.length;
        rows.push(row.slice(0, end));
        row = row.slice(end);
        used = movesWord ? word.cells : 0;
        word = { start: 0, cells: used };
      }
      row += character;
      used += cells;
      word = character === ' ' ? { start: row.length, cells: 0 } : { ...word, cells: word.cells + cells };
    }
  }
  return [...rows, row].join(`\n${hang}`);
}

/** Up to the end of the last whole row: the next one is still coming. */
export function wholeRows(text: string, columns: number): { readonly now: string; readonly later: string } {
  const start = text.lastIndexOf('\n') + 1;
  const rows = text.slice(0, start) + broken(withoutTabs(text.slice(start)), columns);
  const end = rows.lastIndexOf('\n') + 1;
  return { now: rows.slice(0, end), later: rows.slice(end) };
}
