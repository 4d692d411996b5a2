/** From a path as it is written to the places it may mean. */
import path from 'node:path';
import type { PermissionWorld } from '../world.ts';

export interface FilePlace {
  /** The absolute path as written. */
  readonly path: string;
  /** The same path with symbolic links resolved. */
  readonly real: string;
}

/** A relative path means one place for each folder a command may stand in. */
export function placesOf(written: string, folders: readonly string[], world: PermissionWorld): FilePlace[] {
  const places = new Map<string, FilePlace>();
  for (const folder of folders) {
    const absolute = path.posix.resolve(folder, written);
    const real = written.includes('..') ? physicalPath(written, folder, world) : world.realpath(absolute);
    places.set(`${absolute}\0${real}`, { path: absolute, real });
  }
  return [...places.values()];
}

/** Behind a symlink `..` is the folder that holds its target, not the one that holds the link. */
export function physicalPath(written: string, folder: string, world: PermissionWorld): string {
  const steps = path.posix.isAbsolute(written) ? written : `${folder}/${written}`;
  return path.posix.normalize(world.realpath(steps)).replace(/(?<=.)\/$/, '');
}

export function tildeExpanded(written: string, home: string): string {
  return written === '~' || written.startsWith('~/') ? `${home}${written.slice(1)}` : written;
}

/** Both the name and what it points to lie in a working directory. */
export function isInside(place: FilePlace, world: PermissionWorld): boolean {
  const folders = [world.root, ...world.directories];
  const reals = folders.map((folder) => world.realpath(folder));
  return isBelow(place.path, [...folders, ...reals]) && isBelow(place.real, reals);
}

function isBelow(file: string, folders: readonly string[]): boolean {
  return folders.some((folder) => file === folder || file.startsWith(folder === '/' ? folder : `${folder}/`));
}

/**
 * Not a file at all: writing there changes nothing. The names of open descriptors are not among them, apart from the two of the
 * output: opening one for writing opens the file behind it again, and `< file > /dev/stdin` would change that file.
 */
export function isSink(file: string, kind: 'read' | 'write'): boolean {
  return (kind === 'read' ? READABLE : WRITABLE).test(file);
}

const WRITABLE = /^\/dev\/(null|zero|full|stdout|stderr|tty)$/;
const READABLE = /^\/dev\/(null|zero|full|stdin|stdout|stderr|tty|fd\/\d+)$/;
