/**
 * Matches paths against parsed globs, without backtracking further than to the last wildcard. So the time is bounded by
 * the length of the pattern times the length of the path.
 */
import type { GlobSegment, NamePattern, NameToken } from './glob-syntax.ts';

/** The names of a path, from the folder of the pattern. */
export type PathMatcher = (names: readonly string[]) => boolean;

type NameMatcher = (name: string) => boolean;

/** As in an ignore file, `**` at the end matches the contents of a folder, but not the folder itself. */
export function pathMatcher(segments: readonly GlobSegment[]): PathMatcher {
  const runs: NameMatcher[][] = [[]];
  for (const segment of segments) {
    if (segment === '**') runs.push([]);
    else runs.at(-1)?.push(nameMatcher(segment));
  }
  const [first = [], ...others] = runs;
  const last = others.pop();
  if (last === undefined) return (names) => names.length === first.length && matchesAt(first, names, 0);
  const needsMore = last.length === 0 ? 1 : 0;
  return (names) => {
    const end = names.length - last.length;
    if (end < first.length || !matchesAt(first, names, 0) || !matchesAt(last, names, end)) return false;
    let at = first.length;
    for (const run of others) {
      // The earliest position is always the best one: it leaves the most names for the rest.
      const found = indexOfRun(run, names, at, end);
      if (found < 0) return false;
      at = found + run.length;
    }
    return at + needsMore <= end;
  };
}

function indexOfRun(
  run: readonly NameMatcher[],
  names: readonly string[],
  from: number,
  end: number,
): number {
  for (let at = from; at + run.length <= end; at++) if (matchesAt(run, names, at)) return at;
  return -1;
}

function matchesAt(run: readonly NameMatcher[], names: readonly string[], at: number): boolean {
  return run.every((matches, index) => {
    const name = names[at + index];
    return name !== undefined && matches(name);
  });
}

function nameMatcher(pattern: NamePattern): NameMatcher {
  const literal = textOf(pattern);
  if (literal !== undefined) return (name) => name === literal;
  const isStar = pattern.length === 1 && pattern[0]?.kind === 'many';
  if (isStar) return (name) => !isPlaceholder(name);
  const end = pattern[0]?.kind === 'many' ? textOf(pattern.slice(1)) : undefined;
  if (end !== undefined) return (name) => name.endsWith(end) && !isPlaceholder(name);
  return (name) => !isPlaceholder(name) && matchesTokens(pattern, name);
}

/** Wildcards match no empty name, and not the folder itself or the one above. */
function isPlaceholder(name: string): boolean {
  return name === '' || name === '.' || name === '..';
}

/** Returns the only text that a pattern matches. Undefined if there are others. */
function textOf(pattern: NamePattern): string | undefined {
  const letters = pattern.flatMap((token) => (token.kind === 'letter' ? [token.letter] : []));
  return letters.length === pattern.length ? letters.join('') : undefined;
}

function matchesTokens(pattern: NamePattern, name: string): boolean {
  let [at, token] = [0, 0];
  let retry: { readonly token: number; at: number } | undefined;
  while (at < name.length) {
    const expected = pattern[token];
    const code = name.codePointAt(at) ?? 0;
    if (expected?.kind === 'many') {
      retry = { token: ++token, at };
    } else if (expected !== undefined && matchesCode(expected, code)) {
      at += widthOf(code);
      token++;
    } else if (retry !== undefined) {
      // Only the last star is extended, because an earlier one could not reach further.
      retry.at += widthOf(name.codePointAt(retry.at) ?? 0);
      at = retry.at;
      token = retry.token;
    } else return false;
  }
  return pattern.slice(token).every(({ kind }) => kind === 'many');
}

function widthOf(code: number): number {
  return code > 0xffff ? 2 : 1;
}

function matchesCode(token: NameToken, code: number): boolean {
  switch (token.kind) {
    case 'letter':
      return token.letter.codePointAt(0) === code;
    case 'set':
      return token.ranges.some(([first, last]) => code >= first && code <= last) !== token.isNegated;
    case 'one':
    case 'many':
      return true;
  }
}
