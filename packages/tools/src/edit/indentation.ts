/**
 * Finds lines that a text contains with another indentation. Models often copy a block from memory with one level more or
 * less, or with spaces instead of tabs. If exactly one place has the same lines with one uniform difference, the new text
 * gets the indentation of that place. Pure.
 */

interface ShiftedEdit {
  /** The lines as they are in the text. */
  readonly oldText: string;
  readonly newText: string;
}

/** A shorter block, without white space, cannot identify a place. */
const LEAST_CHARACTERS = 6;

/** Line breaks are `\n` in all three. Returns undefined if no place matches, or several do. */
export function findShiftedEdit(text: string, oldText: string, newText: string): ShiftedEdit | undefined {
  if (oldText.replaceAll(/\s/g, '').length < LEAST_CHARACTERS) return undefined;
  // A block that ends with a line break contains only whole lines.
  const endsLine = oldText.endsWith('\n');
  const block = (endsLine ? oldText.slice(0, -1) : oldText).split('\n');
  const lines = text.split('\n');
  const first = block.findIndex((line) => line.trim() !== '');
  const wanted = block[first]?.trimStart();
  let found: { readonly at: number; readonly change: IndentChange } | undefined;
  for (let at = 0; at + block.length <= lines.length; at++) {
    if (lines[at + first]?.trimStart() !== wanted) continue;
    const change = changeBetween(block, lines.slice(at, at + block.length));
    if (!change) continue;
    if (found) return undefined;
    found = { at, change };
  }
  if (!found) return undefined;
  const moved = moveLines(newText, found.change);
  if (moved === undefined) return undefined;
  const end = endsLine ? '\n' : '';
  return { oldText: lines.slice(found.at, found.at + block.length).join('\n') + end, newText: moved };
}

/** Returns a line with the indentation of the place. Undefined if the difference does not apply to the line. */
type IndentChange = (line: string) => string | undefined;

function changeBetween(block: readonly string[], lines: readonly string[]): IndentChange | undefined {
  const pairs = block
    .map((given, index) => ({ given, line: lines[index] ?? '' }))
    .filter(({ given, line }) => given.trim() !== '' || line.trim() !== '');
  return shiftBetween(pairs) ?? tabChange(pairs);
}

/** A line that is not empty, as the model wrote it and as it is in the text. */
interface LinePair {
  readonly given: string;
  readonly line: string;
}

/** The text has the same white space more, or less, in front of every line. */
function shiftBetween(pairs: readonly LinePair[]): IndentChange | undefined {
  const [first] = pairs;
  if (!first) return undefined;
  const isMore = first.line.length > first.given.length;
  const extraOf = ({ given, line }: LinePair): string | undefined =>
    isMore ? spaceBefore(given, line) : spaceBefore(line, given);
  const space = extraOf(first);
  if (space === undefined || space === '') return undefined;
  if (pairs.some((pair) => extraOf(pair) !== space)) return undefined;
  if (isMore) return (line) => space + line;
  return (line) => (line.startsWith(space) ? line.slice(space.length) : undefined);
}

/** Returns the white space in front of `end`, or undefined if the line is not white space and `end`. */
function spaceBefore(end: string, line: string): string | undefined {
  if (!line.endsWith(end)) return undefined;
  const space = line.slice(0, line.length - end.length);
  return /^[ \t]*$/.test(space) ? space : undefined;
}

/** More spaces per level than this are not a level of indentation. */
const MOST_SPACES = 8;

/** One side has tabs, and the other side has the same number of spaces for each of them. */
function tabChange(pairs: readonly LinePair[]): IndentChange | undefined {
  const indents = pairs.map(({ given, line }) => ({ given: indentOf(given), line: indentOf(line) }));
  const isSame = indents.every(({ given, line }) => given && line && given.rest === line.rest);
  if (!isSame) return undefined;
  const given = indents.flatMap((pair) => pair.given ?? []);
  const inText = indents.flatMap((pair) => pair.line ?? []);
  if (given.every(({ tabs }) => tabs === 0)) {
    const width = spacesPerTab(inText, given);
    // Other remainders could be a level of indentation of their own.
    const remainders = new Set(inText.map(({ spaces }) => spaces));
    return width === undefined ? undefined : (line) => withTabs(line, width, remainders);
  }
  if (inText.some(({ tabs }) => tabs > 0)) return undefined;
  const width = spacesPerTab(given, inText);
  return width === undefined ? undefined : (line) => withSpaces(line, width);
}

/** Tabs, then spaces: for example the space in front of the star of a comment. */
interface Indent {
  readonly tabs: number;
  readonly spaces: number;
  readonly rest: string;
}

/** Returns undefined for spaces in front of tabs. */
function indentOf(line: string): Indent | undefined {
  const [, tabs = '', spaces = '', rest = ''] = /^(\t*)( *)(.*)$/s.exec(line) ?? [];
  return rest.startsWith('\t') ? undefined : { tabs: tabs.length, spaces: spaces.length, rest };
}

/** Returns the width of a tab with which all lines agree. */
function spacesPerTab(tabbed: readonly Indent[], spaced: readonly Indent[]): number | undefined {
  const at = tabbed.findIndex(({ tabs }) => tabs > 0);
  const [first, other] = [tabbed[at], spaced[at]];
  if (!first || !other) return undefined;
  const width = (other.spaces - first.spaces) / first.tabs;
  if (!Number.isInteger(width) || width < 1 || width > MOST_SPACES) return undefined;
  const agrees = tabbed.every(
    ({ tabs, spaces }, index) => spaced[index]?.spaces === tabs * width + spaces && spaces < width,
  );
  return agrees ? width : undefined;
}

function withTabs(line: string, width: number, remainders: ReadonlySet<number>): string | undefined {
  const indent = indentOf(line);
  if (!indent || indent.tabs > 0) return undefined;
  const { spaces, rest } = indent;
  const remainder = spaces % width;
  if (remainder > 0 && !remainders.has(remainder)) return undefined;
  return '\t'.repeat((spaces - remainder) / width) + ' '.repeat(remainder) + rest;
}

function withSpaces(line: string, width: number): string | undefined {
  const indent = indentOf(line);
  return indent && ' '.repeat(indent.tabs * width + indent.spaces) + indent.rest;
}

/** Returns undefined if the difference does not apply to one of the lines. */
function moveLines(text: string, change: IndentChange): string | undefined {
  const moved: string[] = [];
  for (const line of text.split('\n')) {
    const next = line.trim() === '' ? line : change(line);
    if (next === undefined) return undefined;
    moved.push(next);
  }
  return moved.join('\n');
}
