/** Draws a Markdown table with aligned columns. Cells wrap if the table is too wide. Pure. */
import { stripVTControlCharacters } from 'node:util';
import { Prose } from '../terminal/layout/prose.ts';
import type { Style } from '../terminal/style.ts';
import { widthOf } from '../terminal/width.ts';
import { breakRow } from './cells.ts';

type Alignment = 'left' | 'center' | 'right';

/** A narrower column would show one or two letters per row. */
const MIN_COLUMN = 4;
/** The cells between two columns: a space, the line, and a space. */
const GAP = 3;

export function isDelimiterRow(line: string): boolean {
  return /^\s*\|(?:\s*:?-+:?\s*\|)+\s*(?::?-+:?)?\s*$/.test(line);
}

/** `lines`: the header, the delimiter row and the rows. */
export function tableRows(lines: readonly string[], width: number, style: Style): string[] {
  const [header = '', delimiter = '', ...body] = lines;
  const alignments = cellsIn(delimiter).map(alignmentOf);
  const heads = cellsIn(header).map((cell) =>
    style.paint('bold', stripVTControlCharacters(paintCell(cell, style))),
  );
  const rows = body.map((line) => cellsIn(line).map((cell) => paintCell(cell, style)));
  const count = Math.max(heads.length, ...rows.map((cells) => cells.length));
  const wanted = Array.from({ length: count }, (_, column) =>
    Math.max(MIN_COLUMN, ...[heads, ...rows].map((cells) => cellWidth(cells[column] ?? ''))),
  );
  const widths = shrinkTo(wanted, width - GAP * count - 1);
  if (widths === undefined) return listRows(heads, rows);
  const bar = style.signs.dot === '·' ? BOX : ASCII_BOX;
  const paint = (text: string): string => style.paint('dim', text);
  const rule = ([left, middle, right]: readonly [string, string, string]): string =>
    paint(left + widths.map((cells) => bar.line.repeat(cells + 2)).join(middle) + right);
  const draw = (cells: readonly string[]): string[] =>
    drawRow(cells, { widths, alignments, side: paint(bar.side) });
  return [rule(bar.top), ...draw(heads), rule(bar.middle), ...rows.flatMap(draw), rule(bar.bottom)];
}

const BOX = {
  line: '─',
  side: '│',
  top: ['┌', '┬', '┐'],
  middle: ['├', '┼', '┤'],
  bottom: ['└', '┴', '┘'],
} as const;
const ASCII_BOX = {
  line: '-',
  side: '|',
  top: ['+', '+', '+'],
  middle: ['+', '+', '+'],
  bottom: ['+', '+', '+'],
} as const;

/** Splits a row at its bars. A bar after a backslash, or in code, belongs to the cell. */
function cellsIn(line: string): string[] {
  const inside = line
    .trim()
    .replace(/^\|/, '')
    .replace(/(?<!\\)\|$/, '');
  const cells = [''];
  for (const [part] of inside.matchAll(/`[^`]*`|\\\||\||[^|`\\]+|[`\\]/g)) {
    if (part === '|') cells.push('');
    else cells.push((cells.pop() ?? '') + (part === '\\|' ? '|' : part));
  }
  return cells.map((cell) => cell.trim());
}

function alignmentOf(cell: string): Alignment {
  if (cell.endsWith(':')) return cell.startsWith(':') ? 'center' : 'right';
  return 'left';
}

/** Formats bold and code in a cell like in prose. */
function paintCell(text: string, style: Style): string {
  const prose = new Prose(style, () => Number.POSITIVE_INFINITY);
  // The space keeps a cell that starts with a list sign or a bar from being read as a block.
  return (prose.add(`\u200b${text}`) + prose.end()).replace('\u200b', '');
}

function cellWidth(cell: string): number {
  return widthOf(stripVTControlCharacters(cell));
}

/** Shrinks the widest columns until the table fits. Returns undefined if it cannot fit. */
function shrinkTo(wanted: readonly number[], width: number): readonly number[] | undefined {
  if (wanted.length * MIN_COLUMN > width) return undefined;
  const widths = [...wanted];
  let excess = widths.reduce((sum, cells) => sum + cells, 0) - width;
  while (excess > 0) {
    const widest = Math.max(...widths);
    const second = Math.max(MIN_COLUMN, ...widths.filter((cells) => cells < widest));
    const at = widths.indexOf(widest);
    const step = Math.max(1, Math.min(excess, widest - second));
    widths[at] = widest - step;
    excess -= step;
  }
  return widths;
}

interface Columns {
  readonly widths: readonly number[];
  readonly alignments: readonly Alignment[];
  readonly side: string;
}

function drawRow(cells: readonly string[], { widths, alignments, side }: Columns): string[] {
  const broken = widths.map((width, column) => breakWords(cells[column] ?? '', width));
  const height = Math.max(...broken.map((rows) => rows.length));
  return Array.from({ length: height }, (_, row) => {
    const drawn = broken.map((rows, column) => {
      const text = rows[row] ?? '';
      return ` ${align(text, widths[column] ?? 0, alignments[column] ?? 'left')} `;
    });
    return side + drawn.join(side) + side;
  });
}

function align(text: string, width: number, alignment: Alignment): string {
  const free = Math.max(0, width - cellWidth(text));
  const before = alignment === 'right' ? free : alignment === 'center' ? Math.floor(free / 2) : 0;
  return ' '.repeat(before) + text + ' '.repeat(free - before);
}

/** Breaks a cell at spaces, and inside a word only if the word is too long. */
function breakWords(cell: string, width: number): string[] {
  if (cellWidth(cell) <= width) return [cell];
  const rows: string[] = [];
  let row = '';
  for (const word of cell.split(' ')) {
    const joined = row === '' ? word : `${row} ${word}`;
    if (cellWidth(joined) <= width) {
      row = joined;
      continue;
    }
    if (row !== '') rows.push(row);
    const parts = breakRow(word, width);
    rows.push(...parts.slice(0, -1));
    row = parts.at(-1) ?? '';
  }
  return [...rows, row];
}

/** Shows each row as a list, for a screen that is too narrow for the table. */
function listRows(heads: readonly string[], rows: readonly (readonly string[])[]): string[] {
  return rows.flatMap((cells) => [
    ...cells.map((cell, column) => `${heads[column] ?? ''}: ${cell}`.replace(/^: /, '')),
    '',
  ]);
}
