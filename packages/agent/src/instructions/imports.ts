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
/** Files of one instruction file with its imports. */
const MAX_IMPORTED = 100;
/** Different mentions that are looked up. Most of them are names of users and packages. */
const MAX_MENTIONS = 2_000;

/** Follows the imports of a file. A cycle ends at the file that was seen before. */
export function resolveImports(file: string, text: string, deps: ImportDeps): ResolvedImports {
  const imported: ImportedText[] = [];
  const problems: string[] = [];
  const seen = new Set([file]);
  const mentioned = new Map<string, boolean>();
  const isFull = (): boolean => imported.length >= MAX_IMPORTED || mentioned.size >= MAX_MENTIONS;
  const report = (problem: string): void => {
    if (problems.length < MAX_IMPORTED) problems.push(problem);
  };
  const follow = (from: string, source: string, hops: number): void => {
    for (const mention of new Set(importsIn(source))) {
      const target = resolveImport(mention, from);
      if (seen.has(target)) continue;
      if (isFull()) return;
      if (hops > MAX_HOPS) {
        report(`${from}: @${mention} is more than ${MAX_HOPS} imports deep, ignored.`);
        continue;
      }
      // A mention of a user or a package looks like an import; only a path that exists is one.
      const isFile = mentioned.get(target) ?? deps.isFile(target);
      mentioned.set(target, isFile);
      if (!isFile) continue;
      const problem = deps.problemOf(target, from);
      if (problem !== undefined) {
        report(`${from}: @${mention} ${problem}`);
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
  if (isFull())
    problems.push(
      `${file}: only ${MAX_IMPORTED} imports and ${MAX_MENTIONS} mentions with @ are followed, the rest is ignored.`,
    );
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
    .map(([, mention = '']) => withoutSigns(mention).replaceAll('\\ ', ' '))
    .filter((mention) => mention !== '');
}

/** A loop, because an expression would start again at each sign of a long row. */
function withoutSigns(mention: string): string {
  let end = mention.length;
  while (end > 0 && '.,;:!?'.includes(mention.charAt(end - 1))) end--;
  return mention.slice(0, end);
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
  return withoutCodeSpans(outside.join('\n'));
}

/** A span ends at the next run with the same number of backticks. */
function withoutCodeSpans(text: string): string {
  const runs = [...text.matchAll(/`+/g)].map(({ 0: { length }, index }) => ({ length, index }));
  /** By length: the places that follow, the next one last. */
  const following = new Map<number, number[]>();
  for (const { length } of runs) following.set(length, []);
  for (const { length, index } of runs.toReversed()) following.get(length)?.push(index);
  let outside = '';
  let end = 0;
  for (const { length, index } of runs) {
    const places = following.get(length) ?? [];
    places.pop();
    const close = places.at(-1);
    if (index < end || close === undefined) continue;
    outside += `${text.slice(end, index)} `;
    end = close + length;
  }
  return outside + text.slice(end);
}

const FENCE_START = /^[ \t]*(?:```|~~~)/;
const FENCE_END = /^[ \t]*(?:```|~~~)[ \t]*\r?$/;

/** Block comments are notes to people. Those inside code blocks are code. */
export function withoutComments(text: string): string {
  const lines = text.split(/(?<=\n)/);
  const lastEnd = lines.findLastIndex((line) => FENCE_END.test(line.replace(/\n$/, '')));
  let outside = '';
  let result = '';
  let isInBlock = false;
  for (const [at, line] of lines.entries()) {
    const isEnd = FENCE_END.test(line.replace(/\n$/, ''));
    // A block without an end is text.
    const isStart: boolean = !isInBlock && at < lastEnd && FENCE_START.test(line);
    if (isStart) {
      result += withoutBlockComments(outside);
      outside = '';
    }
    if (isStart || isInBlock) result += line;
    else outside += line;
    isInBlock = isStart || (isInBlock && !isEnd);
  }
  return result + withoutBlockComments(outside);
}

function withoutBlockComments(text: string): string {
  // Without it, each start after the last end would be compared with the rest of the text.
  const end = text.lastIndexOf('-->') + 1;
  const closed = end === 0 ? 0 : text.indexOf('\n', end) + 1 || text.length;
  return text.slice(0, closed).replace(/^[ \t]*<!--[\s\S]*?-->[ \t]*\n?/gm, '') + text.slice(closed);
}
