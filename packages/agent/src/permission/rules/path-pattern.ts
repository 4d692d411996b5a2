/**
 * The specifier of a file rule: a gitignore pattern with an anchor. `//x` starts at the root of the file system, `~/x`
 * in the home folder, `/x` in the folder of the settings, `./x` in the start folder of the session. Without an anchor,
 * a bare name matches at any depth. A path without an anchor does so only in deny and ask, where matching more is
 * safer.
 */
import path from 'node:path';
import {
  literalSegments,
  lowerCaseSegments,
  segmentsMeet,
  type Segment,
  segmentsOf,
} from '../paths/segments.ts';
import { isAtOrBelow, once } from '../paths/places.ts';
import type { Matcher } from './wildcard.ts';

export interface Anchors {
  /** The start folder of the session, as written and with links resolved. For rules that forbid, also that of the project's settings. */
  readonly roots: readonly string[];
  /** The other working directories. */
  readonly others: readonly string[];
  readonly homes: readonly string[];
  /** The folders that a leading `/` refers to. */
  readonly bases: readonly string[];
  readonly foldsCase: boolean;
}

export interface PathPattern {
  matches(path: string): boolean;
  /** A name that every matching path contains, folded for comparison. Empty if there is none. */
  readonly needle: string;
  /** A part of a name that every matching path contains, folded for comparison. */
  readonly text: string;
  /**
   * Returns whether the pattern and a glob can match the same path. `sample` compares only one path of the pattern,
   * with its wildcards filled.
   */
  meets(glob: readonly Segment[], hidden: boolean, which: 'sample' | 'any'): boolean;
  /** The only files or folders in `folder` that the pattern matches. Empty if there may be others, or none. */
  within(folder: string): readonly string[];
  /** Returns whether a large folder may contain a match: a place of the pattern that exists, or a whole folder of the pattern. */
  mayFill(folder: string, exists: (path: string) => boolean): boolean;
  /** The pattern starts with a wildcard, so its matches may be in any folder. */
  readonly anywhere: boolean;
  /** Matches may be at any depth, or have any name. */
  readonly isSpread: boolean;
  /** Every match is a hidden file, or in a hidden folder. */
  readonly isHidden: boolean;
  /** The pattern of the last name. Empty if there is none. */
  readonly lastName: string;
  /** The pattern from the root of the file system, for programs that support such patterns. */
  readonly globs: readonly string[];
}

export function pathPattern(specifier: string, list: 'allow' | 'deny', anchors: Anchors): PathPattern {
  return anchoredPattern(anchored(specifier, list, anchors), list, anchors);
}

/** A pattern below some folders. */
export interface AnchoredPattern {
  readonly folders: readonly string[];
  readonly rest: string;
  readonly anyDepth: boolean;
}

/** Returns the names of a pattern below its folders. */
export function segmentsOfPattern({ rest }: AnchoredPattern): readonly string[] {
  return (
    rest
      .split('/')
      .filter((segment) => segment !== '' && segment !== '.')
      // Repeated `**` segments are equal to one.
      .filter((segment, index, all) => segment !== '**' || all[index - 1] !== '**')
  );
}

