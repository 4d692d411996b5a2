/**
 * Which of the paths that ripgrep reported may have led elsewhere while it searched.
 *
 * Ripgrep follows no links, but it opens files by path: a folder that is replaced by a link after it was listed is entered through
 * the link. The system changes an entry's change time (ctime) when it is moved, and no program can set that time. So a file was
 * reached as its path is written if neither it nor a folder above it has changed since the search began. The others are
 * opened part by part, without following a link.
 */
import { lstatSync, type Stats } from 'node:fs';
import path from 'node:path';
import type { PinnedFile, PinnedFolder } from '../files/pinned.ts';

/** The system's clock for files is coarse: a change just now may carry an earlier time. */
const CLOCK_STEP_MS = 50;

/** To be taken before the search begins. */
export function startOfSearch(): number {
  return Date.now() - CLOCK_STEP_MS;
}

/** Names whose folders below `root` are not known to have stayed in their place; with `files`, the files themselves, too. */
export function unsettled(
  names: readonly string[],
  root: PinnedFolder,
  since: number,
  which: 'folders' | 'files',
): ReadonlySet<string> {
  const base = root.at('.');
  const isSettled = (name: string, isKind: (about: Stats) => boolean): boolean => {
    const about = lstatSync(`${base}/${name}`, { throwIfNoEntry: false });
    return about !== undefined && isKind(about) && about.ctimeMs < since;
  };
  // Files first, then folders from the innermost: what a look goes through is itself looked at later.
  const moved = new Set<string>();
  if (which === 'files')
    for (const name of names) if (!isSettled(name, (about) => about.isFile())) moved.add(name);
  const folders = [...foldersOf(names)].sort((one, other) => other.length - one.length);
  const movedFolders = new Set(
    folders.filter((folder) => !isSettled(folder, (about) => about.isDirectory())),
  );
  if (movedFolders.size > 0)
    for (const name of names)
      if (ancestorsOf(name).some((folder) => movedFolders.has(folder))) moved.add(name);
  return moved;
}

function ancestorsOf(name: string): string[] {
  const folder = path.dirname(name);
  return folder === '.' ? [] : [folder, ...ancestorsOf(folder)];
}

function foldersOf(names: readonly string[]): ReadonlySet<string> {
  const folders = new Set<string>();
  for (const name of names) {
    for (
      let folder = path.dirname(name);
      folder !== '.' && !folders.has(folder);
      folder = path.dirname(folder)
    )
      folders.add(folder);
  }
  return folders;
}

/** Opens a file below a folder without following a link. Undefined if that is not possible, or it is not a file. */
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
