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
  const places = new Map<string, FilePlace>();
  for (const folder of folders) {
    const absolute = path.posix.resolve(folder, written);
    const real = written.includes('..') ? physicalPath(written, folder, world) : world.realpath(absolute);
    places.set(`${absolute}\0${real}`, { path: absolute, real });
  }
  return [...places.values()];
}

/** Resolves `..` after a link: it is the parent of the link's target, not of the link. */
export function physicalPath(written: string, folder: string, world: PermissionWorld): string {
  const steps = path.posix.isAbsolute(written) ? written : `${folder}/${written}`;
  return path.posix.normalize(world.realpath(steps)).replace(/(?<=.)\/$/, '');
}

export function tildeExpanded(written: string, home: string): string {
  return written === '~' || written.startsWith('~/') ? `${home}${written.slice(1)}` : written;
}

/** Returns whether the path and its link target are both in a working directory. */
export function isInside(place: FilePlace, world: PermissionWorld): boolean {
  const folders = [world.root, ...world.directories];
  const reals = folders.map((folder) => world.realpath(folder));
  return isBelow(place.path, [...folders, ...reals]) && isBelow(place.real, reals);
}

function isBelow(file: string, folders: readonly string[]): boolean {
  return folders.some((folder) => file === folder || file.startsWith(folder === '/' ? folder : `${folder}/`));
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
