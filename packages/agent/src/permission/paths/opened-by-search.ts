/** Finds the files of ignored names that a search opens by itself, if they are links or not regular files. */
import path from 'node:path';
import type { PermissionWorld } from '../world.ts';
import { isOpenedInFolders } from './opened-names.ts';
import { commandPlace, type FilePlace, foldersUp, knownEntries } from './places.ts';

/**
 * Returns the unusual ones in the places that are searched and in all folders above them. Further down, only links count, and only as
 * far as `nestedLinks` looks.
 */
export function openedBySearch(places: readonly FilePlace[], world: PermissionWorld): readonly FilePlace[] {
  const { openedIn, openedByGit, nestedLinks } = world;
  if (openedIn === undefined) return [];
  const starts = [...new Set(places.map(({ real }) => real))];
  const folders = new Set(places.flatMap(({ path: written, real }) => [written, real].flatMap(foldersUp)));
  const roots = starts.filter((real) => knownEntries(real, world).some(({ kind }) => kind === 'folder'));
  const files = new Set([
    ...[...folders].flatMap((folder) => openedIn(folder)),
    ...roots.flatMap((folder) =>
      (nestedLinks?.(folder) ?? []).filter((file) => isOpenedInFolders(path.posix.basename(file))),
    ),
    ...[world.cwd, ...roots].flatMap((folder) =>
      (openedByGit?.(folder) ?? []).flatMap(({ file, isUnusual, isOfSearches }) =>
        isUnusual && isOfSearches && file !== undefined ? [file] : [],
      ),
    ),
  ]);
  return Array.from(files, (file) => commandPlace(file, world));
}
