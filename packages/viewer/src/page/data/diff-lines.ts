/** Compares two texts line by line. Pure. */

export interface DiffLine {
  readonly kind: 'same' | 'removed' | 'added';
  readonly text: string;
}

/** The table of the comparison has at most this number of cells. Larger changes are shown as a whole. */
const MAX_CELLS = 400_000;

/** Unchanged lines that are shown around a change. */
const AROUND = 3;

export function diffLines(before: string, after: string): DiffLine[] {
  const left = before === '' ? [] : before.split('\n');
  const right = after === '' ? [] : after.split('\n');
  let start = 0;
  while (start < left.length && start < right.length && left[start] === right[start]) start++;
  let end = 0;
  while (
    end < left.length - start &&
    end < right.length - start &&
    left[left.length - 1 - end] === right[right.length - 1 - end]
  )
    end++;
  const head = left.slice(Math.max(0, start - AROUND), start);
  const tail = left.slice(left.length - end, left.length - end + AROUND);
  return [
    ...head.map(same),
    ...changed(left.slice(start, left.length - end), right.slice(start, right.length - end)),
    ...tail.map(same),
  ];
}

function same(text: string): DiffLine {
  return { kind: 'same', text };
}

/** Finds the longest common subsequence of lines. */
function changed(left: readonly string[], right: readonly string[]): DiffLine[] {
  const removed = (text: string): DiffLine => ({ kind: 'removed', text });
  const added = (text: string): DiffLine => ({ kind: 'added', text });
  if (left.length * right.length > MAX_CELLS) return [...left.map(removed), ...right.map(added)];
  const width = right.length + 1;
  const lengths = new Uint32Array((left.length + 1) * width);
  const at = (row: number, column: number): number => lengths[row * width + column] ?? 0;
  for (let row = left.length - 1; row >= 0; row--)
    for (let column = right.length - 1; column >= 0; column--)
      lengths[row * width + column] =
        left[row] === right[column]
          ? at(row + 1, column + 1) + 1
          : Math.max(at(row + 1, column), at(row, column + 1));
  const lines: DiffLine[] = [];
  let row = 0;
  let column = 0;
  while (row < left.length || column < right.length) {
    const [one, two] = [left[row], right[column]];
    if (one !== undefined && one === two) {
      lines.push(same(one));
      row++;
      column++;
    } else if (one !== undefined && (two === undefined || at(row + 1, column) >= at(row, column + 1))) {
      lines.push(removed(one));
      row++;
    } else if (two !== undefined) {
      lines.push(added(two));
      column++;
    }
  }
  return lines;
}
