/**
 * The specifier of a file rule: a gitignore pattern with an anchor. `//x` from the root of the file system, `~/x` from home,
 * `/x` from the folder of the settings, `./x` from where the session began. Without an anchor a bare name matches at any
 * depth; a path does so in deny and ask, where matching more is safer, and not in allow.
 */
import path from 'node:path';
import { literalSegments, lowered, meet, type Segment, segmentsOf } from '../paths/segments.ts';
import { type PathTail, pathMatcher } from './path-matcher.ts';

export interface Anchors {
  /** Where the session began: as it is called, and with symlinks resolved. */
  readonly roots: readonly string[];
  /** The other folders it works in. */
  readonly others: readonly string[];
  readonly homes: readonly string[];
  /** What a leading `/` means. */
  readonly bases: readonly string[];
  readonly foldsCase: boolean;
}

export interface PathPattern {
  matches(path: string): boolean;
  /** A name that every path it matches contains, as it is compared; empty where there is none. */
  readonly needle: string;
  /** Whether it and a glob can mean the same path. `sample`: one path of the rule's is enough, its wildcards filled. */
  meets(glob: readonly Segment[], hidden: boolean, which: 'sample' | 'any'): boolean;
  /** The first file or folder inside `folder` that it would match; undefined where there may be others, or none. */
  within(folder: string): string | undefined;
  /** It begins with a wildcard: what it matches may lie anywhere. */
  readonly anywhere: boolean;
  /** The same from the root of the file system, for programs that know such patterns. */
  readonly globs: readonly string[];
}

export function pathPattern(specifier: string, list: 'allow' | 'deny', anchors: Anchors): PathPattern {
  const { folders, rest, anyDepth } = anchored(specifier, list, anchors);
  const segments = rest
    .split('/')
    .filter((segment) => segment !== '' && segment !== '.')
    // Twice any number of names is any number of names.
    .filter((segment, index, all) => segment !== '**' || all[index - 1] !== '**');
  const foldsCase = anchors.foldsCase && list === 'deny';
  const { names, tail } = shapeOf(segments, list);
  const matchesNames = pathMatcher([...(anyDepth ? ['**'] : []), ...names], tail, foldsCase);
  const foldedDeny = (text: string) => (foldsCase ? text.toLowerCase() : text);
  const bases = folders.map((from) => foldedDeny(from.replace(/\/+$/, '')));
  // Most paths do not contain the longest name of a rule, and this is the fastest test.
  const needle = foldedDeny(names.filter((name) => !/[*?[\\]/.test(name)).reduce(longer, ''));
  const literal = segments.slice(0, firstWildcard(segments));
  const [folder = '/'] = folders;
  const folded = (text: string) => (anchors.foldsCase ? text.toLowerCase() : text);
  const sample = path.posix.join(folder, ...segments.map((segment) => segment.replace(/\*+|\?/g, 'x')));
  // Most rules never meet a glob. A folder that matches carries everything in it.
  const shapes = onceNeeded((): { readonly sample: Segment[]; readonly all: Segment[][] } => ({
    sample: literalSegments(folded(sample)),
    all: folders.map((from) => [
      ...literalSegments(folded(from)),
      ...(anyDepth ? (['**'] as const) : []),
      ...segmentsOf(folded(rest), true),
      '**',
    ]),
  }));
  return {
    needle,
    matches(file) {
      const written = foldedDeny(file);
      if (!written.includes(needle)) return false;
      return bases.some(
        (base) =>
          (written === base || written.startsWith(`${base}/`)) &&
          matchesNames(namesOf(written.slice(base.length))),
      );
    },
    meets(written, hidden, which) {
      const glob = anchors.foldsCase ? lowered(written) : written;
      if (which === 'sample') return meet(glob, shapes().sample, hidden);
      return shapes().all.some((shape) => meet(glob, shape, hidden));
    },
    within(outer) {
      if (literal.length === 0) return undefined;
      const inner = path.posix.join(anyDepth ? outer : folder, ...literal);
      return inner.startsWith(outer === '/' ? outer : `${outer}/`) ? inner : undefined;
    },
    anywhere: literal.length === 0,
    globs: folders.map((from) => path.posix.join(from, ...(anyDepth ? ['**'] : []), ...segments)),
  };
}

function onceNeeded<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

function anchored(
  specifier: string,
  list: 'allow' | 'deny',
  { roots, others, homes, bases }: Anchors,
): { readonly folders: readonly string[]; readonly rest: string; readonly anyDepth: boolean } {
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

function namesOf(file: string): string[] {
  return file.split('/').filter((name) => name !== '');
}

/**
 * A folder that matches carries everything in it. In an allow rule only one named in full does: `src/*` means the files of
 * src and not what lies deeper.
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

function firstWildcard(segments: readonly string[]): number {
  const at = segments.findIndex((segment) => /[*?[]/.test(segment));
  return at < 0 ? segments.length : at;
}
