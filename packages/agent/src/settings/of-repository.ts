/** Tells settings that come with a project, and change with it, from those of the user. */
import { realpathSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { isJsonObject } from '@heddle/core';
import type { LoadedSettings } from './load-settings.ts';
import { valueAt } from './merge-settings.ts';
import type { LoadedFile } from './scopes.ts';
import { isWithin, projectTop } from './trust.ts';

/**
 * Returns whether a value comes with the project. In a `settings.local.json`, a value is the user's if Heddle wrote it there, or if the
 * file is in the repository of the project, and certainly not tracked. Outside of a repository, an archive may have brought the file.
 */
export async function isOfProject(
  { source, file, counting, written }: LoadedFile,
  key: readonly string[],
  home = os.homedir(),
): Promise<boolean> {
  if (source !== 'local' || file === undefined) return source === 'project';
  const value = valueAt(counting, key);
  if (value !== undefined && !isJsonObject(value) && valueAt(written, key) === value) return false;
  // Few local files need this, and git's index takes time to read.
  const [{ findRepository, trackedFiles }, { followPath }] = await Promise.all([
    import('@heddle/tools/git'),
    import('@heddle/tools/files'),
  ]);
  // The folder with the settings can contain a repository of its own.
  const project = path.dirname(path.dirname(file));
  const found = findRepository(project);
  if (found.kind !== 'found' || projectTop(project, home) === undefined) return true;
  try {
    const { top } = found.repository;
    const tracked = trackedFiles(found.repository);
    if (tracked === undefined || !isWithin(realpathSync.native(file), top)) return true;
    // A disk may ignore case.
    const names = new Set(tracked.map((name) => name.toLowerCase()));
    // Git tracks a link to a folder as a file. The index may also contain a file in the place of such a folder.
    const { isFound, isUnclear } = followPath(file, (place) => names.has(place.toLowerCase()));
    return isFound || isUnclear;
  } catch {
    return true;
  }
}

/** Returns whether the value of a setting that counts comes with the project. */
export async function isSetByRepository({ files }: LoadedSettings, name: string): Promise<boolean> {
  const highest = files.find(({ counting }) => counting[name] !== undefined);
  return highest !== undefined && isOfProject(highest, [name]);
}
