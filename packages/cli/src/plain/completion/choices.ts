/** Names that could follow, in columns over the width of the terminal, read downwards. Pure. */
import { charactersOf, cellsOf, widthOf } from '../../terminal/width.ts';

const INDENT = '  ';
const GAP = 2;
/** What stands on the screen must not be swept away by names. */
const MOST_ROWS = 10;

/** `more`: the sign that something is left out. */
export function choiceRows(names: readonly string[], columns: number, more: string): string[] {
  // The last column stays free.
  const room = Math.max(1, columns - INDENT.length - 1);
  const width = Math.min(room, Math.max(0, ...names.map(widthOf)));
  const across = Math.floor((room + GAP) / (width + GAP)) || 1;
  const isAll = names.length <= across * MOST_ROWS;
  const shown = isAll ? names : names.slice(0, across * (MOST_ROWS - 1));
  const count = Math.ceil(shown.length / across);
  const rows = Array.from({ length: count }, (_row, row) =>
    shown
      .filter((_name, index) => index % count === row)
      .map((name) => filled(name, width, more))
      .join(' '.repeat(GAP)),
  );
  const rest = isAll ? [] : [`${more} ${names.length - shown.length} more`];
  return [...rows, ...rest].map((row) => INDENT + row.trimEnd());
}

function filled(name: string, width: number, more: string): string {
  const free = width - widthOf(name);
  if (free >= 0) return name + ' '.repeat(free);
  let left = width - widthOf(more);
  const kept = charactersOf(name).filter((character) => (left -= cellsOf(character)) >= 0);
  return kept.join('') + more;
}
