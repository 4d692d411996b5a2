/** The dependencies of the search tools. */
import { errorCode, type ToolUseContext } from '@heddle/core';
import { statSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setImmediate as breathe } from 'node:timers/promises';
import { waitOrInterrupt } from '../files/abort.ts';
import { fileError } from '../files/errors.ts';
import { permittedPlace, resolvePath } from '../files/path.ts';
import { pinFile } from '../files/pinned.ts';
import { findEngine } from './ripgrep.ts';
import type { SearchEngine } from './query.ts';

export interface SearchDeps {
  /** Ripgrep if it is available. */
  readonly engine: () => Promise<SearchEngine>;
  /** For short-lived files. */
  readonly folder: string;
  /** The time limit of a search. */
  readonly timeoutMs: number;
}

export function searchDeps(given: Partial<SearchDeps> = {}): SearchDeps {
  return { engine: findEngine, folder: os.tmpdir(), timeoutMs: 60_000, ...given };
}

/**
 * Returns paths below the target's root. No engine follows links below it, but the root itself may be
 * reached through links.
 */
export async function relativeNames(
  { root, file, written }: Target,
  { deniedFiles }: ToolUseContext,
): Promise<(name: string) => boolean> {
  const isDenied = await deniedFiles?.();
  if (!isDenied) return () => true;
  return (name) =>
    !isDenied(`${root}/${name}`) && !isDenied(file === undefined ? `${written}/${name}` : written);
}

interface Target {
  /** A folder with every link followed. */
  readonly root: string;
  /** One file in it. */
  readonly file: string | undefined;
  /** The absolute path as written: the folder, or the file. */
  readonly written: string;
  /** Formats a path below the root so that it is valid from the working directory. */
  shown(name: string): string;
}

export function targetOf(given: string | undefined, context: ToolUseContext): Target {
  const { workingDirectory } = context;
  const written = resolvePath(given ?? '.', workingDirectory);
  const real = permittedPlace(given ?? '.', context);
  const kind = kindOf(real);
  if (kind === 'none')
    throw new Error(`${written} does not exist. The working directory is ${workingDirectory}.`);
  if (kind === 'other') throw new Error(`${written} is neither a file nor a folder.`);
  if (kind === 'file') {
    const name = shownFrom(workingDirectory, path.dirname(written)) + path.basename(written);
    return { root: path.dirname(real), file: path.basename(real), written, shown: () => name };
  }
  const prefix = shownFrom(workingDirectory, written);
  return { root: real, file: undefined, written, shown: (name) => prefix + name };
}

function kindOf(real: string): 'file' | 'folder' | 'other' | 'none' {
  try {
    const pinned = pinFile(real);
    const { about } = pinned;
    pinned.close();
    return about.isDirectory() ? 'folder' : about.isFile() ? 'file' : 'other';
  } catch (thrown) {
    if (errorCode(thrown) === undefined) throw thrown;
    if (errorCode(thrown) === 'ENOTDIR') throw fileError('cannot be reached', real, thrown);
    return 'none';
  }
}

/** Relative below the working directory, absolute elsewhere. */
function shownFrom(workingDirectory: string, folder: string): string {
  const inside = path.relative(workingDirectory, folder);
  const isBelow = !inside.startsWith('..') && !path.isAbsolute(inside);
  return isBelow ? inside && `${inside}/` : `${folder}/`;
}

/** `search` gets a signal that aborts with the call, or at the time limit. */
export async function withTimeLimit<T>(
  limitMs: number,
  signal: AbortSignal,
  search: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const limit = AbortSignal.timeout(limitMs);
  const either = AbortSignal.any([signal, limit]);
  try {
    return await waitOrInterrupt(search(either), either);
  } catch (thrown) {
    signal.throwIfAborted();
    if (!limit.aborted) throw thrown;
    throw new Error(
      `The search was ended after ${limitMs / 1000} seconds. Search in a smaller folder, or for fewer files.`,
      { cause: thrown },
    );
  }
}
/** The shared traits of the search tools. */
export const SEARCH_TOOL_TRAITS = {
  isReadOnly: () => true,
  leavesOutDenied: true,
  isConcurrencySafe: () => true,
  maxResultSize: 30_000,
  compactable: true,
  interruptBehavior: 'cancel',
} as const;

/** The number of files that are checked before other work gets its turn. */
const AT_ONCE = 1_000;

export async function sortNewestFirst<Item>(
  items: readonly Item[],
  root: string,
  pathOf: (item: Item) => string,
  signal: AbortSignal,
): Promise<Item[]> {
  const dated: { item: Item; name: string; time: number }[] = [];
  for (const item of items) {
    const name = pathOf(item);
    // Synchronous: a promise for each file would take five times as long.
    dated.push({
      item,
      name,
      time: statSync(`${root}/${name}`, { throwIfNoEntry: false })?.mtimeMs ?? 0,
    });
    if (dated.length % AT_ONCE === 0) {
      await breathe();
      signal.throwIfAborted();
    }
  }
  dated.sort((left, right) => right.time - left.time || (left.name < right.name ? -1 : 1));
  return dated.map(({ item }) => item);
}
