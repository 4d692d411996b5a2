/** Resolves a written path to the places that it may mean. */
import path from 'node:path';
import type { PermissionWorld } from '../world.ts';

export interface FilePlace {
  /** The absolute path as written. */
  readonly path: string;
  /** The same path with symbolic links resolved. */
  readonly real: string;
}

/** A relative path has one place for each folder in which the command may run. */
export function placesOf(written: string, folders: readonly string[], world: PermissionWorld): FilePlace[] {
  const [first, ...others] = folders;
  if (first === undefined) return [];
  const place = placeFrom(first, written, world);
  if (others.length === 0) return [place];
  const places = [place, ...others.map((folder) => placeFrom(folder, written, world))];
  return [...new Map(places.map((each) => [`${each.path}\0${each.real}`, each])).values()];
}

function placeFrom(folder: string, written: string, world: PermissionWorld): FilePlace {
  const absolute = path.posix.resolve(folder, written);
  const real = written.includes('..') ? physicalPath(written, folder, world) : world.realpath(absolute);
  return { path: absolute, real };
}

/** Resolves `..` after a link: it is the parent of the link's target, not of the link. */
export function physicalPath(written: string, folder: string, world: PermissionWorld): string {
  const steps = path.posix.isAbsolute(written) ? written : `${folder}/${written}`;
  return path.posix.normalize(world.realpath(steps)).replace(/(?<=.)\/$/, '');
}

export function tildeExpanded(written: string, home: string): string {
  return written === '~' || written.startsWith('~/') ? `${home}${written.slice(1)}` : written;
}

/** Node puts this in the place of bytes that are not UTF-8. A path with it may mean any file. */
export const UNKNOWN_CHARACTER = '\uFFFD';

/** Returns whether the path and its link target are both in a working directory. */
export function isInside(place: FilePlace, world: PermissionWorld): boolean {
  if (place.real.includes(UNKNOWN_CHARACTER)) return false;
  const { root, directories } = world;
  const isBelowReal = (file: string) => (folder: string) => isAtOrBelow(file, world.realpath(folder));
  const isHere = (test: (folder: string) => boolean) => test(root) || directories.some(test);
  return (
    (isHere((folder) => isAtOrBelow(place.path, folder)) || isHere(isBelowReal(place.path))) &&
    isHere(isBelowReal(place.real))
  );
}

/** Returns whether one path is the other, or contains it. */
export function areRelated(some: string, other: string): boolean {
  return isAtOrBelow(some, other) || isAtOrBelow(other, some);
}

export function isAtOrBelow(file: string, folder: string): boolean {
  if (!file.startsWith(folder)) return false;
  return file.length === folder.length || folder === '/' || file[folder.length] === '/';
}

/**
 * Returns whether the path is not a regular file, so that writing changes nothing. Only the two output descriptors are
 * included. Opening another descriptor for writing reopens its file: `< file > /dev/stdin` would change that file.
 */
export function isSink(file: string, kind: 'read' | 'write'): boolean {
  return (kind === 'read' ? READABLE : WRITABLE).test(file);
}

const WRITABLE = /^\/dev\/(null|zero|full|stdout|stderr|tty)$/;
const READABLE = /^\/dev\/(null|zero|full|stdin|stdout|stderr|tty|fd\/\d+)$/;
