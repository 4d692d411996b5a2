/** What a call has done to a file, in a few lines. */
import { type Change, sizeOf } from '../change/change.ts';
import { changeLines } from '../change/change-lines.ts';
import type { Style } from '../style.ts';
import { counted } from './amounts.ts';

/** Whoever wants more looks at the file. */
const SHOWN = 8;

export function changeRows(change: Change, style: Style): string[] {
  const all = changeLines(change, 0, style);
  const { come, gone } = sizeOf(change);
  const more = all.length - SHOWN;
  const rest = `${style.signs.more} ${counted(more, 'more line')}, +${come} -${gone} in all`;
  const rows = more > 1 ? [...all.slice(0, SHOWN), style.paint('dim', rest)] : all;
  return rows.map((row) => `| ${row}`);
}
