/**
 * Finds repositories, agent settings and other protected places in the folders of a project. A sandbox can protect those
 * that exist before a command. A second scan finds those that the command made.
 */
import { type Dirent, existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { canEndProtected, isLockedIfPresent } from '../../permission/paths/protected.ts';
import { guardedInGitDir } from '../policy/guarded.ts';

export interface Nested {
  /** Folders that git treats as a repository: `.git`, and any folder with the same contents. */
  readonly repositories: readonly string[];
  /** Files in repositories that redirect git to other settings. */
  readonly switches: readonly string[];
  /** Files and links named `.git` that point to a repository. */
  readonly pointers: readonly string[];
  /** `.claude`, `.heddle`, `.mcp.json`. */
  readonly settings: readonly string[];
  /** Other protected places. A command may create them, but not change existing ones. */
  readonly places: readonly string[];
}

/** The scan is breadth-first, so folders near the top are covered. */
const MOST_FOLDERS = 5_000;
const AT_ONCE = 32;
const SETTINGS: ReadonlySet<string> = new Set(['.claude', '.heddle', '.mcp.json']);
const SWITCHES: ReadonlySet<string> = new Set(['commondir', 'config.worktree', 'gitdir']);
/** Large, not a place to run git, and written by package managers. */
const SKIPPED: ReadonlySet<string> = new Set(['node_modules']);
/** Packages of Python. Files with protected names in them belong to the package manager. */
const PACKAGES = /\/(site|dist)-packages(\/|$)/;
/** Settings of other version control that can name programs. */
const SOURCES = /\/(\.hg\/hgrc|\.sl\/(config|hgrc)|\.jj\/repo\/config\.toml|_darcs\/prefs\/defaults)$/;
const SOURCE_NAMES: ReadonlySet<string> = new Set(['hgrc', 'config', 'config.toml', 'defaults']);
/** Folders in a repository that contain other repositories: submodules and worktrees. */
const OTHERS: ReadonlySet<string> = new Set(['modules', 'worktrees']);

type Found = { [Kind in keyof Nested]: string[] };

export async function scanFolders(folders: readonly string[]): Promise<Nested> {
  const found: Found = { repositories: [], switches: [], pointers: [], settings: [], places: [] };
  let level = [...folders];
  for (let left = MOST_FOLDERS; level.length > 0 && left > 0; ) {
    const now = level.slice(0, left);
    left -= now.length;
    level = [];
    for (let at = 0; at < now.length; at += AT_ONCE) {
      const batch = now.slice(at, at + AT_ONCE);
      const listings = await Promise.all(batch.map(entriesOf));
      listings.forEach((entries, index) => level.push(...visit(batch[index] ?? '', entries, found)));
    }
  }
  return found;
}

/** Records the findings in one folder. Returns the folders to scan next. */
function visit(folder: string, entries: readonly Dirent[], found: Found): string[] {
  const names = new Set(entries.map(({ name }) => name));
  const isWorktrees = path.basename(path.dirname(folder)) === 'worktrees' && names.has('gitdir');
  const isWhole = names.has('objects') && names.has('refs');
  // Git reads everything else from the folder that `commondir` names.
  const isRepository = names.has('HEAD') && (isWhole || (names.has('commondir') && !isWorktrees));
  if (isRepository) found.repositories.push(folder);
  const isPackages = PACKAGES.test(folder);
  const inner: string[] = [];
  for (const entry of entries) {
    const file = path.join(folder, entry.name);
    if ((isRepository || isWorktrees) && SWITCHES.has(entry.name)) found.switches.push(file);
    else if (SETTINGS.has(entry.name)) found.settings.push(file);
    else {
      if (!isPackages && isPlace(file, entry.name)) found.places.push(file);
      if (!entry.isDirectory()) {
        if (entry.name === '.git') found.pointers.push(file);
      } else if (isRepository ? OTHERS.has(entry.name) : !SKIPPED.has(entry.name)) inner.push(file);
    }
  }
  return inner;
}

/** The names come first, because most files have others. */
function isPlace(file: string, name: string): boolean {
  return (canEndProtected(name) && isLockedIfPresent(file)) || (SOURCE_NAMES.has(name) && SOURCES.test(file));
}

async function entriesOf(folder: string): Promise<Dirent[]> {
  return readdir(folder, { withFileTypes: true }).catch(() => []);
}

/** Each path costs a few mounts, and bubblewrap accepts only a few thousand. */
const MOST_STANDING = 300;
/** Each of 100 places costs about a millisecond, and the time grows with the square of their number. */
const MOST_PLACES = 100;

/** Returns the existing paths that commands must not change. */
export function listExistingPaths(nested: Nested): string[] {
  const { repositories, switches, pointers, settings, places } = nested;
  const kept = repositories.map(guardedInGitDir);
  // If there are too many, the files that git runs directly come first.
  const [now, later] = [kept.flatMap((files) => files.slice(0, 2)), kept.flatMap((files) => files.slice(2))];
  const ofGit = [...settings, ...switches, ...pointers, ...now, ...later].slice(0, MOST_STANDING);
  // The scan is breadth-first, so a place comes after those that contain it.
  const outermost: string[] = [];
  for (const place of places) {
    if (outermost.length === MOST_PLACES) break;
    if (!outermost.some((one) => place.startsWith(`${one}/`)) && existsSync(place)) outermost.push(place);
  }
  return [...ofGit, ...outermost];
}

/** Returns the paths that are new since `before`, except those that other programs made. */
export function findNewPaths(before: Nested, now: Nested, isOthers: (file: string) => boolean): Nested {
  const fresh = (kind: keyof Nested): string[] => {
    const known = new Set(before[kind]);
    return now[kind].filter((file) => !known.has(file) && !isOthers(file));
  };
  return {
    repositories: fresh('repositories'),
    switches: fresh('switches'),
    pointers: fresh('pointers'),
    settings: fresh('settings'),
    places: fresh('places'),
  };
}
