/**
 * Computes the bytes that update the region at the bottom of the screen. Pure. Rows above the region are final: they are
 * written once and scroll into the terminal's own scrollback.
 *
 * - Only rows that changed are written. New rows above the region, or another width, redraw all of it.
 * - The region is erased with "erase below" from its first row. Nothing else reaches every terminal's scrollback unharmed.
 * - The bytes contain no scroll region and no clearing of the screen.
 */
import { stripVTControlCharacters } from 'node:util';
import { cutCells } from './cells.ts';
import { cellsOf, charactersOf } from '../terminal/width.ts';

export interface RegionFrame {
  /** No row is wider than the screen minus one column. */
  readonly rows: readonly string[];
  readonly cursorRow: number;
  readonly cursorColumn: number;
  /** The heights of the parts of the transcript at the top of the region. They are not final yet. */
  readonly open?: readonly number[];
}

/** The region as it was written, with the width at that time. */
export interface ShownRegion {
  readonly frame: RegionFrame;
  readonly columns: number;
}

/** The screen after a resize. */
export interface ResizedScreen {
  readonly columns: number;
  /** The number of rows above the cursor. */
  readonly rowsAbove: number;
  readonly reflow: Reflow;
}

export interface RegionChange {
  /** The region on the screen. Undefined if there is none; the cursor is then at the start of an empty row. */
  readonly shown: ShownRegion | undefined;
  /** The new region. Undefined removes it. */
  readonly frame: RegionFrame | undefined;
  /** Final rows to write above the region. */
  readonly above: readonly string[];
  readonly columns: number;
  readonly reflow: Reflow;
}

/** The rows that a terminal wraps again when it becomes narrower. It cuts the other rows off. */
export type Reflow = 'all rows' | 'rows without the cursor' | 'no rows';

/** Finds out how the terminal treats rows when it becomes narrower. */
export function reflowOf(env: Readonly<Record<string, string | undefined>>): Reflow {
  if (env['TMUX'] !== undefined) return 'all rows';
  // GNU Screen and xterm cut all rows off. Terminals based on xterm.js spare the row with the cursor.
  if (env['STY'] !== undefined || env['XTERM_VERSION'] !== undefined) return 'no rows';
  return env['TERM_PROGRAM'] === 'vscode' ? 'rows without the cursor' : 'all rows';
}

const ERASE_BELOW = '\u001b[J';
const ERASE_ROW_END = '\u001b[K';
const NEW_ROW = '\r\n';
/** Marks a frame that the terminal shows at once. Terminals without support ignore it. */
const BEGIN_SYNC = '\u001b[?2026h';
const END_SYNC = '\u001b[?2026l';

export function patchRegion({ shown, frame, above, columns, reflow }: RegionChange): string {
  if (shown && frame && above.length === 0 && shown.columns === columns)
    return changedRows(shown.frame, frame);
  const erase = shown ? eraseRegion(shown, columns, reflow) : '';
  const rows = above.map((row) => row + NEW_ROW).join('');
  const drawn = frame ? drawRegion(frame) : '';
  const bytes = erase + rows + drawn;
  return shown && above.length > 0 ? BEGIN_SYNC + bytes + END_SYNC : bytes;
}

/** Moves the cursor to the start of the region, and erases everything below. */
export function eraseRegion(
  { frame, columns: drawnFor }: ShownRegion,
  columns: number,
  reflow: Reflow,
): string {
  const wraps = reflow !== 'no rows' && columns < drawnFor;
  const above = wraps ? wrappedRowsAbove(frame, columns, reflow) : frame.cursorRow;
  return `${up(above)}\r${ERASE_BELOW}`;
}

/**
 * Erases the region after a resize. If the window has become much smaller, the first rows of the region are in the
 * scrollback, where nothing can be erased. Parts of the transcript among them stay as they are. `kept`: their number.
 */
export function eraseResized(
  { frame, columns: drawnFor }: ShownRegion,
  { columns, rowsAbove, reflow }: ResizedScreen,
): { readonly bytes: string; readonly kept: number } {
  const wraps = reflow !== 'no rows' && columns < drawnFor;
  const above = wraps ? wrappedRowsAbove(frame, columns, reflow) : frame.cursorRow;
  const lost = above - rowsAbove;
  let kept = 0;
  let first = 0;
  let keptRows = 0;
  for (const height of lost > 0 ? (frame.open ?? []) : []) {
    if (keptRows >= lost) break;
    const rows = frame.rows.slice(first, first + height);
    keptRows += wraps ? rows.reduce((sum, row) => sum + wrappedRows(row, columns), 0) : rows.length;
    first += height;
    kept++;
  }
  return { bytes: `${up(Math.min(rowsAbove, above - keptRows))}\r${ERASE_BELOW}`, kept };
}

