/** How a draft lies on the screen: rows, and the place of the cursor. Pure. */
import { stripVTControlCharacters } from 'node:util';
import type { Draft } from './editor.ts';
import { cellsOf, charactersOf, widthOf } from '../../terminal/width.ts';

export interface Frame {
  readonly rows: readonly string[];
  readonly cursorRow: number;
  readonly cursorColumn: number;
}

export interface FrameRoom {
  readonly columns: number;
  /** More rows than this are never drawn: the erasing could not reach them. */
  readonly maxRows: number;
}

const TAB = '    ';

/** `shown` is the prompt as it is written, `prompt` without its colours. */
export function frameOf(
  prompt: string,
  { text, cursor }: Draft,
  { columns, maxRows }: FrameRoom,
  shown = prompt,
): Frame {
  // The last column stays free: terminals disagree about where the cursor is after it.
  const width = Math.max(8, columns - 1);
  const indent = ' '.repeat(Math.min(widthOf(prompt), width - 4));
  const rows: string[] = [];
  let row = '';
  let cells = widthOf(prompt);
  let place = { row: 0, column: cells };
  let index = 0;
  const breakRow = (): void => {
    rows.push(row);
    row = indent;
    cells = indent.length;
  };
  for (const character of charactersOf(text)) {
    if (character === '\n') {
      if (index === cursor) place = { row: rows.length, column: cells };
      breakRow();
    } else {
      const drawn = character === '\t' ? TAB : character;
      const wide = character === '\t' ? TAB.length : cellsOf(character);
      if (cells + wide > width) breakRow();
      if (index === cursor) place = { row: rows.length, column: cells };
      row += drawn;
      cells += wide;
    }
    index += character.length;
  }
  if (index <= cursor) place = { row: rows.length, column: cells };
  rows.push(row);
  return clipped([shown + (rows[0] ?? ''), ...rows.slice(1)], place, maxRows);
}

/**
 * How many rows the cursor stands below the first one of a frame that was drawn for another width: a narrower terminal has
 * broken the rows that no longer fit, a wider one has left them as they were.
 */
export function rowsAbove({ rows, cursorRow, cursorColumn }: Frame, columns: number): number {
  const above = rows
    .slice(0, cursorRow)
    .map((row) => Math.ceil(widthOf(stripVTControlCharacters(row)) / columns));
  return above.reduce((sum, count) => sum + Math.max(1, count), Math.floor(cursorColumn / columns));
}

/** The rows around the cursor, where there are too many. */
function clipped(
  rows: readonly string[],
  { row, column }: { readonly row: number; readonly column: number },
  maxRows: number,
): Frame {
  const first = Math.max(0, Math.min(row - maxRows + 1, rows.length - maxRows));
  return { rows: rows.slice(first, first + maxRows), cursorRow: row - first, cursorColumn: column };
}
