/**
 * Parses globs for file names. Parentheses, `+`, `@` and `!` are letters, because names of files contain them:
 * `app/(group)/+page.ts`. Pure, and linear in the length of the pattern.
 */

/** A pattern for one name. */
export type NamePattern = readonly NameToken[];

export type NameToken =
  | { readonly kind: 'letter'; readonly letter: string }
  | { readonly kind: 'set'; readonly isNegated: boolean; readonly ranges: readonly Range[] }
  | { readonly kind: 'one' | 'many' };

/** The first and the last character, as code points. */
type Range = readonly [first: number, last: number];

/** `**` matches any number of names. */
export type GlobSegment = '**' | NamePattern;

/** `lenient`: a bracket without an end, and a backslash at the end, are letters. `git`: such a pattern matches nothing. */
export type GlobDialect = 'lenient' | 'git';

/** Returns the patterns of the names of a path, or undefined if the pattern can match nothing. Braces are letters. */
export function parseGlob(pattern: string, dialect: GlobDialect): readonly GlobSegment[] | undefined {
  const segments: GlobSegment[] = [];
  let name: NameToken[] = [];
  let isPlain = true;
  const endName = (): void => {
    segments.push(isPlain && isGlobstar(name) ? '**' : joinedStars(name));
    name = [];
    isPlain = true;
  };
  const reader = new SetReader(pattern);
  for (let at = 0; at < pattern.length; ) {
    let letter = letterAt(pattern, at);
    const set = letter === '[' ? reader.read(at) : undefined;
    if (set !== undefined) {
      if (set.ranges === undefined) return undefined;
      name.push({ kind: 'set', isNegated: set.isNegated, ranges: set.ranges });
      at = set.end;
      continue;
    }
    if (letter === '[' && dialect === 'git') return undefined;
    at += letter.length;
    if (letter === '/') endName();
    else if (letter === '*') name.push({ kind: 'many' });
    else if (letter === '?') name.push({ kind: 'one' });
    else {
      if (letter === '\\') {
        if (at < pattern.length) {
          letter = letterAt(pattern, at);
          at += letter.length;
        } else if (dialect === 'git') return undefined;
      }
      if (letter === '/') endName();
      else name.push({ kind: 'letter', letter });
    }
  }
  endName();
  return segments;
}

function isGlobstar(name: readonly NameToken[]): boolean {
  return name.length >= 2 && name.every(({ kind }) => kind === 'many');
}

function joinedStars(name: readonly NameToken[]): NamePattern {
  return name.filter(({ kind }, index) => kind !== 'many' || name[index - 1]?.kind !== 'many');
}

function letterAt(text: string, at: number): string {
  return String.fromCodePoint(text.codePointAt(at) ?? 0);
}

interface ParsedSet {
  readonly isNegated: boolean;
  /** Undefined if the set contains an unknown class such as `[:x:]`. */
  readonly ranges: readonly Range[] | undefined;
  readonly end: number;
}

/** Parses sets such as `[a-z]`, `[!x]`, `[]a]` and `[[:alpha:]_]`. */
class SetReader {
  readonly #pattern: string;
  /** A later set has no end either. Searching for it each time would take quadratic time. */
  #isUnclosed = false;

  constructor(pattern: string) {
    this.#pattern = pattern;
  }

  /** Returns undefined if the set at the bracket has no end. */
  read(start: number): ParsedSet | undefined {
    if (this.#isUnclosed) return undefined;
    const pattern = this.#pattern;
    const isNegated = pattern[start + 1] === '!' || pattern[start + 1] === '^';
    const first = start + (isNegated ? 2 : 1);
    const ranges: Range[] = [];
    let isKnown = true;
    for (let at = first; at < pattern.length; ) {
      if (pattern[at] === ']' && at > first) {
        return { isNegated, ranges: isKnown ? ranges : undefined, end: at + 1 };
      }
      const named = pattern[at] === '[' && pattern[at + 1] === ':' ? classAt(pattern, at) : undefined;
      if (named !== undefined) {
        const members = CLASSES.get(named);
        if (members === undefined) isKnown = false;
        else ranges.push(...members);
        at += named.length + 4;
        continue;
      }
      const from = elementAt(pattern, at);
      at = from.end;
      const isRange = pattern[at] === '-' && at + 1 < pattern.length && pattern[at + 1] !== ']';
      if (!isRange) {
        ranges.push([from.code, from.code]);
        continue;
      }
      const to = elementAt(pattern, at + 1);
      // As in git, a range that ends before it begins contains its first character.
      ranges.push([from.code, Math.max(from.code, to.code)]);
      at = to.end;
    }
    this.#isUnclosed = true;
    return undefined;
  }
}

function elementAt(pattern: string, at: number): { readonly code: number; readonly end: number } {
  const isEscaped = pattern[at] === '\\' && at + 1 < pattern.length;
  const code = pattern.codePointAt(isEscaped ? at + 1 : at) ?? 0;
  return { code, end: at + (isEscaped ? 1 : 0) + String.fromCodePoint(code).length };
}

/** No name of a class is longer. */
const LONGEST_CLASS = 16;

function classAt(pattern: string, at: number): string | undefined {
  const end = pattern.slice(at + 2, at + 2 + LONGEST_CLASS).indexOf(':]');
  const name = pattern.slice(at + 2, at + 2 + end);
  return end < 0 || name.includes(']') ? undefined : name;
}

function rangesOf(...pairs: readonly string[]): readonly Range[] {
  return pairs.map((pair) => [pair.charCodeAt(0), pair.charCodeAt(pair.length - 1)]);
}

const CLASSES: ReadonlyMap<string, readonly Range[]> = new Map([
  ['alnum', rangesOf('09', 'AZ', 'az')],
  ['alpha', rangesOf('AZ', 'az')],
  ['blank', rangesOf(' ', '\t')],
  ['cntrl', rangesOf('\0\x1f', '\x7f')],
  ['digit', rangesOf('09')],
  ['graph', rangesOf('!~')],
  ['lower', rangesOf('az')],
  ['print', rangesOf(' ~')],
  ['punct', rangesOf('!/', ':@', '[`', '{~')],
  ['space', rangesOf('\t\r', ' ')],
  ['upper', rangesOf('AZ')],
  ['xdigit', rangesOf('09', 'AF', 'af')],
]);
