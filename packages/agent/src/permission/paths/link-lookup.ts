/**
 * Follows links on this machine. One decision looks at many names in few folders, so a folder is listed once instead of
 * following each path from its root.
 */
import { type Dirent, lstatSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { errorCode } from '@heddle/core';
import {
  type FollowedPath,
  followPath,
  hasUnlistedForm,
  isLinkOfProcess,
  listedPaths,
  type NameAccess,
  realTarget,
  UnlistedNameError,
} from '@heddle/tools/files';
import { UNKNOWN_CHARACTER } from './places.ts';
import type { FolderEntry } from '../world.ts';

export interface LinkLookup {
  /** Resolves links like the file tools. Never throws: resolves as many segments as possible. */
  readonly realpath: (file: string) => string;
  /** Returns whether following a path passes a link of a process, directly or through other links. */
  readonly passesProcess: (file: string) => boolean;
  /** Returns whether a path cannot be followed to its end with certainty. */
  readonly isUnclear: (file: string) => boolean;
  /** Returns the places that texts of links on the way enter and leave again. */
  readonly leftByLinks: (file: string) => readonly string[];
  /** Returns the links on the way that the text of another link names. */
  readonly linksInTexts: (file: string) => readonly string[];
  /** Empty if there is no such folder, undefined if it cannot be read. */
  readonly entries: (folder: string) => readonly FolderEntry[] | undefined;
}

/** The number of names that are followed one by one, before their folders are listed: in one folder, and in all. */
const MOST_FOLLOWED = 8;
const MOST_FOLLOWED_IN_ALL = 64;

/**
 * `roots` are the working directories. Elsewhere a name can exist that no list contains, such as a thread in `/proc`. `processNames`
 * returns the names of a path below `/proc`, if it has others.
 */
export function createLinkLookup(
  roots: readonly string[],
  names?: NameAccess,
  processNames: (file: string) => readonly string[] = () => [],
): LinkLookup {
  const isLinux = process.platform === 'linux';
  const listed = isLinux ? listedPaths(names) : (real: string) => real;
  /** Paths whose folder was listed without them. */
  const missing = new Set<string>();
  const entries = remembered((folder: string) => (missing.has(folder) ? [] : entriesIn(folder)));
  const kinds = remembered((folder) => kindsOf(entries(folder)));
  const followed = new Map<string, number>();
  let followedInAll = 0;
  const realRoots = roots.map((root) => realPath(root, listed));

  /** Returns the real folder of a path whose last name is certainly not a link. */
  const parentOfPlain = (file: string): string | undefined => {
    const folder = path.posix.dirname(file);
    if (!isLinux || folder === file || path.posix.normalize(file) !== file || file.endsWith('/'))
      return undefined;
    const count = (followed.get(folder) ?? 0) + 1;
    followed.set(folder, count);
    if (count <= MOST_FOLLOWED && ++followedInAll <= MOST_FOLLOWED_IN_ALL) return undefined;
    const real = realpath(folder);
    if (!realRoots.some((root) => real === root || real.startsWith(`${root}/`))) return undefined;
    const kind = kinds(real)?.(path.posix.basename(file));
    if (kind === 'missing') missing.add(path.posix.join(real, path.posix.basename(file)));
    return kind === 'plain' || kind === 'missing' ? real : undefined;
  };
  /** Paths that could not be followed to their end. */
  const unclear = new Set<string>();
  const realpath = remembered((file: string): string => {
    const folder = parentOfPlain(file);
    if (folder !== undefined) return path.posix.join(folder, path.posix.basename(file));
    // The folders of several missing files are often the same.
    if (isLinux && isMissing(file) && path.dirname(file) !== file)
      return entryIn(realpath(path.dirname(file)), file, realpath);
    return realPath(file, listed, () => unclear.add(file));
  });
  /** A path that leads to itself passes no link. */
  const isStraight = (file: string): boolean =>
    path.posix.normalize(file) === file && realpath(file) === file && !unclear.has(file);
  /** One look answers every question about the way of a path. */
  const wayOf = remembered((file: string): FollowedPath | undefined => {
    if (parentOfPlain(file) !== undefined) return wayOf(path.posix.dirname(file));
    const isOfProcess = file.startsWith('/proc') || processNames(file).length > 0;
    if (isStraight(file) && !isOfProcess) return undefined;
    return followPath(file, (place) => isLinkOfProcess(place) || processNames(place).some(isLinkOfProcess));
  });
  return {
    realpath,
    passesProcess: (file) => isLinux && wayOf(file)?.isFound === true,
    isUnclear: (file) => wayOf(file)?.isUnclear === true,
    leftByLinks: (file) => wayOf(file)?.left ?? [],
    linksInTexts: (file) => wayOf(file)?.linksInTexts ?? [],
    entries,
  };
}

/** Caches results, because one decision asks for the same paths many times. */
export function remembered<Answer>(ask: (path: string) => Answer): (path: string) => Answer {
  const answers = new Map<string, { readonly answer: Answer }>();
  return (file) => {
    const known = answers.get(file);
    if (known) return known.answer;
    const answer = ask(file);
    answers.set(file, { answer });
    return answer;
  };
}

function entriesIn(folder: string): readonly FolderEntry[] | undefined {
  return readNames(
    () => listFolder(folder),
    ({ name }) => name,
  );
}

/** Returns the entries whose names are valid UTF-8. Empty if the folder cannot be read. */
export function namedEntriesIn(folder: string): readonly FolderEntry[] {
  try {
    return listFolder(folder).filter(({ name }) => !name.includes(UNKNOWN_CHARACTER));
  } catch {
    return [];
  }
}

function listFolder(folder: string): FolderEntry[] {
  return readdirSync(folder, { withFileTypes: true }).map((entry) => ({
    name: entry.name,
    kind: kindOf(entry),
  }));
}

function kindOf(entry: Dirent): FolderEntry['kind'] {
  if (entry.isDirectory()) return 'folder';
  if (entry.isSymbolicLink()) return 'link';
  return entry.isFIFO() || entry.isCharacterDevice() || entry.isBlockDevice() ? 'pipe' : 'file';
}

/** Returns what a name in a listed folder is. A folder may ignore case, so a name that differs only in that is unclear, and so is a short one. */
function kindsOf(
  entries: readonly FolderEntry[] | undefined,
): ((name: string) => 'plain' | 'missing' | 'unclear') | undefined {
  if (entries === undefined) return undefined;
  const plain = new Set(entries.flatMap(({ name, kind }) => (kind === 'link' ? [] : [name])));
  const folded = new Set(entries.map(({ name }) => foldName(name)));
  return (name) => {
    if (hasUnlistedForm(name)) return 'unclear';
    if (plain.has(name)) return 'plain';
    return folded.has(foldName(name)) ? 'unclear' : 'missing';
  };
}

function foldName(name: string): string {
  return name.normalize('NFKD').toUpperCase().toLowerCase();
}

/**
 * Reads the names in a folder. Empty if there is no such folder, undefined if it cannot be read. A name that is not valid
 * UTF-8 cannot be looked up, so its folder counts as one that cannot be read.
 */
export function readNames<Entry>(
  read: () => readonly Entry[],
  nameOf: (entry: Entry) => string,
): readonly Entry[] | undefined {
  try {
    const entries = read();
    return entries.some((entry) => nameOf(entry).includes(UNKNOWN_CHARACTER)) ? undefined : entries;
  } catch (thrown) {
    const isMissing =
      thrown instanceof Error && 'code' in thrown && /^(ENOENT|ENOTDIR)$/.test(String(thrown.code));
    return isMissing ? [] : undefined;
  }
}

function isMissing(file: string): boolean {
  try {
    return lstatSync(file, { throwIfNoEntry: false }) === undefined;
  } catch {
    // It cannot be determined.
    return false;
  }
}

function realPath(
  file: string,
  listed: (real: string) => string,
  onFailure: () => void = () => undefined,
): string {
  try {
    return realTarget(file, listed);
  } catch (thrown) {
    onFailure();
    if (thrown instanceof Error && thrown.cause instanceof UnlistedNameError)
      return path.join(file, UNKNOWN_CHARACTER);
    // The system follows a short relative path where the absolute one is too long.
    const isTooLong = thrown instanceof Error && errorCode(thrown.cause) === 'ENAMETOOLONG';
    return isTooLong ? path.join(file, UNKNOWN_CHARACTER) : followPath(file).target;
  }
}

/** A missing or broken folder may be replaced by another one. Links behind `missing/..` count then. */
function entryIn(folder: string, file: string, realpath: (file: string) => string): string {
  const entry = path.join(folder, path.basename(file));
  return entry === file ? entry : realpath(entry);
}
