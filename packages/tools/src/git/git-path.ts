/**
 * Paths in git's own files: settings, `.git` files, `commondir`. Git hands them to the system as they are written. A path that
 * depends on the process means another file for git than for this process, so it is unknown: `/proc/self/cwd/x`, `/dev/fd/3`.
 */
import { lstatSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { errorCode } from '@heddle/core';
import { passesPlace } from '../files/follow-path.ts';

/**
 * Returns the full path of a written one that starts in an existing folder. Undefined for `..` after a name: if the name is
 * a link, `..` is the parent of its target, and the link may change. Undefined for a path that depends on the process.
 */
export function gitPath(folder: string, written: string): string | undefined {
  const names = written.split(/[\\/]/).filter((name) => name !== '' && name !== '.');
  const climbs = names.findIndex((name) => name !== '..');
  if (climbs >= 0 && names.includes('..', climbs)) return undefined;
  const file = names[0] === '..' ? climbed(folder, written) : path.resolve(folder, written);
  return file === undefined || dependsOnProcess(file) ? undefined : file;
}

function climbed(folder: string, written: string): string | undefined {
  if (dependsOnProcess(folder)) return undefined;
  try {
    return path.resolve(realpathSync.native(folder), written);
  } catch {
    return undefined;
  }
}

/** All of `/proc`, because some of its links lead elsewhere in each process, and the streams of a process in `/dev`. */
const OF_PROCESS = /^\/(?:proc(?:\/|$)|dev\/(?!(?:null|shm)(?:\/|$)))/;

function isOfProcess(place: string): boolean {
  return OF_PROCESS.test(place);
}

/** Returns whether an absolute path leads through such a place, also through links, and also if its file is missing. */
export function dependsOnProcess(file: string): boolean {
  if (process.platform === 'win32') return false;
  return isOfProcess(file) || (!isStraight(file) && passesPlace(file, isOfProcess));
}

/** A path that leads to itself passes no link. The same holds for a missing name in such a folder. */
function isStraight(file: string): boolean {
  try {
    if (path.posix.normalize(file) !== file) return false;
    const isMissing = lstatSync(file, { throwIfNoEntry: false }) === undefined;
    const place = isMissing ? path.posix.dirname(file) : file;
    return realpathSync.native(place) === place;
  } catch {
    return false;
  }
}

/** Returns whether git may find an entry there. Links count, because the present target may not be that of git. */
export function mayExist(file: string): boolean {
  try {
    return lstatSync(file, { throwIfNoEntry: false }) !== undefined || dependsOnProcess(file);
  } catch (thrown) {
    return errorCode(thrown) !== 'ENOTDIR' || dependsOnProcess(file);
  }
}
