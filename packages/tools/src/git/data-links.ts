/**
 * Finds links in the data of a repository. Git reads and writes through a link at most of its file names: `git gc` replaces the target of
 * `objects/info/commit-graph`. Git itself makes no links, but an archive can contain them.
 */
import { type Dirent, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { errorCode } from '@heddle/core';
import { type GitRepository, isGitFolder, mayHaveEntry } from './repository.ts';

/** The number of folders that are looked at. More count as unknown. */
const MOST_FOLDERS = 2_000;

/** The folders that git and git-lfs write. A disk can ignore case. Other programs keep whole working trees beside them. */
const WRITTEN =
  /^(NOTES_MERGE_WORKTREE|branches|fsmonitor--daemon|info|lfs|logs|lost-found|modules|objects|rebase-apply|rebase-merge|refs|reftable|remotes|rr-cache|sequencer|svn|worktrees)$/i;

/** Objects are in folders with two letters. Git creates each file there under a new name, and moves it. */
const OBJECT_FOLDER = /^[0-9a-f]{2}$/i;

/** The character in place of bytes that are not UTF-8. Such a folder cannot be opened by its name. */
const UNKNOWN_CHARACTER = '\uFFFD';

type Role =
  /** The data of a repository or of a working tree. */
  | 'data'
  /** Contains data, one folder for each working tree. */
  | 'worktrees'
  /** Contains the data of submodules, at any depth. Each of them is looked at as a repository of its own. */
  | 'modules'
  /** Contains folders of objects. */
  | 'objects'
  | 'lfs'
  /** Contains folders with two letters, and in each of them folders of objects. */
  | 'lfs-objects'
  | 'other';

interface DataFolder {
  readonly folder: string;
  readonly role: Role;
}

/**
 * Returns a link among the files that git writes in its data, through which it would write elsewhere. Links to hooks are common, and
 * git does not write there.
 *
 * Contract: undefined if there are too many folders, or one that cannot be listed. In an ordinary repository it takes one look
 * per branch folder, and none at the single objects.
 */
export function findDataLink({
  gitDir,
  commonDir,
}: GitRepository): { readonly link: string | undefined } | undefined {
  const folders = [...new Set([gitDir, commonDir])].map((folder): DataFolder => ({ folder, role: 'data' }));
  for (let at = 0; at < folders.length; at++) {
    const { folder = '', role = 'other' } = folders[at] ?? {};
    if (at > MOST_FOLDERS) return undefined;
    if (role === 'modules' && isGitFolder((name) => mayHaveEntry(path.join(folder, name)))) continue;
    const entries = entriesIn(folder);
    if (entries === undefined) return undefined;
    for (const entry of entries) {
      if (role === 'data' && entry.name === 'hooks') continue;
      if (entry.isSymbolicLink()) return { link: path.join(folder, entry.name) };
      const below = entry.isDirectory() ? roleBelow(entry.name, role) : undefined;
      if (below === undefined) continue;
      if (entry.name.includes(UNKNOWN_CHARACTER)) return undefined;
      folders.push({ folder: path.join(folder, entry.name), role: below });
    }
  }
  return { link: undefined };
}

/** A place in git's data that leads elsewhere, or that is neither a file nor a folder. */
export interface UnusualData {
  readonly file: string;
  /** It leads to a folder, and git may read each file below. */
  readonly isFolder: boolean;
}

/**
 * Returns the links and named pipes in the data of a repository and of its submodules, and the folders of objects of other repositories.
 * Git reads what is behind them, and shows lines of a file that it does not understand. It takes every path in its data for the name of a
 * branch. Folders after the limit, and those that cannot be listed, are not looked at.
 *
 * Contract: undefined if there are too many places, or if the folders of other repositories are not known.
 */
export function unusualData({ gitDir, commonDir }: GitRepository): readonly UnusualData[] | undefined {
  const folders = [...new Set([gitDir, commonDir])].map((folder): DataFolder => ({ folder, role: 'data' }));
  // They may be large, so those that git uses come first.
  const more: DataFolder[] = [];
  const found = new Map<string, UnusualData>();
  const entered = new Set<string>();
  for (let count = 0; count < MOST_FOLDERS && found.size <= MOST_UNUSUAL; count++) {
    const next = folders.shift() ?? more.shift();
    if (next === undefined) return [...found.values()];
    const { role, real } = enteredAs(next);
    if (entered.has(`${role} ${real}`)) continue;
    entered.add(`${role} ${real}`);
    const others = role === 'objects' ? alternatesOf(real) : [];
    if (others === undefined) return undefined;
    for (const folder of others) {
      found.set(folder, objectsOf(folder));
      folders.push({ folder, role: 'objects' });
    }
    for (const { file, isFolder, isUnusual, below } of placesIn(next.folder, role)) {
      if (isFolder && below !== undefined) folders.push({ folder: file, role: below });
      else if (isFolder && role === 'data') more.push({ folder: file, role: 'other' });
      const isOfObjects = isFolder && (below === 'objects' || role === 'objects');
      if (isUnusual) found.set(file, isOfObjects ? objectsOf(file) : { file, isFolder });
    }
  }
  return found.size > MOST_UNUSUAL ? undefined : [...found.values()];
}

/** The number of links, pipes and folders of other repositories that are followed. */
const MOST_UNUSUAL = 200;

function enteredAs({ folder, role }: DataFolder): { readonly role: Role; readonly real: string } {
  const isModule = role === 'modules' && isGitFolder((name) => mayHaveEntry(path.join(folder, name)));
  return { role: isModule ? 'data' : role, real: realPath(folder) ?? folder };
}

interface DataPlace extends UnusualData {
  /** It is a link, a named pipe or a device. */
  readonly isUnusual: boolean;
  readonly below: Role | undefined;
}

/** Returns the entries of a folder without its regular files. */
function placesIn(folder: string, role: Role): readonly DataPlace[] {
  return (entriesIn(folder) ?? []).flatMap((entry): readonly DataPlace[] => {
    if (entry.isFile() || entry.isSocket()) return [];
    const file = path.join(folder, entry.name);
    const isFolder = entry.isDirectory() || (entry.isSymbolicLink() && isFolderBehind(file));
    const below = isFolder ? roleBelow(entry.name, role) : undefined;
    return [{ file, isFolder, isUnusual: !entry.isDirectory(), below }];
  });
}

/** Objects have no names of files. A name in the folder represents all of them. */
function objectsOf(folder: string): UnusualData {
  return { file: path.join(folder, 'pack'), isFolder: false };
}

/** The most bytes of a file with folders of objects that are read. */
const MOST_OF_ALTERNATES = 64 * 1024;

/**
 * Returns the other folders of objects that git reads for one, which is given with links resolved. Undefined if they are not known: for a
 * large file, and for paths in quotes.
 */
function alternatesOf(objects: string): readonly string[] | undefined {
  const file = path.join(objects, 'info/alternates');
  try {
    const about = statSync(file, { throwIfNoEntry: false });
    if (about?.isFile() !== true) return [];
    if (about.size > MOST_OF_ALTERNATES) return undefined;
    const lines = readFileSync(file, 'utf8').split('\n');
    const named = lines.filter((line) => line !== '' && !line.startsWith('#'));
    if (named.length > MOST_UNUSUAL || named.some((line) => line.startsWith('"'))) return undefined;
    // The system resolves links before `..`. A missing folder is not read.
    return named.flatMap((line) => realPath(line.startsWith('/') ? line : `${objects}/${line}`) ?? []);
  } catch (thrown) {
    return /^(ENOENT|ENOTDIR)$/.test(String(errorCode(thrown))) ? [] : undefined;
  }
}

function isFolderBehind(link: string): boolean {
  try {
    return statSync(link, { throwIfNoEntry: false })?.isDirectory() === true;
  } catch {
    return false;
  }
}

function realPath(folder: string): string | undefined {
  try {
    return realpathSync.native(folder);
  } catch {
    return undefined;
  }
}

/** Undefined: git does not write there, or only files with new names. */
function roleBelow(name: string, role: Role): Role | undefined {
  const lower = name.toLowerCase();
  switch (role) {
    case 'data':
      if (lower === 'worktrees' || lower === 'modules' || lower === 'objects' || lower === 'lfs')
        return lower;
      return WRITTEN.test(name) ? 'other' : undefined;
    case 'worktrees':
      return 'data';
    case 'modules':
      return 'modules';
    case 'objects':
      return OBJECT_FOLDER.test(name) ? undefined : 'other';
    case 'lfs':
      return lower === 'objects' ? 'lfs-objects' : 'other';
    case 'lfs-objects':
      return 'objects';
    case 'other':
      return 'other';
  }
}

/** Empty if there is no such folder, undefined if it cannot be listed. Git can also write in a folder that it cannot list. */
function entriesIn(folder: string): readonly Dirent[] | undefined {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (thrown) {
    return /^(ENOENT|ENOTDIR)$/.test(String(errorCode(thrown))) ? [] : undefined;
  }
}
