/**
 * Finds lines that stand in a text with another indentation. Models often copy a block from memory and indent all of it a level
 * more or less. If exactly one place has the same lines with one uniform shift, the edit is moved by that shift. Pure.
 */

export interface ShiftedEdit {
  /** As the lines stand in the text. */
  readonly oldText: string;
  readonly newText: string;
}

/** A block shorter than this, without white space, is too little to tell a place by. */
const LEAST_CHARACTERS = 6;

/** Line breaks are `\n` in all three. Undefined if no place matches, or several do. */
export function shiftedEdit(text: string, oldText: string, newText: string): ShiftedEdit | undefined {
  if (oldText.replaceAll(/\s/g, '').length < LEAST_CHARACTERS) return undefined;
  // A block that ends with a line break is lines and nothing behind them.
  const endsLine = oldText.endsWith('\n');
  const block = (endsLine ? oldText.slice(0, -1) : oldText).split('\n');
  const lines = text.split('\n');
  const first = block.findIndex((line) => line.trim() !== '');
  const wanted = block[first]?.trimStart();
  let found: { readonly at: number; readonly shift: Shift } | undefined;
  for (let at = 0; at + block.length <= lines.length; at++) {
    if (lines[at + first]?.trimStart() !== wanted) continue;
    const shift = shiftBetween(block, lines.slice(at, at + block.length));
    if (!shift) continue;
    if (found) return undefined;
    found = { at, shift };
  }
  if (!found) return undefined;
  const moved = moveLines(newText, found.shift);
  if (moved === undefined) return undefined;
  const end = endsLine ? '\n' : '';
  return { oldText: lines.slice(found.at, found.at + block.length).join('\n') + end, newText: moved };
}

/** White space that every line of the text has before, or lacks at, the beginning of the block's line. */
interface Shift {
  readonly kind: 'added' | 'removed';
  readonly space: string;
}

function shiftBetween(block: readonly string[], lines: readonly string[]): Shift | undefined {
  let shift: Shift | undefined;
  for (const [index, given] of block.entries()) {
    const line = lines[index] ?? '';
    if (given.trim() === '' && line.trim() === '') continue;
    const between = lineShift(given, line);
    if (!between || (shift && (shift.kind !== between.kind || shift.space !== between.space)))
      return undefined;
    shift = between;
  }
  return shift?.space === '' ? undefined : shift;
}

function lineShift(given: string, line: string): Shift | undefined {
  if (line.endsWith(given)) return spaceOnly('added', line.slice(0, line.length - given.length));
  if (given.endsWith(line)) return spaceOnly('removed', given.slice(0, given.length - line.length));
  return undefined;
}

function spaceOnly(kind: Shift['kind'], space: string): Shift | undefined {
  return /^[ \t]*$/.test(space) ? { kind, space } : undefined;
}

/** Undefined if a line has less indentation than would have to go. */
function moveLines(text: string, { kind, space }: Shift): string | undefined {
  const moved: string[] = [];
  for (const line of text.split('\n')) {
    if (line.trim() === '') moved.push(line);
    else if (kind === 'added') moved.push(space + line);
    else if (line.startsWith(space)) moved.push(line.slice(space.length));
    else return undefined;
  }
  return moved.join('\n');
}