function drawRegion(frame: RegionFrame): string {
  return frame.rows.join(NEW_ROW) + placeCursor(frame, frame.rows.length - 1);
}

function changedRows(before: RegionFrame, after: RegionFrame): string {
  let bytes = '';
  let row = before.cursorRow;
  const moveTo = (target: number): void => {
    bytes += target < row ? up(row - target) : down(target - row);
    row = target;
  };
  const common = Math.min(before.rows.length, after.rows.length);
  for (let index = 0; index < common; index++) {
    const [old = '', fresh = ''] = [before.rows[index], after.rows[index]];
    if (old === fresh) continue;
    moveTo(index);
    bytes += changedRow(old, fresh);
  }
  if (after.rows.length > common) {
    moveTo(common - 1);
    bytes += after.rows
      .slice(common)
      .map((added) => NEW_ROW + added)
      .join('');
    row = after.rows.length - 1;
  } else if (before.rows.length > common) {
    moveTo(common);
    bytes += `\r${ERASE_BELOW}`;
  }
  const isMoved = before.cursorRow !== after.cursorRow || before.cursorColumn !== after.cursorColumn;
  return bytes === '' && !isMoved ? '' : bytes + placeCursor(after, row);
}

/** Writes a row from the first difference on. */
function changedRow(before: string, after: string): string {
  const { length, cells } = commonStart(before, after);
  const start = cells === 0 ? '\r' : `\u001b[${cells + 1}G`;
  const [old, fresh] = [stripVTControlCharacters(before), stripVTControlCharacters(after)];
  // Terminals differ in the width of other characters, so the length is known only for ASCII.
  const coversAll = isAscii(old) && isAscii(fresh) && fresh.length >= old.length;
  return start + after.slice(length) + (coversAll ? '' : ERASE_ROW_END);
}

/** A color code, or one ASCII character. Other characters may have another width in the terminal than expected. */
// oxlint-disable-next-line no-control-regex -- color codes start with an escape
const SAFE_TOKEN = /\u001b\[([\d;]*)m|[\x20-\x7e]/y;
/** Codes that switch a color or a style off. */
const OFF_CODES: ReadonlySet<string> = new Set(['', '0', '22', '23', '24', '27', '29', '39', '49']);

/** Returns the equal start of two rows, up to the last place where no color is active. */
function commonStart(before: string, after: string): { readonly length: number; readonly cells: number } {
  let best = { length: 0, cells: 0 };
  let cells = 0;
  let at = 0;
  let isPlain = true;
  while (at < before.length) {
    SAFE_TOKEN.lastIndex = at;
    const token = SAFE_TOKEN.exec(before);
    if (!token || !after.startsWith(token[0], at)) break;
    at += token[0].length;
    if (token[1] === undefined) cells++;
    else isPlain = OFF_CODES.has(token[1]);
    if (isPlain) best = { length: at, cells };
  }
  return best;
}

/** `row`: the row of the region that contains the cursor now. */
function placeCursor({ rows, cursorRow, cursorColumn }: RegionFrame, row: number): string {
  const move = cursorRow < row ? up(row - cursorRow) : down(cursorRow - row);
  if (cursorColumn === 0) return `${move}\r`;
  const before = cutCells(rows[cursorRow] ?? '', cursorColumn);
  // A text with other characters is written again, because terminals differ in their widths.
  return isAscii(stripVTControlCharacters(before))
    ? `${move}\u001b[${cursorColumn + 1}G`
    : `${move}\r${before}`;
}

/** Counts the rows above the cursor after a narrower terminal has wrapped the region. */
function wrappedRowsAbove(
  { rows, cursorRow, cursorColumn }: RegionFrame,
  columns: number,
  reflow: Reflow,
): number {
  const above = rows.slice(0, cursorRow).reduce((sum, row) => sum + wrappedRows(row, columns), 0);
  if (reflow === 'rows without the cursor') return above;
  // At a row break, terminals leave the cursor at the end of the upper row. Erasing too little is better than too much.
  return above + wrappedRows(cutCells(rows[cursorRow] ?? '', cursorColumn), columns) - 1;
}

/** Counts character by character, because a wide character that does not fit leaves the last cell free. */
function wrappedRows(row: string, columns: number): number {
  let count = 1;
  let used = 0;
  for (const character of charactersOf(stripVTControlCharacters(row))) {
    const cells = cellsOf(character);
    if (used + cells > columns) {
      count++;
      used = 0;
    }
    used += cells;
  }
  return count;
}

function isAscii(text: string): boolean {
  return /^[\x20-\x7e]*$/.test(text);
}

function up(rows: number): string {
  return rows > 0 ? `\u001b[${rows}A` : '';
}

function down(rows: number): string {
  return rows > 0 ? `\u001b[${rows}B` : '';
}
