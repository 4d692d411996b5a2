/** Resolves paths given by the model to real files. Permission decides with these functions, too. */
import { realpathSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { errorCode, type ToolUseContext } from '@heddle/core';
import { FileError, fileError, shownPath } from './errors.ts';
import { followPath } from './follow-path.ts';
import { listedPaths } from './listed-names.ts';

/** `~` and `~/x` mean the user's home folder, as in a shell. */
export function resolvePath(given: string, workingDirectory: string, home = os.homedir()): string {
  return path.resolve(workingDirectory, expandTilde(given, home));
}

function expandTilde(given: string, home: string): string {
  return given === '~' || given.startsWith('~/') ? `${home}${given.slice(1)}` : given;
}

/**
 * Returns the real path that a call may open: the one that permission decided on, if the path still
 * resolves to it.
 *
 * Contract: throws `FileError` if the path resolves to another file now. Before a decision, returns the
 * present target.
 */
export function permittedPlace(
  given: string,
  { workingDirectory, places }: Pick<ToolUseContext, 'workingDirectory' | 'places'>,
): string {
  const absolute = resolvePath(given, workingDirectory);
  const real = realTarget(absolute);
  if (places === undefined) return real;
  const place = places.find((decided) => decided.path === absolute);
  if (place?.real === real) return real;
  const before =
    place === undefined ? 'was not part of what was permitted' : `led to ${shownPath(place.real)}`;
  throw new FileError(
    `${shownPath(absolute)} ${before} when the call was permitted, and leads to ${shownPath(real)} now. Nothing was read or changed. Look at it again.`,
  );
}

/**
 * Returns the path with every symbolic link followed, by the names that folders list. Parts that do not exist yet are kept. A
 * write goes to this path, so a link stays a link, and two names of one file are one file.
 *
 * `listed` replaces the names of a path without links, see `listedPaths`. A caller with many paths keeps it.
 */
export function realTarget(file: string, listed: (real: string) => string = listedNow): string {
  const target = linkTarget(file);
  try {
    return listed(target);
  } catch (thrown) {
    throw fileError('cannot be reached', file, thrown);
  }
}

/** Elsewhere the system itself returns the listed names. */
const listedNow = (real: string): string => (process.platform === 'linux' ? listedPaths()(real) : real);

function linkTarget(file: string): string {
  try {
    return realpathSync.native(file);
  } catch (thrown) {
    if (!isMissing(thrown)) throw fileError('cannot be reached', file, thrown);
  }
  // A missing folder may be made later, also in the place of a file. Links behind `missing/..` count then.
  const { target, error } = followPath(path.isAbsolute(file) ? file : `${process.cwd()}/${file}`);
  if (error !== undefined) throw fileError('cannot be reached', file, error);
  return target;
}

/** A name is missing, or a name before it is a file. */
function isMissing(thrown: unknown): boolean {
  return errorCode(thrown) === 'ENOENT' || errorCode(thrown) === 'ENOTDIR';
}
