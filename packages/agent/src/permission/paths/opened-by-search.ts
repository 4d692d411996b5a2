/** Finds the files of ignored names that a search opens by itself, if they are links or not regular files. */
import path from 'node:path';
import type { PermissionWorld } from '../world.ts';
import { isOpenedInFolders } from './opened-names.ts';
import { commandPlace, type FilePlace, foldersUp, knownEntries } from './places.ts';

/**
 * Returns the unusual ones in the places that are searched and in all folders above them. Further down, only links, named pipes and
 * repositories count, and only as far as `nestedLinks` and `nestedRepositories` look. `from`: the folders in which the search starts.
 */
export function openedBySearch(
  places: readonly FilePlace[],
  from: readonly string[],
  world: PermissionWorld,
): readonly FilePlace[] {
  const { openedIn, openedByGit, nestedRepositories, namedByGitFile, namedByCommonDir } = world;
  if (openedIn === undefined) return [];
  const starts = [...new Set(places.map(({ real }) => real))];
  const roots = starts.filter((real) => knownEntries(real, world).some(({ kind }) => kind === 'folder'));
  const folders = new Set(
    places
      .flatMap(({ path: written, real }) => [written, real].flatMap(foldersUp))
      .concat(roots.flatMap((folder) => nestedRepositories?.(folder) ?? [])),
  );
  // A search counts some relative names from the folder in which it starts: in `.git`, and in `commondir` without a dot at its start.
  const resolved = (folder: string, written: string | undefined): readonly string[] =>
    written === undefined ? [] : [folder, ...from].map((base) => path.posix.resolve(base, written));
  const named = [...folders].flatMap((folder) => resolved(folder, namedByGitFile?.(folder)));
  const shared = named.flatMap((folder) => resolved(folder, namedByCommonDir?.(folder)));
  const files = new Set([
    ...[...folders, ...named, ...shared].flatMap((folder) => openedIn(folder)),
    ...roots.flatMap((folder) => openedBelow(folder, world)),
    ...[world.cwd, ...roots].flatMap((folder) =>
      (openedByGit?.(folder) ?? []).flatMap(({ file, isUnusual, isOfSearches }) =>
        isUnusual && isOfSearches && file !== undefined ? [file] : [],
      ),
    ),
  ]);
  return Array.from(files, (file) => commandPlace(file, world));
}

/** Returns the links and named pipes up to two folders below that searches and git open by themselves. */
export function openedBelow(folder: string, { nestedLinks }: PermissionWorld): readonly string[] {
  return (nestedLinks?.(folder) ?? []).filter((file) => isOpenedInFolders(path.posix.basename(file)));
}
