/** Tells settings that come with a repository, and change with it, from those of the user. */
import { realpathSync } from 'node:fs';
import path from 'node:path';
import type { LoadedSettings } from './load-settings.ts';
import type { LoadedFile } from './scopes.ts';

/** A `settings.local.json` belongs to the user, unless git tracks it. */
export async function isOfRepository({ source, file }: LoadedFile): Promise<boolean> {
  if (source !== 'local' || file === undefined) return source === 'project';
  // Few local files need this, and git's index takes time to read.
  const { findRepository, trackedFiles } = await import('@heddle/tools/git');
  try {
    const real = realpathSync.native(file);
    return [file, real].some((each) => {
      const found = findRepository(path.dirname(each));
      if (found.kind !== 'found') return found.kind === 'unknown';
      return trackedFiles(found.repository)?.some((tracked) => isAt(each, tracked)) ?? true;
    });
  } catch {
    return true;
  }
}

/** Git tracks a link to a folder as a file. */
function isAt(file: string, tracked: string): boolean {
  return file === tracked || file.startsWith(`${tracked}/`);
}

/** Returns whether the value of a setting that counts comes with the repository. */
export async function isSetByRepository({ files }: LoadedSettings, name: string): Promise<boolean> {
  const highest = files.find(({ counting }) => counting[name] !== undefined);
  return highest !== undefined && isOfRepository(highest);
}
