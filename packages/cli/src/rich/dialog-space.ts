/**
 * Fits a question into the rows of the region. Pure. A question that does not fit is shown in a short form: its title, the
 * reason and the choices. A note counts the rows of the whole question, which the screen prints above the region.
 */
import { BAR } from '../terminal/layout/rows.ts';
import type { Style } from '../terminal/style.ts';
import { breakRow, fitRow, rowWidth } from './cells.ts';

export interface DialogRows {
  /** The lines of the question. Text of a model, a tool or a server is behind a bar. */
  readonly body: readonly string[];
  /** The choices in at most this many rows. The selected one is among them, and a note counts the others. */
  readonly choices: (most: number) => readonly string[];
  /** The hint and other notes below the choices. */
  readonly below: readonly string[];
  /** A long choice is continued in the next row if there is space. Otherwise the list scrolls, and long rows are cut. */
  readonly breaksChoices: boolean;
}

/** The parts that are not shown as a whole. They have to be printed above the region. */
export type HiddenPart = 'nothing' | 'body' | 'choices';

export interface PlacedDialog {
  readonly rows: readonly string[];
  readonly hides: HiddenPart;
  /** The title, the reason and all choices have a row. */
  readonly isRoomy: boolean;
}

interface DialogPlace {
  readonly width: number;
  /** The maximum number of rows. */
  readonly most: number;
  readonly style: Style;
}

/** A list that scrolls has at least this many rows. */
const MIN_LISTED = 3;

export function placeDialog(dialog: DialogRows, place: DialogPlace): PlacedDialog {
  const { width, most } = place;
  const body = brokenBody(dialog.body, width);
  const left = most - body.length - dialog.below.length;
  const withBody = (choices: readonly string[], hides: HiddenPart): PlacedDialog => ({
    rows: [...body, ...choices, ...dialog.below],
    hides,
    isRoomy: true,
  });
  const all = dialog.choices(Number.POSITIVE_INFINITY);
  if (!dialog.breaksChoices) {
    if (left >= Math.min(all.length, MIN_LISTED)) return withBody(dialog.choices(left), 'nothing');
    return shortForm(dialog, all, place);
  }
  const broken = brokenChoices(all, width);
  if (broken.length <= left) {
    // A character may be wider than the window.
    const isCut = [...body, ...broken].some((row) => fitRow(row, width, '') !== row);
    return withBody(broken, isCut ? 'choices' : 'nothing');
  }
  return all.length <= left ? withBody(all, 'choices') : shortForm(dialog, all, place);
}

/** Shows the lines that do not come from the call, and the choices. Rows that do not fit are left out from the end. */
function shortForm(
  { body, choices, below, breaksChoices }: DialogRows,
  all: readonly string[],
  { width, most, style: { paint, signs } }: DialogPlace,
): PlacedDialog {
  const own = body.filter((line) => !line.startsWith(BAR));
  const reserved = Math.min(2, own.length) + 1;
  const room = Math.max(1, most - reserved - below.length);
  const broken = breaksChoices ? brokenChoices(all, width) : all;
  const isBroken = broken.length <= room;
  const listed = isBroken ? broken : choices(room);
  const left = Math.max(0, most - listed.length - below.length - 1);
  const wholeOwn = own.map((line) => breakLine(line, width));
  const ownRows = wholeOwn.flat().length <= left ? wholeOwn : own.slice(0, left).map((line) => [line]);
  const [title = [], ...reasons] = ownRows;
  const count = brokenBody(body, width).length.toLocaleString('en-US');
  const note = paint('yellow', `  ${signs.more} ${count} rows above show all of it`);
  return {
    rows: [...title, note, ...reasons.flat(), ...listed, ...below].slice(0, most),
    hides: isBroken || !breaksChoices ? 'body' : 'choices',
    isRoomy: all.length <= room && left >= Math.min(2, own.length),
  };
}

/** The last layout of each body, with its width. Most frames show the same question again. */
const bodies = new WeakMap<readonly string[], { readonly width: number; readonly rows: readonly string[] }>();

function brokenBody(body: readonly string[], width: number): readonly string[] {
  const last = bodies.get(body);
  if (last?.width === width) return last.rows;
  const rows = body.flatMap((line) => breakLine(line, width));
  bodies.set(body, { width, rows });
  return rows;
}

/** The start of a row that continues a line of Heddle, so that no text in it takes the place of another line. */
const INDENT = ' '.repeat(4);

/** Breaks a line of the question. Each row of a line with a bar starts with the bar. */
function breakLine(line: string, width: number): readonly string[] {
  if (width <= BAR.length * 2) return breakRow(line, width);
  if (line.startsWith(BAR))
    return breakRow(line.slice(BAR.length), width - BAR.length).map((row) => BAR + row);
  const rows = breakRow(line, width);
  if (rows.length === 1) return rows;
  return breakRow(line, width - INDENT.length).map((row, index) => (index === 0 ? row : INDENT + row));
}

/** The start of a row that continues a choice. */
const CONTINUED = ' '.repeat(6);

function brokenChoices(choices: readonly string[], width: number): readonly string[] {
  if (width <= CONTINUED.length * 2) return choices.flatMap((row) => breakRow(row, width));
  return choices.flatMap((row) =>
    rowWidth(row) <= width
      ? [row]
      : breakRow(padWords(row, width - CONTINUED.length), width - CONTINUED.length).map((part, index) =>
          index === 0 ? part.trimEnd() : CONTINUED + part.trim(),
        ),
  );
}

/** Adds spaces before a word that does not fit, so that a break after this number of cells is between words. */
function padWords(row: string, cells: number): string {
  let used = 0;
  return row
    .split(' ')
    .map((word, index) => {
      const width = rowWidth(word);
      const fits = used + 1 + width <= cells || width > cells;
      const before = index === 0 ? '' : fits ? ' ' : ' '.repeat(cells - used);
      used = fits ? (used + before.length + width) % cells : width;
      return before + word;
    })
    .join('');
}
