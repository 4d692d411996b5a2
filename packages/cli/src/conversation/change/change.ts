/** Computes and formats the change that a call makes to a file. */
import { type CallPlace, isRecord, type JsonObject } from '@heddle/core';
import { applyEdits } from '@heddle/tools';
import { resolvePath } from '@heddle/tools/files';
import { readFileSync, statSync } from 'node:fs';
import { escapeControls } from '../../terminal/escape-controls.ts';
import { withoutTabs } from '../../terminal/width.ts';
import { pluralize } from '../../terminal/amounts.ts';
import type { Style } from '../../terminal/style.ts';

export interface ShownChange {
  /** The current lines of the file. Undefined if they are unknown; then lines have no numbers. */
  readonly before: readonly string[] | undefined;
  readonly hunks: readonly Hunk[];
}

/** Computes the change of a call. Returns undefined if the call changes no file. `current`: the file, if it exists. */
export function changeOf(
  tool: string,
  input: JsonObject,
  current: string | undefined,
): ShownChange | undefined {
  if (tool === 'Write') {
    const content = input['content'];
    return typeof content === 'string' ? between(current, content) : undefined;
  }
  if (tool !== 'Edit') return undefined;
  const steps = stepsOf(input);
  const applied = current === undefined ? undefined : applyEdits(current, steps);
  if (applied?.ok) return between(current, applied.text);
  // The edit will fail, or the file is unknown. So only the texts of the call are shown.
  const hunks = steps.flatMap(({ old_string, new_string }) =>
    hunksBetween(linesOf(old_string), linesOf(new_string)),
  );
  return { before: undefined, hunks };
}

function changeSize({ hunks }: ShownChange): { readonly come: number; readonly gone: number } {
  const sum = (count: (hunk: Hunk) => number): number =>
    hunks.reduce((total, hunk) => total + count(hunk), 0);
  return { come: sum(({ come }) => come.length), gone: sum(({ gone }) => gone.length) };
}

function between(current: string | undefined, after: string): ShownChange {
  const before = linesOf(current ?? '');
  const hunks = hunksBetween(before, linesOf(after));
  return { before: before.length === 0 ? undefined : before, hunks };
}

interface Step {
  readonly old_string: string;
  readonly new_string: string;
  readonly replace_all: boolean;
}

function stepsOf(input: JsonObject): Step[] {
  const edits: readonly unknown[] = Array.isArray(input['edits']) ? input['edits'] : [input];
  return edits.flatMap((edit) => {
    const [before, after] = [field(edit, 'old_string'), field(edit, 'new_string')];
    if (typeof after !== 'string') return [];
    const replace_all = field(edit, 'replace_all') === true;
    return [{ old_string: typeof before === 'string' ? before : '', new_string: after, replace_all }];
  });
}

function linesOf(text: string): string[] {
  return text === '' ? [] : text.replace(/\r?\n$/, '').split(/\r?\n/);
}

function field(value: unknown, name: string): unknown {
  return isRecord(value) ? value[name] : undefined;
}

/** A larger file is not read. */
const MAX_BYTES = 2_000_000;
const CHANGING: ReadonlySet<string> = new Set(['Write', 'Edit']);

/** Returns the text of the file that a call would change. The file is the one that was decided on, also if a link changes. */
export function currentText(
  tool: string,
  input: JsonObject,
  cwd: string,
  { workingDirectory = cwd, places = [] }: CallPlace,
): string | undefined {
  const file = input['file_path'];
  if (!CHANGING.has(tool) || typeof file !== 'string') return undefined;
  try {
    const place = places[0]?.real ?? resolvePath(file, workingDirectory);
    const about = statSync(place);
    return about.isFile() && about.size <= MAX_BYTES ? readFileSync(place, 'utf8') : undefined;
  } catch {
    return undefined;
  }
}

/** A range of lines in which two texts differ. */
interface Hunk {
  /** The first line, counted from 0, in the text before (`at`) and in the text after (`to`). */
  readonly at: number;
  readonly to: number;
  readonly gone: readonly string[];
  readonly come: readonly string[];
}

/** With more pairs of lines, an exact comparison would take too long. */
const MAX_PAIRS = 1_000_000;

function hunksBetween(before: readonly string[], after: readonly string[]): Hunk[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start++;
  let end = 0;
  while (
    end < before.length - start &&
    end < after.length - start &&
    before[before.length - 1 - end] === after[after.length - 1 - end]
  )
    end++;
  const gone = before.slice(start, before.length - end);
  const come = after.slice(start, after.length - end);
  if (gone.length === 0 && come.length === 0) return [];
  if (gone.length * come.length <= MAX_PAIRS) return walk(gone, come, start);
  return gone.length === come.length ? lineByLine(gone, come, start) : [{ at: start, to: start, gone, come }];
}

/** Compares texts with the same number of lines, line by line. */
function lineByLine(before: readonly string[], after: readonly string[], start: number): Hunk[] {
  return before.flatMap((gone, index) => {
    const come = after[index] ?? '';
    const at = start + index;
    return gone === come ? [] : [{ at, to: at, gone: [gone], come: [come] }];
  });
}

