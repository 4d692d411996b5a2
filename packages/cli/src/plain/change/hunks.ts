/** The stretches in which two texts differ, line by line. Pure. */

export interface Hunk {
  /** Where it begins, counted from 0: in the text before, and in the text after. */
  readonly at: number;
  readonly to: number;
  readonly gone: readonly string[];
  readonly come: readonly string[];
}

/** Beyond so many pairs of lines one hunk tells it as well, and at once. */
const MOST_PAIRS = 1_000_000;

export function hunksBetween(before: readonly string[], after: readonly string[]): Hunk[] {
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
  if (gone.length * come.length <= MOST_PAIRS) return walk(gone, come, start);
  return gone.length === come.length ? lineByLine(gone, come, start) : [{ at: start, to: start, gone, come }];
}

/** Nothing was put in or taken out: each line still stands where it stood. */
function lineByLine(before: readonly string[], after: readonly string[], start: number): Hunk[] {
  return before.flatMap((gone, index) => {
    const come = after[index] ?? '';
    const at = start + index;
    return gone === come ? [] : [{ at, to: at, gone: [gone], come: [come] }];
  });
}

/** Along the longest run of lines that both have. */
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

/** How many lines both have in common, in order, from two places on. */
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
