/** Expands braces of a glob: `a{b,c{d,e}}` to `ab`, `acd`, `ace`, and `{1..3}` to `1`, `2`, `3`. */

/** The alternatives of one pattern. */
const MOST_ALTERNATIVES = 1_000;
/** The letters of all alternatives together. */
const MOST_LETTERS = 20_000;
/** Braces inside each other. */
const DEEPEST = 20;

interface Pair {
  readonly close: number;
  readonly commas: readonly number[];
}

/**
 * Braces without a comma or a range are letters. If there are too many alternatives, all braces are letters. So the time
 * and the result are bounded.
 */
export function expandBraces(pattern: string): readonly string[] {
  const pairs = pairsOf(pattern);
  return (pairs && expanded(pattern, pairs, 0, pattern.length)) ?? [pattern];
}

/** Returns the pairs by the position of their first brace. Undefined if they are too deep. */
function pairsOf(pattern: string): ReadonlyMap<number, Pair> | undefined {
  const pairs = new Map<number, Pair>();
  const open: { readonly at: number; readonly commas: number[] }[] = [];
  let isDeep = false;
  for (let at = 0; at < pattern.length; at++) {
    const letter = pattern[at];
    if (letter === '\\') at++;
    else if (letter === '{') open.push({ at, commas: [] });
    else if (letter === ',') open.at(-1)?.commas.push(at);
    else if (letter === '}') {
      isDeep ||= open.length > DEEPEST;
      const pair = open.pop();
      if (pair) pairs.set(pair.at, { close: at, commas: pair.commas });
    }
  }
  return isDeep ? undefined : pairs;
}

/** Returns undefined if there are too many alternatives. */
function expanded(
  pattern: string,
  pairs: ReadonlyMap<number, Pair>,
  from: number,
  end: number,
): readonly string[] | undefined {
  let results: readonly string[] = [''];
  let written = from;
  for (let at = from; at < end; at++) {
    if (pattern[at] === '\\') at++;
    const pair = pattern[at] === '{' ? pairs.get(at) : undefined;
    if (pair === undefined) continue;
    const choices = choicesOf(pattern, pairs, at, pair);
    if (choices === undefined) return undefined;
    results = product(results, [pattern.slice(written, at)]);
    if (!isBounded(results, choices)) return undefined;
    results = product(results, choices);
    at = pair.close;
    written = at + 1;
  }
  const rest = [pattern.slice(written, end)];
  return isBounded(results, rest) ? product(results, rest) : undefined;
}

function choicesOf(
  pattern: string,
  pairs: ReadonlyMap<number, Pair>,
  open: number,
  { close, commas }: Pair,
): readonly string[] | undefined {
  if (commas.length === 0) {
    const range = rangeOf(pattern.slice(open + 1, close));
    if (range !== undefined) return range;
    const inside = expanded(pattern, pairs, open + 1, close);
    return inside?.map((text) => `{${text}}`);
  }
  const choices: string[] = [];
  let letters = 0;
  for (const [index, start] of [open, ...commas].entries()) {
    const more = expanded(pattern, pairs, start + 1, commas[index] ?? close);
    if (more === undefined) return undefined;
    choices.push(...more);
    letters += lettersOf(more);
    if (choices.length > MOST_ALTERNATIVES || letters > MOST_LETTERS) return undefined;
  }
  return choices;
}

function product(starts: readonly string[], ends: readonly string[]): readonly string[] {
  return starts.flatMap((start) => ends.map((end) => start + end));
}

function isBounded(starts: readonly string[], ends: readonly string[]): boolean {
  const count = starts.length * ends.length;
  const letters = lettersOf(starts) * ends.length + lettersOf(ends) * starts.length;
  return count === 1 || (count <= MOST_ALTERNATIVES && letters <= MOST_LETTERS);
}

function lettersOf(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + text.length, 0);
}

/** Returns undefined if the text is not a range of numbers or letters, or a very long one. */
function rangeOf(text: string): readonly string[] | undefined {
  const [, first, last] = /^(-?\d{1,9}|[a-zA-Z])\.\.(-?\d{1,9}|[a-zA-Z])$/.exec(text) ?? [];
  if (first === undefined || last === undefined) return undefined;
  const isNumber = /\d/.test(first);
  if (isNumber !== /\d/.test(last)) return undefined;
  const [from, to] = isNumber ? [Number(first), Number(last)] : [first.charCodeAt(0), last.charCodeAt(0)];
  const count = Math.abs(to - from) + 1;
  if (count > MOST_ALTERNATIVES) return undefined;
  const step = to < from ? -1 : 1;
  return Array.from({ length: count }, (_, index) => {
    const value = from + index * step;
    return isNumber ? String(value) : String.fromCharCode(value);
  });
}
