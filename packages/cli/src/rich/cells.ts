/** Cuts and fits rows that contain color codes. */
import { stripVTControlCharacters } from 'node:util';
import { cellsOf, charactersOf, mostCellsOf, mostWidthOf, widthOf, withoutTabs } from '../terminal/width.ts';

// oxlint-disable-next-line no-control-regex -- color codes start with an escape
const PARTS = /\u001b\[[\d;]*m|[^\u001b]+/g;
const RESET = '\u001b[0m';

/** Returns the start of a row, at most this many cells wide. Colors end with it. `measure`: the cells of a character. */
export function cutCells(
  row: string,
  cells: number,
  measure: (character: string) => number = cellsOf,
): string {
  let left = cells;
  let kept = '';
  let hasColor = false;
  for (const [part] of row.matchAll(PARTS)) {
    if (part.startsWith('\u001b')) {
      kept += part;
      hasColor = true;
      continue;
    }
    for (const character of charactersOf(part)) {
      left -= measure(character);
      if (left < 0) return hasColor ? kept + RESET : kept;
      kept += character;
    }
  }
  return kept;
}

/**
 * Shortens a row to this many cells, with a sign at the end of a shortened one. No terminal shows it wider, because the
 * largest possible width counts.
 */
export function fitRow(text: string, cells: number, more: string): string {
  const row = withoutTabs(text);
  if (mostWidthOf(stripVTControlCharacters(row)) <= cells) return row;
  return cutCells(row, Math.max(0, cells - mostWidthOf(more)), mostCellsOf) + more;
}

export function rowWidth(row: string): number {
  return widthOf(stripVTControlCharacters(row));
}

/** Breaks a row into rows of at most this many cells. Colors continue in the next row. */
export function breakRow(text: string, cells: number): string[] {
  const row = withoutTabs(text);
  if (mostWidthOf(stripVTControlCharacters(row)) <= cells) return [row];
  const rows: string[] = [];
  let current = '';
  let used = 0;
  let color = '';
  for (const [part] of row.matchAll(PARTS)) {
    if (part.startsWith('\u001b')) {
      current += part;
      color = part;
      continue;
    }
    for (const character of charactersOf(part)) {
      const width = mostCellsOf(character);
      if (used > 0 && used + width > cells) {
        rows.push(color === '' ? current : current + RESET);
        current = color;
        used = 0;
      }
      current += character;
      used += width;
    }
  }
  return [...rows, current];
}
