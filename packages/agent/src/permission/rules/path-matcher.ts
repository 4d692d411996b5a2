/**
 * Matches paths against gitignore patterns, name by name. The time is bounded by the length of the path times the length of
 * the pattern: no pattern makes it backtrack further than to its last wildcard.
 */
import type { Matcher } from './wildcard.ts';

/** What may follow the last name of a pattern: nothing, anything below it, or at least one more name. */
export type PathTail = 'nothing' | 'anything' | 'more';

/** `names`: patterns of single names; `**` stands for any number of names. */
export function pathMatcher(
  names: readonly string[],
  tail: PathTail,
  foldsCase: boolean,
): (path: readonly string[]) => boolean {
  const runs: Matcher[][] = [[]];
  for (const name of names) {
    if (name === '**') runs.push([]);
    else runs.at(-1)?.push(nameMatcher(name, foldsCase));
  }
  const [first = [], ...others] = runs;
  return (path) => {
    if (!matchesAt(first, path, 0)) return false;
    const last = others.at(-1);
    let at = first.length;
    for (const run of others) {
      const isAtEnd = run === last && tail === 'nothing';
      // The earliest place is always the best one: it leaves the most names for what follows.
      const found = isAtEnd ? Math.max(at, path.length - run.length) : indexOfRun(run, path, at);
      if (found < 0 || !matchesAt(run, path, found)) return false;
      at = found + run.length;
    }
    if (tail === 'nothing') return at === path.length;
    return tail === 'anything' || at < path.length;
  };
}

function indexOfRun(run: readonly Matcher[], path: readonly string[], from: number): number {
  for (let at = from; at + run.length <= path.length; at++) if (matchesAt(run, path, at)) return at;
  return -1;
}

function matchesAt(run: readonly Matcher[], path: readonly string[], at: number): boolean {
  return run.every((matches, index) => {
    const name = path[at + index];
    return name !== undefined && matches(name);
  });
}

type Token =
  | { readonly kind: 'letter'; readonly letter: string }
  | { readonly kind: 'set'; readonly has: RegExp }
  | { readonly kind: 'one' | 'many' };

/** A single name: `*`, `?`, `[a-z]`, and a backslash before a letter that means itself. */
function nameMatcher(pattern: string, foldsCase: boolean): Matcher {
  const tokens = tokensOf(pattern, foldsCase);
  const fold = (name: string): string => (foldsCase ? name.toLowerCase() : name);
  const letters = tokens.flatMap((token) => (token.kind === 'letter' ? [token.letter] : []));
  if (letters.length < tokens.length) return (name) => matchesTokens(tokens, fold(name));
  const literal = letters.join('');
  return (name) => fold(name) === literal;
}

function tokensOf(pattern: string, foldsCase: boolean): Token[] {
  const lastClose = pattern.lastIndexOf(']');
  const tokens: Token[] = [];
  const piece = /\\([\s\S])|\*+|\?|\[([!^]?)([^\]]+)\]|[\s\S]/y;
  for (let at = 0; at < pattern.length; ) {
    // A bracket that is never closed is a letter. Looking for its end each time would make the reading quadratic.
    const isOpen = pattern[at] === '[' && at > lastClose;
    piece.lastIndex = at;
    const [text = '', escaped, not = '', set] = isOpen ? ['['] : (piece.exec(pattern) ?? []);
    at += Math.max(text.length, 1);
    if (text.startsWith('*')) tokens.push({ kind: 'many' });
    else if (text === '?') tokens.push({ kind: 'one' });
    else if (set !== undefined) tokens.push({ kind: 'set', has: letterSet(not, set, foldsCase) });
    else {
      const letter = escaped ?? text;
      tokens.push({ kind: 'letter', letter: foldsCase ? letter.toLowerCase() : letter });
    }
  }
  return tokens;
}

function letterSet(not: string, set: string, foldsCase: boolean): RegExp {
  const flags = foldsCase ? 'i' : '';
  const source = (inside: string): string => `^[${not === '' ? '' : '^'}${inside}]$`;
  const escaped = set.replace(/[\\[\]^]/g, '\\$&');
  try {
    return new RegExp(source(escaped), flags);
  } catch {
    // A range that ends before it begins: its letters count, the dash is one of them.
    return new RegExp(source(escaped.replaceAll('-', '\\-')), flags);
  }
}

function matchesTokens(tokens: readonly Token[], name: string): boolean {
  let [at, token] = [0, 0];
  let retry: { readonly token: number; at: number } | undefined;
  while (at < name.length) {
    const expected = tokens[token];
    if (expected?.kind === 'many') {
      retry = { token: ++token, at };
    } else if (expected !== undefined && isMatch(expected, name[at] ?? '')) {
      at++;
      token++;
    } else if (retry) {
      // Only the last star is ever extended: an earlier one could reach no further.
      at = ++retry.at;
      token = retry.token;
    } else return false;
  }
  return tokens.slice(token).every(({ kind }) => kind === 'many');
}

function isMatch(token: Token, letter: string): boolean {
  switch (token.kind) {
    case 'letter':
      return token.letter === letter;
    case 'set':
      return token.has.test(letter);
    case 'one':
    case 'many':
      return true;
  }
}
