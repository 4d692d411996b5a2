/**
 * Finds lines that a text contains with another indentation. Models often copy a block from memory with
 * one level more or less. If exactly one place has the same lines with one uniform shift, the edit is
 * shifted as well. Pure.
 */

export interface ShiftedEdit {
  /** The lines as they are in the text. */
  readonly oldText: string;
  readonly newText: string;
}

/** A shorter block, without white space, cannot identify a place. */
const LEAST_CHARACTERS = 6;

/** Line breaks are `\n` in all three. Returns undefined if no place matches, or several do. */
export function shiftedEdit(text: string, oldText: string, newText: string): ShiftedEdit | undefined {
  if (oldText.replaceAll(/\s/g, '').length < LEAST_CHARACTERS) return undefined;
  // A block that ends with a line break contains only whole lines.
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

/** The white space that every line has more, or less, than the block. */
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

/** Returns undefined if a line has less indentation than the shift removes. */
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
