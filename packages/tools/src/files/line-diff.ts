/** Line differences of two texts. The library is loaded on demand. */

/** Milliseconds after which the exact result is given up: two large different texts would take minutes. */
const PATIENCE_MS = 250;
const MAX_SHOWN_LINES = 30;
const MAX_LINE = 200;

/** Returns a few lines in patch format, or a sentence if that would take too long. */
export async function shortDiff(before: string, after: string): Promise<string> {
  const { structuredPatch } = await import('diff');
  const patch = structuredPatch('', '', before, after, '', '', { context: 1, timeout: PATIENCE_MS });
  if (patch === undefined) return '(too much to show)';
  const lines: string[] = [];
  for (const { oldStart, oldLines, newStart, newLines, lines: changes } of patch.hunks) {
    lines.push(`@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`);
    for (const line of changes) lines.push(line.length > MAX_LINE ? `${line.slice(0, MAX_LINE)}…` : line);
  }
  if (lines.length <= MAX_SHOWN_LINES) return lines.join('\n');
  return [
    ...lines.slice(0, MAX_SHOWN_LINES),
    `… ${lines.length - MAX_SHOWN_LINES} more lines of difference`,
  ].join('\n');
}

/** A range of changed lines with their context, as in a patch. */
export interface Hunk {
  readonly oldStart: number;
  readonly oldLines: number;
  readonly newStart: number;
  readonly newLines: number;
  /** Each begins with a space, `+` or `-`. */
  readonly lines: readonly string[];
}

/** Returns the changed lines of two texts. Undefined if the search takes too long. */
export async function hunksOf(before: string, after: string): Promise<readonly Hunk[] | undefined> {
  const { structuredPatch } = await import('diff');
  const patch = structuredPatch('', '', before, after, '', '', { context: 3, timeout: PATIENCE_MS });
  return patch?.hunks.map(({ oldStart, oldLines, newStart, newLines, lines }) => ({
    oldStart,
    oldLines,
    newStart,
    newLines,
    lines,
  }));
}

export interface LineCounts {
  readonly insertions: number;
  readonly deletions: number;
}

/**
 * Exact if possible in time. Otherwise everything between the first and the last difference counts as
 * replaced.
 */
export async function countLines(before: string, after: string): Promise<LineCounts> {
  if (before === after) return { insertions: 0, deletions: 0 };
  const { diffLines } = await import('diff');
  const changes = diffLines(before, after, { timeout: PATIENCE_MS });
  if (changes === undefined) return countRoughly(before.split('\n'), after.split('\n'));
  let insertions = 0;
  let deletions = 0;
  for (const { added, removed, count } of changes) {
    if (added) insertions += count;
    if (removed) deletions += count;
  }
  return { insertions, deletions };
}

function countRoughly(before: readonly string[], after: readonly string[]): LineCounts {
  const shorter = Math.min(before.length, after.length);
  let head = 0;
  while (head < shorter && before[head] === after[head]) head += 1;
  let tail = 0;
  while (tail < shorter - head && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1;
  return { insertions: after.length - head - tail, deletions: before.length - head - tail };
}
