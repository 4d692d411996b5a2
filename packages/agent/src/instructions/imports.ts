/** `@path` imports in instruction files. */
import os from 'node:os';
import path from 'node:path';

interface ImportedText {
  readonly file: string;
  readonly text: string;
}

export interface ImportDeps {
  /** Returns whether the path is a file that may be looked at. It is not opened. */
  readonly isFile: (file: string) => boolean;
  /** The text of a file; undefined if it is absent or not text. */
  readonly read: (file: string) => string | undefined;
  /**
   * Why a file may not be imported by another: text of a project must not put the user's private files before the model.
   * Undefined: it may.
   */
  readonly problemOf: (file: string, from: string) => string | undefined;
}

export interface ResolvedImports {
  /** In the order of their mention; each file once. */
  readonly imported: readonly ImportedText[];
  readonly problems: readonly string[];
}

/** A file may import another, up to this many hops from the file that the user wrote. */
const MAX_HOPS = 4;

/** Follows the imports of a file. A cycle ends at the file that was seen before. */
export function resolveImports(file: string, text: string, deps: ImportDeps): ResolvedImports {
  const imported: ImportedText[] = [];
  const problems: string[] = [];
  const seen = new Set([file]);
  const follow = (from: string, source: string, hops: number): void => {
    for (const mention of importsIn(source)) {
      const target = resolveImport(mention, from);
      if (seen.has(target)) continue;
      if (hops > MAX_HOPS) {
        problems.push(`${from}: @${mention} is more than ${MAX_HOPS} imports deep, ignored.`);
        continue;
      }
      // A mention of a user or a package looks like an import; only a path that exists is one.
      if (!deps.isFile(target)) continue;
      const problem = deps.problemOf(target, from);
      if (problem !== undefined) {
        problems.push(`${from}: @${mention} ${problem}`);
        continue;
      }
      const content = deps.read(target);
      if (content === undefined) continue;
      seen.add(target);
      imported.push({ file: target, text: content });
      follow(target, content, hops + 1);
    }
  };
  follow(file, text, 1);
  return { imported, problems };
}

function resolveImport(mention: string, from: string): string {
  if (mention.startsWith('~/')) return path.join(os.homedir(), mention.slice(2));
  return path.resolve(path.dirname(from), mention);
}

const IMPORT = /(?:^|[\s(])@((?:\\ |[^\s`*"'()<>|])+)/g;

/** The paths that a text imports. Code spans and code blocks are left out. */
export function importsIn(text: string): readonly string[] {
  return [...withoutCode(text).matchAll(IMPORT)]
    .map(([, mention = '']) => mention.replace(/(?<![.,;:!?])[.,;:!?]+$/, '').replaceAll('\\ ', ' '))
    .filter((mention) => mention !== '');
}

function withoutCode(text: string): string {
  let fence: string | undefined;
  const outside = text.split('\n').filter((line) => {
    const [, marker] = /^\s*(```+|~~~+)/.exec(line) ?? [];
    if (fence === undefined) {
      fence = marker;
      return marker === undefined;
    }
    if (marker?.startsWith(fence) === true) fence = undefined;
    return false;
  });
  return withoutSpans(outside.join('\n'));
}

/** Replaces code spans. A span ends with as many backticks as it begins with. */
function withoutSpans(text: string): string {
  const runs = Array.from(text.matchAll(/`+/g), ({ 0: { length }, index }) => ({ start: index, length }));
  const ends = new Map<number, number[]>();
  for (const { start, length } of runs.toReversed()) {
    const all = ends.get(length) ?? [];
    all.push(start);
    ends.set(length, all);
  }
  const kept: string[] = [];
  let at = 0;
  for (const { start, length } of runs) {
    const later = ends.get(length);
    later?.pop();
    const end = later?.at(-1);
    if (start < at || end === undefined) continue;
    kept.push(text.slice(at, start));
    at = end + length;
  }
  return [...kept, text.slice(at)].join(' ');
}

/** Block comments are notes to people. Those inside code blocks are code. */
export function withoutComments(text: string): string {
  const lines = text.split(/(?<=\n)/);
  const parts: string[] = [];
  let from = 0;
  const lastEnd = lines.findLastIndex((line) => /^\s*(?:```|~~~)\s*$/.test(line));
  for (let at = 0; at < lastEnd; at++) {
    if (!/^\s*(?:```|~~~)/.test(lines[at] ?? '')) continue;
    parts.push(withoutCommentsOutside(lines.slice(from, at).join('')));
    from = at;
    do at++;
    while (!/^\s*(?:```|~~~)\s*$/.test(lines[at] ?? ''));
    parts.push(lines.slice(from, at + 1).join(''));
    from = at + 1;
  }
  return [...parts, withoutCommentsOutside(lines.slice(from).join(''))].join('');
}

function withoutCommentsOutside(text: string): string {
  // A comment without an end is matched as a whole, so that the end is searched only once.
  return text.replace(/^[ \t]*<!--(?:[\s\S]*?(-->)[ \t]*\n?|[\s\S]*)/gm, (all, end?: string) =>
    end === undefined ? all : '',
  );
}