export function anchoredPattern(
  given: AnchoredPattern,
  list: 'allow' | 'deny',
  anchors: Pick<Anchors, 'foldsCase'>,
): PathPattern {
  const { folders, rest, anyDepth } = given;
  const segments = segmentsOfPattern(given);
  const foldsCase = anchors.foldsCase && list === 'deny';
  const { names, tail } = shapeOf(segments, list);
  const matchesNames = pathMatcher([...(anyDepth ? ['**'] : []), ...names], tail, foldsCase);
  const foldedDeny = (text: string) => (foldsCase ? text.toLowerCase() : text);
  const bases = folders.map((from) => foldedDeny(from.replace(/(?<!\/)\/+$/, '')));
  // Most paths do not contain the longest name of a rule, and this is the fastest test.
  const needle = foldedDeny(names.flatMap((name) => literalName(name) ?? []).reduce(longer, ''));
  const text = foldedDeny(names.flatMap(fixedTexts).reduce(longer, ''));
  const literal = literalStart(segments);
  const folded = (text: string) => (anchors.foldsCase ? text.toLowerCase() : text);
  const sampled = segments.map((segment) => segment.replace(/\*+|\?/g, 'x'));
  // Computed late, because most rules are never compared with a glob. A matching folder includes its contents.
  const shapes = once((): { readonly samples: Segment[][]; readonly all: Segment[][] } => ({
    samples: folders.map((from) => literalSegments(folded(path.posix.join(from, ...sampled)))),
    all: folders.map((from) => [
      ...literalSegments(folded(from)),
      ...(anyDepth ? (['**'] as const) : []),
      ...segmentsOf(folded(rest), true),
      '**',
    ]),
  }));
  const isSpread = anyDepth || literal.length === 0;
  const within = (outer: string): readonly string[] => {
    if (literal.length === 0) return [];
    return (anyDepth ? [outer, ...folders] : folders)
      .map((from) => path.posix.join(from, ...literal))
      .filter((inner) => inner.startsWith(outer === '/' ? outer : `${outer}/`));
  };
  return {
    needle,
    text,
    matches(file) {
      const written = foldedDeny(file);
      if (!written.includes(text)) return false;
      return bases.some(
        (base) =>
          (written === base || written.startsWith(`${base}/`)) &&
          matchesNames(namesAfter(written, base.length)),
      );
    },
    meets(written, hidden, which) {
      const glob = anchors.foldsCase ? lowerCaseSegments(written) : written;
      const { samples, all } = shapes();
      return (which === 'sample' ? samples : all).some((shape) => segmentsMeet(glob, shape, hidden));
    },
    within,
    mayFill(folder, exists) {
      const isAbove = (from: string): boolean => isAtOrBelow(path.posix.dirname(from), folder);
      return within(folder).some(exists) || (isSpread && folders.some(isAbove));
    },
    anywhere: literal.length === 0,
    isSpread,
    isHidden: names.some((name) => name.startsWith('.')),
    lastName: names.at(-1) ?? '',
    globs: folders.map((from) =>
      path.posix.join(
        from,
        ...(anyDepth ? ['**'] : []),
        ...(list === 'deny' ? segments.map(asGlob) : segments),
      ),
    ),
  };
}

export function anchored(specifier: string, list: 'allow' | 'deny', anchors: Anchors): AnchoredPattern {
  const written = withAnchor(specifier, list, anchors);
  return list === 'deny' ? withoutParents(written) : written;
}

/** Resolves `..` behind other names: `docs/../.env`. No path contains it, so the pattern would match nothing. */
function withoutParents(written: AnchoredPattern): AnchoredPattern {
  let { folders } = written;
  const names: string[] = [];
  for (const name of written.rest.replace(/(?<=^|\/)(?:\.?\/)+/g, '').split('/')) {
    const before = names.at(-1);
    if (name !== '..') names.push(name);
    else if (before !== undefined && !/[*?[\]\\]/.test(before)) names.pop();
    else if (before === undefined && !written.anyDepth)
      folders = folders.map((folder) => path.posix.join(folder, '..'));
    else return written;
  }
  return { ...written, folders, rest: names.join('/') };
}

