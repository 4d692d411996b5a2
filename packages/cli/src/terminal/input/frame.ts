/** Lays out a draft on the screen: rows and the position of the cursor. Pure. */
import { stripVTControlCharacters } from 'node:util';
import type { Draft } from './editor.ts';
import type { HistoryHit } from './search.ts';
import { cellsOf, charactersOf, widthOf, withoutTabs } from '../width.ts';

export interface ScreenFrame {
  readonly rows: readonly string[];
  readonly cursorRow: number;
  readonly cursorColumn: number;
}

export interface FrameSpace {
  readonly columns: number;
  /** The maximum number of rows. More rows could not be erased again. */
  readonly maxRows: number;
}

const TAB = '    ';

/** `shown` is the prompt with color codes, `prompt` without them. */
export function frameOf(
  prompt: string,
  draft: Draft,
  { columns, maxRows }: FrameSpace,
  shown = prompt,
): ScreenFrame {
  // The last column stays free, because terminals differ in the cursor position after it.
  const width = Math.max(8, columns - 1);
  const start = widthOf(prompt);
  const indent = Math.min(start, width - 4);
  const { text, cursor, isStart } = nearCursor(draft, maxRows, width);
  const rows = rowsOf(text, { first: isStart ? width - start : width - indent, other: width - indent });
  const row = rows.findIndex((cells) => cells.some(({ index }) => index === cursor));
  const before = (rows[row] ?? []).filter(({ index }) => index < cursor);
  const isFirst = row === 0 && isStart;
  const column = (isFirst ? start : indent) + before.reduce((sum, { width: cells }) => sum + cells, 0);
  const lines = rows.map((cells) => cells.map(({ drawn }) => drawn).join(''));
  const drawn = lines.map((line, index) => (index === 0 && isStart ? shown : ' '.repeat(indent)) + line);
  return clipped(drawn, { row: Math.max(0, row), column }, maxRows);
}

/** Some characters take no cell or are several code units long. */
const UNITS_PER_CELL = 4;

/**
 * Returns the visible part of a draft. Only the rows around the cursor are laid out, because a whole paste would take too
 * long. In a very long line, the part starts at a multiple of its size, so that rows do not move with the cursor.
 */
function nearCursor(
  { text, cursor }: Draft,
  maxRows: number,
  width: number,
): { readonly text: string; readonly cursor: number; readonly isStart: boolean } {
  const most = (maxRows + 1) * width * UNITS_PER_CELL;
  let start = cursor;
  for (let row = 0; row <= maxRows && start > 0; row++) start = text.lastIndexOf('\n', start - 1);
  start += start < cursor && start > 0 ? 1 : 0;
  if (start < 0) start = 0;
  if (cursor - start > 2 * most) start += Math.floor((cursor - start - most) / most) * most;
  const end = Math.min(text.length, cursor + most);
  return { text: text.slice(start, end), cursor: cursor - start, isStart: start === 0 };
}

/** Lays out a search in one row. The search text is always visible, and so is the match in a long line. */
export function searchFrame(
  prompt: string,
  { line, from, to }: HistoryHit,
  { columns }: FrameSpace,
  paint: (text: string) => string,
): ScreenFrame {
  const width = Math.max(8, columns - 1);
  const head = endOf(prompt, width);
  const free = width - widthOf(head);
  const isSeen = widthOf(line.slice(0, to)) < free;
  // A tab becomes a space, because the row is only for recognition.
  const text = (isSeen ? line : `…${line.slice(from)}`).replaceAll('\t', ' ');
  const shown = free > 0 ? cutTo(text, free) : '';
  return { rows: [paint(head) + shown], cursorRow: 0, cursorColumn: widthOf(head + shown) };
}

function endOf(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  let free = width - 1;
  const kept = charactersOf(text)
    .toReversed()
    .filter((character) => (free -= cellsOf(character)) >= 0);
  return `…${kept.toReversed().join('')}`;
}

/** Adds the status row above the input line, or shows it alone. A long status is cut. */
export function withStatus(
  status: string,
  line: ScreenFrame | undefined,
  { columns }: FrameSpace,
  paint: (text: string) => string,
): ScreenFrame {
  const row = cutTo(withoutTabs(status), columns - 1);
  if (!line) return { rows: [paint(row)], cursorRow: 0, cursorColumn: widthOf(row) };
  return { ...line, rows: [paint(row), ...line.rows], cursorRow: line.cursorRow + 1 };
}

function cutTo(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  let free = width - 1;
  const kept = charactersOf(text).filter((character) => (free -= cellsOf(character)) >= 0);
  return `${kept.join('')}…`;
}

/** A character of the draft in a row. Every possible cursor position has a cell, including the end. */
interface Cell {
  readonly index: number;
  readonly drawn: string;
  readonly width: number;
}

/** Breaks a text at its line breaks, then at words, and inside a word only if it is longer than a row. */
function rowsOf(text: string, width: { readonly first: number; readonly other: number }): Cell[][] {
  let row: Cell[] = [];
  const rows = [row];
  let free = width.first;
  const breakRow = (carried: Cell[] = []): void => {
    row = carried;
    rows.push(row);
    free = width.other - carried.reduce((sum, cell) => sum + cell.width, 0);
  };
  let index = 0;
  for (const character of charactersOf(text)) {
    const cell = { index, ...cellOf(character) };
    index += character.length;
    const fits = cell.width <= free;
    // The space at a row break takes no cell.
    if (character === '\n' || (character === ' ' && !fits)) {
      row.push({ ...cell, drawn: '', width: 0 });
      breakRow();
      continue;
    }
    if (!fits) breakRow(row.splice(row.findLastIndex(({ drawn }) => drawn === ' ') + 1 || row.length));
    row.push(cell);
    free -= cell.width;
  }
  row.push({ index, drawn: '', width: 0 });
  return rows;
}

function cellOf(character: string): Omit<Cell, 'index'> {
  if (character === '\t') return { drawn: TAB, width: TAB.length };
  return { drawn: character, width: cellsOf(character) };
}

/**
 * Returns the number of rows above the cursor in a frame that was drawn for another width. A narrower terminal has wrapped
 * the rows that no longer fit; a wider one has not changed them.
 */
export function rowsAbove({ rows, cursorRow, cursorColumn }: ScreenFrame, columns: number): number {
  const above = rows
    .slice(0, cursorRow)
    .map((row) => Math.ceil(widthOf(stripVTControlCharacters(row)) / columns));
  return above.reduce((sum, count) => sum + Math.max(1, count), Math.floor(cursorColumn / columns));
}

/** Returns the rows around the cursor if there are too many. */
function clipped(
  rows: readonly string[],
  { row, column }: { readonly row: number; readonly column: number },
  maxRows: number,
): ScreenFrame {
  const first = Math.max(0, Math.min(row - maxRows + 1, rows.length - maxRows));
  return { rows: rows.slice(first, first + maxRows), cursorRow: row - first, cursorColumn: column };
}
