/**
 * The specifier of a file rule: a gitignore pattern with an anchor. `//x` from the root of the file system, `~/x` from home,
 * `/x` from the folder of the settings, `./x` from where the session began. Without an anchor a bare name matches at any
 * depth; a path does so in deny and ask, where matching more is safer, and not in allow.
 */
import path from 'node:path';
import { literalSegments, lowered, meet, type Segment, segmentsOf } from '../paths/segments.ts';
import { escapeRegExp } from './wildcard.ts';

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
  /** The regular expression behind it, to be joined with others. */
  readonly source: string;
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
  const source = folders.map(folderSource).join('|');
  const middle = anyDepth ? '(?:[^/]+/)*' : '';
  const flags = anchors.foldsCase && list === 'deny' ? 'i' : '';
  const pattern = new RegExp(`^(?:${source})${middle}${bodySource(segments, list)}$`, flags);
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
    matches: (file) => pattern.test(file),
    source: pattern.source,
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

function folderSource(folder: string): string {
  return folder === '/' ? '\\/' : `${escapeRegExp(folder.replace(/\/+$/, ''))}(?:\\/|$)`;
}

/**
 * A folder that matches carries everything in it. In an allow rule only one named in full does: `src/*` means the files of
 * src and not what lies deeper.
 */
function bodySource(segments: readonly string[], list: 'allow' | 'deny'): string {
  if (segments.length === 0) return '.*';
  let source = '';
  segments.forEach((segment, index) => {
    const last = index === segments.length - 1;
    if (segment === '**') {
      if (!last) source += '(?:[^/]+/)*';
      else if (list === 'deny' && index > 0) source = `${source.replace(/\\\/$/, '')}(?:\\/.*)?`;
      else source += '.+';
      return;
    }
    source += segmentSource(segment);
    if (!last) source += '\\/';
    else if (list === 'deny' || !/[*?[]/.test(segment)) source += '(?:\\/.*)?';
  });
  return source;
}

function segmentSource(segment: string): string {
  return segment.replace(/\\([\s\S])|\*+|\?|\[(!|\^)?([^\]]+)\]|[\s\S]/g, (piece, escaped, not, set) => {
    if (typeof escaped === 'string') return escapeRegExp(escaped);
    if (piece.startsWith('*')) return '[^/]*';
    if (piece === '?') return '[^/]';
    if (typeof set === 'string')
      return `[${typeof not === 'string' ? '^' : ''}${set.replace(/[\\[\]^]/g, '\\$&')}]`;
    return escapeRegExp(piece);
  });
}

function firstWildcard(segments: readonly string[]): number {
  const at = segments.findIndex((segment) => /[*?[]/.test(segment));
  return at < 0 ? segments.length : at;
}
