/**
 * Files and folders held by a descriptor, so that a symbolic link put into their path later has no effect.
 *
 * Contract:
 * - Every path given here is a real path: links were followed when permission was decided. A link in it
 *   now is not followed, and the call fails with `MovedError`.
 * - On Linux a folder is held open and its entries are reached through `/proc/self/fd`, which cannot be
 *   redirected.
 * - Without `/proc/self/fd` the guarantee is weaker. A folder is compared with the opened one before each
 *   use, so a link that is swapped in and out between comparison and use is not detected. On macOS the
 *   kernel rejects links for files.
 */
import { closeSync, constants, fstatSync, lstatSync, openSync } from 'node:fs';
import { readlinkSync, realpathSync, type Stats, statSync } from 'node:fs';
import path from 'node:path';
import { errorCode } from '@heddle/core';
import { FileError, shownPath } from './errors.ts';

/** Names an entry without opening it: no effect on pipes and devices. Not among Node's constants. */
const O_PATH = 0o10_000_000;
/** macOS: fails if any part of the path is a link. */
const O_NOFOLLOW_ANY = 0x2000_0000;
const O_DIRECTORY = constants.O_DIRECTORY ?? 0;
const O_NOFOLLOW = constants.O_NOFOLLOW ?? 0;

/** A file or folder is no longer where it was when the call was permitted. */
export class MovedError extends FileError {
  constructor(place: string) {
    super(
      `The path ${shownPath(place)} now leads through a symbolic link that was not there when it was checked. Nothing was read or changed.`,
    );
  }
}

let descriptorPaths: boolean | undefined;

/** Returns true if entries of an open folder can be reached through its descriptor. */
function hasDescriptorPaths(): boolean {
  descriptorPaths ??= process.platform === 'linux' && isAFolder('/proc/self/fd/.');
  return descriptorPaths;
}

function isAFolder(folder: string): boolean {
  return statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** For tests of the weaker mode. */
export type PinWay = 'descriptor' | 'compare';

export class PinnedFolder {
  /** The real path at the time of opening. */
  readonly path: string;
  /** Undefined: held by comparison. */
  readonly #descriptor: number | undefined;
  readonly #about: Stats;

  private constructor(real: string, descriptor: number | undefined, about: Stats) {
    this.path = real;
    this.#descriptor = descriptor;
    this.#about = about;
  }

  /** Throws `MovedError`, or the system's error, such as ENOENT. */
  static open(real: string, way?: PinWay): PinnedFolder {
    if (way === 'compare' || !hasDescriptorPaths()) {
      const about = statSync(real);
      if (!about.isDirectory()) throw notAFolder(real);
      return new PinnedFolder(requireReal(real), undefined, about);
    }
    const descriptor = openNamed(real, O_DIRECTORY);
    return new PinnedFolder(real, descriptor, fstatSync(descriptor));
  }

  /** Returns a path to an entry of exactly this folder. The entry itself may be a link. */
  at(name: string): string {
    if (this.#descriptor !== undefined) return `/proc/self/fd/${this.#descriptor}/${name}`;
    const now = statSync(requireReal(this.path));
    if (!isSame(now, this.#about)) throw new MovedError(this.path);
    return path.join(this.path, name);
  }

  /** Opens a folder in it. A link is not followed. */
  folder(name: string): PinnedFolder {
    const real = path.join(this.path, name);
    if (this.#descriptor === undefined) return PinnedFolder.open(real, 'compare');
    const descriptor = openEntry(this.#descriptor, name, O_DIRECTORY, real);
    return new PinnedFolder(real, descriptor, fstatSync(descriptor));
  }

  /** Opens a file in it. A link is not followed. */
  file(name: string): PinnedFile {
    const real = path.join(this.path, name);
    if (this.#descriptor === undefined) return comparedFile(real);
    return namedFile(openEntry(this.#descriptor, name, 0, real));
  }

  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
  }
}

/** Named, but not opened yet: its kind is known before any access. */
export interface PinnedFile {
  readonly about: Stats;
  /** Opens exactly this file. */
  readonly path: string;
  /** Without these flags, opening the path would follow a link. */
  readonly flags: number;
  /** Undefined: held by comparison. */
  readonly descriptor: number | undefined;
  close(): void;
}

/** Throws `MovedError`, or the system's error. */
export function pinFile(real: string, way?: PinWay): PinnedFile {
  return way === 'compare' || !hasDescriptorPaths() ? comparedFile(real) : namedFile(openNamed(real, 0));
}

/** Checks that the opened file is the named one. Only the weaker mode can fail here. */
export function requireSame({ about, path: place }: PinnedFile, opened: Stats): void {
  if (!isSame(about, opened)) throw new MovedError(place);
}

function namedFile(descriptor: number): PinnedFile {
  return {
    about: fstatSync(descriptor),
    path: `/proc/self/fd/${descriptor}`,
    flags: 0,
    descriptor,
    close: () => closeSync(descriptor),
  };
}

function comparedFile(real: string): PinnedFile {
  const about = lstatSync(real);
  if (about.isSymbolicLink()) throw new MovedError(real);
  const flags = process.platform === 'darwin' ? O_NOFOLLOW_ANY : O_NOFOLLOW;
  return { about, path: requireReal(real), flags, descriptor: undefined, close: () => undefined };
}

/**
 * Follows links, then asks the system for the result: two calls instead of one per part of the path. If
 * the result differs, the path is walked part by part, because on some disks a name has several spellings.
 */
function openNamed(real: string, kind: number): number {
  const descriptor = openSync(real, O_PATH | kind);
  if (leadsTo(descriptor, real)) return descriptor;
  closeSync(descriptor);
  return walkTo(real, kind);
}

function leadsTo(descriptor: number, real: string): boolean {
  try {
    // The system appends this suffix to the name of a removed file.
    return readlinkSync(`/proc/self/fd/${descriptor}`) === real && !real.endsWith(' (deleted)');
  } catch {
    return false;
  }
}

function walkTo(real: string, kind: number): number {
  const names = real.split('/').filter((name) => name !== '');
  let folder = openSync('/', O_PATH | O_DIRECTORY);
  for (const [index, name] of names.entries()) {
    try {
      const isLast = index === names.length - 1;
      const next = openEntry(folder, name, isLast ? kind : O_DIRECTORY, real);
      closeSync(folder);
      folder = next;
    } catch (thrown) {
      closeSync(folder);
      throw thrown;
    }
  }
  return folder;
}

function openEntry(folder: number, name: string, kind: number, real: string): number {
  const entry = `/proc/self/fd/${folder}/${name}`;
  const descriptor = openEntryItself(entry, kind, real);
  // Without a restricting kind, the descriptor of a link is the link itself.
  if (kind === 0 && fstatSync(descriptor).isSymbolicLink()) {
    closeSync(descriptor);
    throw new MovedError(real);
  }
  return descriptor;
}

function openEntryItself(entry: string, kind: number, real: string): number {
  try {
    return openSync(entry, O_PATH | O_NOFOLLOW | kind);
  } catch (thrown) {
    const isLink =
      errorCode(thrown) === 'ENOTDIR' && lstatSync(entry, { throwIfNoEntry: false })?.isSymbolicLink();
    throw isLink ? new MovedError(real) : thrown;
  }
}

function requireReal(real: string): string {
  if (realpathSync.native(real) !== real) throw new MovedError(real);
  return real;
}

function isSame(one: Stats, other: Stats): boolean {
  return one.dev === other.dev && one.ino === other.ino;
}

function notAFolder(real: string): FileError {
  return new FileError(`${shownPath(real)} is not a folder.`);
}
