/** The record of a finished change that a tool's data carries for hosts and the session file. Its size is bounded. */
import type { PlannedChange } from './change.ts';
import { decodeText } from './encoding.ts';
import { type Hunk, hunksOf } from './line-diff.ts';

export interface RecordedChange {
  /** The text before the change; null for a new file, and for a text that is too long to record. */
  readonly original: string | null;
  /** Empty for a new file, and if the difference is too large to record. */
  readonly hunks: readonly Hunk[];
}

/** Characters. Every change stores one such text in the session file. */
const MAX_RECORDED_TEXT = 32_000;
/** Characters. Longer texts are not compared: the change is already written, and the call should end. */
const MAX_COMPARED_TEXT = 1_000_000;

/** Never throws: the change has happened, and its result must say so. */
export async function createChangeRecord({
  current,
  bytes,
}: Pick<PlannedChange<unknown>, 'current' | 'bytes'>): Promise<RecordedChange> {
  const before = current === undefined ? undefined : decodeText(current.bytes)?.text;
  const after = decodeText(bytes)?.text;
  if (before === undefined || after === undefined) return { original: null, hunks: [] };
  return { original: recordedText(before), hunks: await recordedHunks(before, after) };
}

export function recordedText(text: string): string | null {
  return text.length <= MAX_RECORDED_TEXT ? text : null;
}

async function recordedHunks(before: string, after: string): Promise<readonly Hunk[]> {
  if (Math.max(before.length, after.length) > MAX_COMPARED_TEXT) return [];
  const hunks = await hunksOf(before, after).catch(() => undefined);
  if (hunks === undefined) return [];
  const size = hunks.reduce((sum, { lines }) => sum + lines.join('\n').length, 0);
  return size <= MAX_RECORDED_TEXT ? hunks : [];
}
