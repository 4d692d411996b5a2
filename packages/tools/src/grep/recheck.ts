/**
 * Finds the paths reported by ripgrep that may have been redirected during the search.
 *
 * Ripgrep follows no links, but it opens files by path: a folder that is replaced by a link after it was
 * listed is entered through the link. The system changes the change time (ctime) of a folder when it is
 * moved, and when one of its entries is replaced. No program can set that time. So a file was reached by
 * its written path if no folder above it has changed since the search began. The others are opened part by
 * part, without following a link.
 */
import { lstatSync } from 'node:fs';
import type { PinnedFile, PinnedFolder } from '../files/pinned.ts';

/** The system's file clock is coarse: a change just now may carry an earlier time. */
const CLOCK_STEP_MS = 50;

/** Contract: call it before the search begins. */
export function startOfSearch(): number {
  return Date.now() - CLOCK_STEP_MS;
}

/**
 * Returns names below `root` with a folder above them that has changed, or may have been moved. `root`
 * itself is held open. Its change counts for `files` in it, which may have been replaced, but not for
 * their names.
 */
export function findRedirectedPaths(
  names: readonly string[],
  root: PinnedFolder,
  since: number,
  which: 'names' | 'files',
): ReadonlySet<string> {
  const base = root.at('.');
  const hasChanged = (folder: string): boolean => {
    const about = lstatSync(folder, { throwIfNoEntry: false });
    return about?.isDirectory() !== true || about.ctimeMs >= since;
  };
  // The innermost first: access to a folder passes through those above it, so these are checked later.
  const folders = [...foldersOf(names)].sort((one, other) => other.length - one.length);
  const changed = new Set(folders.filter((folder) => hasChanged(`${base}/${folder}`)));
  const isRootChanged = which === 'files' && hasChanged(base);
  if (changed.size === 0 && !isRootChanged) return changed;
  return new Set(
    names.filter((name) => {
      const above = ancestorsOf(name);
      return above.length === 0 ? isRootChanged : above.some((folder) => changed.has(folder));
    }),
  );
}

function ancestorsOf(name: string): string[] {
  const folder = folderOf(name);
  return folder === undefined ? [] : [folder, ...ancestorsOf(folder)];
}

function foldersOf(names: readonly string[]): ReadonlySet<string> {
  const folders = new Set<string>();
  for (const name of names) {
    let folder = folderOf(name);
    while (folder !== undefined && !folders.has(folder)) {
      folders.add(folder);
      folder = folderOf(folder);
    }
  }
  return folders;
}

/** Returns undefined for a name in the root. */
function folderOf(name: string): string | undefined {
  const end = name.lastIndexOf('/');
  return end < 0 ? undefined : name.slice(0, end);
}

/**
 * Opens a file below a folder without following a link. Undefined if that is not possible, or it is not a
 * file.
 */
export function openBelow(root: PinnedFolder, name: string): PinnedFile | undefined {
  const parts = name.split('/').filter((part) => part !== '' && part !== '.');
  const last = parts.pop();
  if (last === undefined || last === '..' || parts.includes('..')) return undefined;
  const opened: PinnedFolder[] = [];
  try {
    let folder = root;
    for (const part of parts) {
      folder = folder.folder(part);
      opened.push(folder);
    }
    const file = folder.file(last);
    if (file.about.isFile()) return file;
    file.close();
    return undefined;
  } catch {
    return undefined;
  } finally {
    for (const folder of opened) folder.close();
  }
}