/** Finds the differences along the longest common subsequence of lines. */
function walk(before: readonly string[], after: readonly string[], start: number): Hunk[] {
  const common = commonLengths(before, after);
  const hunks: { at: number; to: number; gone: string[]; come: string[] }[] = [];
  let isInHunk = false;
  let [left, right] = [0, 0];
  while (left < before.length || right < after.length) {
    const [gone, come] = [before[left], after[right]];
    if (gone !== undefined && gone === come) {
      isInHunk = false;
      left++;
      right++;
      continue;
    }
    if (!isInHunk) hunks.push({ at: start + left, to: start + right, gone: [], come: [] });
    isInHunk = true;
    if (gone !== undefined && (come === undefined || common(left + 1, right) >= common(left, right + 1))) {
      hunks.at(-1)?.gone.push(gone);
      left++;
    } else if (come !== undefined) {
      hunks.at(-1)?.come.push(come);
      right++;
    }
  }
  return hunks;
}

/** Returns a function for the length of the longest common subsequence after two positions. */
function commonLengths(
  before: readonly string[],
  after: readonly string[],
): (left: number, right: number) => number {
  const width = after.length + 1;
  const lengths = new Uint32Array((before.length + 1) * width);
  const at = (left: number, right: number): number => lengths[left * width + right] ?? 0;
  for (let left = before.length - 1; left >= 0; left--)
    for (let right = after.length - 1; right >= 0; right--)
      lengths[left * width + right] =
        before[left] === after[right]
          ? at(left + 1, right + 1) + 1
          : Math.max(at(left + 1, right), at(left, right + 1));
  return at;
}

interface Row {
  readonly mark: ' ' | '-' | '+' | '…';
  /** Counted from 1. */
  readonly number: number;
  readonly text: string;
}

/** Formats the change. `around`: the number of unchanged lines to show on each side. */
export function changeLines(change: ShownChange, around: number, { paint, signs }: Style): string[] {
  const rows = rowsOf(change, around);
  const isNumbered = change.before !== undefined;
  const width = String(Math.max(0, ...rows.map(({ number }) => number))).length;
  return rows.map(({ mark, number, text }) => {
    const lead = isNumbered ? `${String(number).padStart(width)} ` : '';
    if (mark === '…') return paint('dim', ' '.repeat(lead.length) + signs.more);
    const line = `${lead}${mark} ${withoutTabs(escapeControls(text))}`.trimEnd();
    return mark === ' ' ? paint('dim', line) : paint(mark === '-' ? 'red' : 'green', line);
  });
}

function rowsOf({ before, hunks }: ShownChange, around: number): Row[] {
  return hunks.flatMap((hunk, index): Row[] => {
    const previous = hunks[index - 1];
    const next = hunks[index + 1];
    const earliest = previous === undefined ? 0 : endOf(previous) + shownBelow(previous, hunk, around);
    const from = Math.max(earliest, hunk.at - around);
    const until = endOf(hunk) + (next ? shownBelow(hunk, next, around) : around);
    const isApart = previous !== undefined && (before === undefined || from > earliest);
    return [
      ...(isApart ? [{ mark: '…' as const, number: 0, text: '' }] : []),
      ...staying(before, from, hunk.at, hunk.to - hunk.at),
      ...hunk.gone.map((text, line): Row => ({ mark: '-', number: hunk.at + line + 1, text })),
      ...hunk.come.map((text, line): Row => ({ mark: '+', number: hunk.to + line + 1, text })),
      ...staying(before, endOf(hunk), until, hunk.to + hunk.come.length - endOf(hunk)),
    ];
  });
}

function endOf({ at, gone }: Hunk): number {
  return at + gone.length;
}

/** Counts the unchanged lines to show after a hunk, so that no line is shown twice. */
function shownBelow(hunk: Hunk, next: Hunk, around: number): number {
  return Math.min(around, Math.max(0, next.at - endOf(hunk)));
}

/** Returns unchanged lines with their numbers in the new file. `shift`: how far earlier hunks moved them. */
function staying(before: readonly string[] | undefined, from: number, until: number, shift: number): Row[] {
  return (before ?? [])
    .slice(from, until)
    .map((text, line): Row => ({ mark: ' ', number: from + line + shift + 1, text }));
}

/** More lines are counted, but not shown. */
const MAX_LINES = 8;

/** Formats the first lines of a change. */
export function changeRows(change: ShownChange, style: Style): string[] {
  const all = changeLines(change, 0, style);
  const { come, gone } = changeSize(change);
  const more = all.length - MAX_LINES;
  const rest = `${style.signs.more} ${pluralize(more, 'more line')}, +${come} -${gone} in all`;
  const rows = more > 1 ? [...all.slice(0, MAX_LINES), style.paint('dim', rest)] : all;
  return rows.map((row) => `| ${row}`);
}
