/**
 * Composes the region at the bottom of the screen. Pure. From top to bottom: the unfinished end of the answer, the
 * current activity, a rule with the status, the question or menu, and the input line.
 *
 * Everything below the rule comes from Heddle, and the input line is always last. So no text of a model or a tool can
 * take the place of a question: the real rule and the real input line follow it.
 */
import type { Style } from '../terminal/style.ts';
import type { ActivityRows } from './activity.ts';
import { breakRow, fitRow, rowWidth } from './cells.ts';
import { type DialogRows, type HiddenPart, placeDialog, type PlacedDialog } from './dialog-space.ts';
import type { RegionFrame } from './region.ts';
import type { OpenPart } from './transcript.ts';

export interface RegionView {
  /** The parts of the streaming text that are not final yet. */
  readonly open: readonly OpenPart[];
  readonly activity: ActivityRows;
  /** Facts for the status line, the most important first. */
  readonly facts: readonly string[];
  /** The open question, or undefined. */
  readonly dialog: DialogRows | undefined;
  /** The rows of an open menu. */
  readonly menu: readonly string[];
  /** The input line, laid out for the width. */
  readonly input: RegionFrame;
}

export interface RegionSize {
  readonly columns: number;
  readonly rows: number;
}

/** A smaller screen has no rule. */
const MIN_ROWS_WITH_RULE = 8;

export interface ComposedRegion extends RegionFrame {
  /** The parts of the question that are not shown as a whole. */
  readonly hides: HiddenPart;
}

const NO_DIALOG: PlacedDialog = { rows: [], hides: 'nothing', isRoomy: true };

export function composeRegion(view: RegionView, { columns, rows }: RegionSize, style: Style): ComposedRegion {
  const width = columns - 1;
  const fit = (row: string): string => fitRow(row, width, style.signs.more);
  const { input, dialog, activity } = view;
  // A region that is higher than the screen could not be erased.
  const limit = dialog ? rows - 1 : Math.max(input.rows.length, Math.floor(rows / 2));
  let left = limit - input.rows.length;
  const take = (wanted: readonly string[], most = left): readonly string[] => {
    const taken = wanted.slice(0, Math.max(0, Math.min(left, most)));
    left -= taken.length;
    return taken.map(fit);
  };
  const place = (most: number): PlacedDialog =>
    dialog ? placeDialog(dialog, { width, most: Math.max(0, most), style }) : NO_DIALOG;
  const beside = place(left - 1);
  // The reason and the keys of a question are more important than the status.
  const hasRule = rows >= MIN_ROWS_WITH_RULE && beside.isRoomy;
  const rule = take(hasRule ? [ruleRow(view.facts, width, style)] : []);
  const asked = hasRule ? beside : place(left);
  const question = take(asked.rows);
  const menu = take(view.menu);
  const busy = take(activity.busy);
  const queued = take(activity.queued);
  const open = openRows(view.open, { width, most: left, more: style.signs.more });
  left -= open.rows.length;
  const output = take(activity.output);
  const todos = take(activity.todos);
  const above = [...open.rows, ...output, ...busy, ...todos, ...queued, ...rule, ...question, ...menu];
  return {
    rows: [...above, ...input.rows],
    cursorRow: above.length + input.cursorRow,
    cursorColumn: Math.min(input.cursorColumn, width),
    open: open.heights,
    hides: asked.hides,
  };
}

interface OpenSpace {
  readonly width: number;
  readonly most: number;
  /** The sign for parts that do not fit. */
  readonly more: string;
}

/**
 * Shows the first parts that fit, each as a whole. The screen may have to keep them as they are, so no other part may
 * be before them or between them. `heights`: the number of rows of each part.
 */
function openRows(
  parts: readonly OpenPart[],
  { width, most, more }: OpenSpace,
): { readonly rows: readonly string[]; readonly heights: readonly number[] } {
  const broken = parts.map((rows) => rows.flatMap((row) => breakRow(row, width)));
  const total = broken.reduce((sum, rows) => sum + rows.length, 0);
  if (total <= most) return { rows: broken.flat(), heights: broken.map((rows) => rows.length) };
  if (most <= 0) return { rows: [], heights: [] };
  const shown: (readonly string[])[] = [];
  let left = most - 1;
  for (const rows of broken) {
    left -= rows.length;
    if (left < 0) break;
    shown.push(rows);
  }
  const hidden = total - shown.reduce((sum, rows) => sum + rows.length, 0);
  const note = fitRow(`${more} ${hidden} more`, width, more);
  return { rows: [...shown.flat(), note], heights: shown.map((rows) => rows.length) };
}

/** Draws the rule with as many facts as fit. */
function ruleRow(facts: readonly string[], width: number, { paint, signs }: Style): string {
  const line = signs.dot === '·' ? '─' : '-';
  let shown: readonly string[] = facts;
  const text = (): string => (shown.length === 0 ? '' : ` ${shown.join(` ${signs.dot} `)} `);
  while (shown.length > 0 && rowWidth(text()) + 4 > width) shown = shown.slice(0, -1);
  const label = text();
  const rest = Math.max(0, width - rowWidth(label) - 2);
  return paint('dim', line.repeat(2)) + label + paint('dim', line.repeat(rest));
}
