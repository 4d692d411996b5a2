/** A change as people read it: the lines that go, the lines that come, and a few around them, each with its number. Pure. */
import { harmless } from '../../terminal/harmless.ts';
import { withoutTabs } from '../../terminal/width.ts';
import type { Style } from '../style.ts';
import type { Change } from './change.ts';
import type { Hunk } from './hunks.ts';

interface Row {
  readonly mark: ' ' | '-' | '+' | '…';
  /** Counted from 1. */
  readonly number: number;
  readonly text: string;
}

/** `around`: so many lines that stay are shown on each side. */
export function changeLines(change: Change, around: number, { paint, signs }: Style): string[] {
  const rows = rowsOf(change, around);
  const isNumbered = change.before !== undefined;
  const width = String(Math.max(0, ...rows.map(({ number }) => number))).length;
  return rows.map(({ mark, number, text }) => {
    const lead = isNumbered ? `${String(number).padStart(width)} ` : '';
    if (mark === '…') return paint('dim', ' '.repeat(lead.length) + signs.more);
    const line = `${lead}${mark} ${withoutTabs(harmless(text))}`.trimEnd();
    return mark === ' ' ? paint('dim', line) : paint(mark === '-' ? 'red' : 'green', line);
  });
}

function rowsOf({ before, hunks }: Change, around: number): Row[] {
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

/** Below a hunk and before the next one, no line is shown twice. */
function shownBelow(hunk: Hunk, next: Hunk, around: number): number {
  return Math.min(around, Math.max(0, next.at - endOf(hunk)));
}

/** Lines that stay have the numbers of the file as it will be: `shift` is how far the hunks before have moved them. */
function staying(before: readonly string[] | undefined, from: number, until: number, shift: number): Row[] {
  return (before ?? [])
    .slice(from, until)
    .map((text, line): Row => ({ mark: ' ', number: from + line + shift + 1, text }));
}