function withAnchor(
  specifier: string,
  list: 'allow' | 'deny',
  { roots, others, homes, bases }: Anchors,
): AnchoredPattern {
  const fixed = (folders: readonly string[], rest: string) => ({ folders, rest, anyDepth: false });
  if (specifier.startsWith('//')) return fixed(['/'], specifier.slice(2));
  if (specifier === '~' || specifier.startsWith('~/')) return fixed(homes, specifier.slice(2));
  if (specifier.startsWith('/')) return fixed(bases, specifier.slice(1));
  if (specifier.startsWith('./')) return fixed(roots, specifier.slice(2));
  if (specifier.startsWith('../')) {
    const up = /^(?:\.\.\/)+/.exec(specifier)?.[0] ?? '';
    return fixed(
      roots.map((root) => path.posix.resolve(root, up)),
      specifier.slice(up.length),
    );
  }
  const bareName = !specifier.replace(/\/$/, '').includes('/');
  if (bareName || list === 'deny') return { folders: [...roots, ...others], rest: specifier, anyDepth: true };
  return fixed(roots, specifier);
}

function longer(one: string, other: string): string {
  return other.length > one.length ? other : one;
}

/** Returns texts that every name matching a pattern contains. */
function fixedTexts(name: string): readonly string[] {
  // After a set of letters or an escape, a text may mean something else.
  const [before = ''] = name.split(/[[\\]/, 1);
  return before.split(/[*?]/);
}

let lastNames:
  | { readonly file: string; readonly from: number; readonly names: readonly string[] }
  | undefined;

/** Returns the names of a path after a position. One path is compared with many rules, so the last result is kept. */
function namesAfter(file: string, from: number): readonly string[] {
  if (lastNames?.file !== file || lastNames.from !== from) {
    const names = file
      .slice(from)
      .split('/')
      .filter((name) => name !== '');
    lastNames = { file, from, names };
  }
  return lastNames.names;
}

/**
 * A matching folder includes its contents. In an allow rule, only a folder without wildcards does: `src/*` matches the
 * files of src, but no deeper ones.
 */
function shapeOf(
  segments: readonly string[],
  list: 'allow' | 'deny',
): { readonly names: readonly string[]; readonly tail: PathTail } {
  const last = segments.at(-1);
  if (last === undefined) return { names: [], tail: 'anything' };
  if (last !== '**') {
    return { names: segments, tail: list === 'deny' || !/[*?[]/.test(last) ? 'anything' : 'nothing' };
  }
  const isFolderMeant = list === 'deny' && segments.length > 1;
  return { names: segments.slice(0, -1), tail: isFolderMeant ? 'anything' : 'more' };
}

/** Returns the names before the first wildcard. */
export function literalStart(segments: readonly string[]): readonly string[] {
  const names = segments.map(literalName);
  const at = names.indexOf(undefined);
  return names.slice(0, at < 0 ? undefined : at).map((name) => name ?? '');
}

/** Returns the only name that a pattern matches. Undefined if there are others. */
function literalName(pattern: string): string | undefined {
  const isLiteral = /^(?:[^*?[\\]|\\[\s\S]?)*$/.test(pattern);
  return isLiteral ? pattern.replace(/\\([\s\S])/g, '$1') : undefined;
}

/** Writes a name for programs in whose patterns a backslash is a letter. */
function asGlob(name: string): string {
  return name.replace(/\\([\s\S])/g, (_, letter: string) => (/[*?[]/.test(letter) ? `[${letter}]` : letter));
}

/*
 * The matcher compares a path with a gitignore pattern, name by name. It never backtracks further than to the last
 * wildcard, so its time is bounded by the length of the path times the length of the pattern.
 */

/** The allowed rest after the last name of a pattern: nothing, anything below, or at least one more name. */
type PathTail = 'nothing' | 'anything' | 'more';

/** `names` are patterns of single names. `**` matches any number of names. */
function pathMatcher(
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
      // The earliest position is always the best one: it leaves the most names for the rest.
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

/** Matches a single name: `*`, `?`, `[a-z]`, and a backslash before a literal character. */
export function nameMatcher(pattern: string, foldsCase: boolean): Matcher {
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
    // A bracket without an end is a letter. Searching for its end each time would take quadratic time.
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
    // The range ends before it begins. Its letters count, and the dash is one of them.
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
      // Only the last star is extended, because an earlier one could not reach further.
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
