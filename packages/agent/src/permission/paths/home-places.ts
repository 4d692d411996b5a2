/**
 * Protects the home folder if a session works in it. Programs load hidden files there by names that no list knows, and shells run
 * programs from its usual folders.
 */
import path from 'node:path';
import type { PermissionWorld } from '../world.ts';
import { type FilePlace, isAtOrBelow, isBelow, onceFor, workingFolders } from './places.ts';

/**
 * Folders in the home folder from which shells run programs by name, and installations that start-up files and interpreters load as a
 * whole. Folders of `PATH` are protected anyway.
 */
const PROGRAM_FOLDERS =
  /^(?:s?bin|(?:go|node|flutter)\/s?bin|\w*conda\d?|miniforge\d?|mambaforge\d?|micromamba|google-cloud-sdk|perl5|quicklisp|powerlevel10k|library|node_modules|r\/[\w.+-]+-library|documents\/(?:(?:windows)?powershell|matlab\/startup\.m))(?=\/|$)/i;

/** The home folder, as it is named and without links, if it is in a working directory or is one. */
const homesInWork = onceFor((world) => {
  const roots = workingFolders(world);
  const homes = [...new Set([world.home, world.realpath(world.home)])];
  return homes.filter((home) => roots.some((root) => isAtOrBelow(home, root)));
});

/** The home folder of any user. It counts if a session works above it, as in the root folder. */
const OTHER_HOME = /^(?:\/(?:home|users)\/[^/]+|\/(?:var\/|private\/var\/)?root)(?=\/)/i;

/** Returns the name of the hidden entry of the home folder, or of the folder of programs in it, that contains a path. */
export function homePlaceName(file: string, world: PermissionWorld): string | undefined {
  const other = OTHER_HOME.exec(file)?.[0];
  const isInWork = other !== undefined && workingFolders(world).some((root) => isBelow(other, root));
  for (const home of isInWork ? [...homesInWork(world), other] : homesInWork(world)) {
    if (!isBelow(file, home)) continue;
    const name = path.posix.relative(home, file);
    const place = name.startsWith('.') ? name.split('/', 1)[0] : PROGRAM_FOLDERS.exec(name)?.[0];
    if (place === undefined) continue;
    // The user opened a folder in it, such as a repository in `~/.dotfiles`.
    const isOpened = workingFolders(world).some(
      (root) => isAtOrBelow(root, `${home}/${place}`) && isAtOrBelow(file, root),
    );
    if (!isOpened) return home === other ? `${home}/${place}` : `~/${place}`;
  }
  return undefined;
}

/** Returns whether a place is the home folder, and a session works in it. */
export function isHomeInWork({ path: written, real }: FilePlace, world: PermissionWorld): boolean {
  return homesInWork(world).some((home) => home === written || home === real);
}
