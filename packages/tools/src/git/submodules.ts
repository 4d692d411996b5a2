/** Finds the data of submodules that git keeps, also of those that are not checked out now. */
import { readdirSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { errorCode } from '@heddle/core';
import { readGitConfigFile } from './config-files.ts';
import { gitPath } from './git-path.ts';
import { type GitRepository, isGitFolder, mayHaveEntry } from './repository.ts';

/** The number of folders that are looked at. More count as unknown. */
const MOST_FOLDERS = 500;

/**
 * Returns the repositories in the `modules` folder of another one, with the working trees that they had. Undefined if there are too
 * many folders, or if one cannot be read. The name of a submodule can contain slashes.
 */
export function moduleRepositories(around: GitRepository): readonly GitRepository[] | undefined {
  const folders = [...new Set([around.gitDir, around.commonDir])].map((data) => path.join(data, 'modules'));
  const found: GitRepository[] = [];
  for (let at = 0; at < folders.length; at++) {
    const folder = folders[at] ?? '';
    if (isGitFolder((name) => mayHaveEntry(path.join(folder, name)))) {
      found.push({ top: treeOf(folder, around), gitDir: folder, commonDir: folder });
    } else {
      const below = foldersIn(folder);
      if (below === undefined || folders.length + below.length > MOST_FOLDERS) return undefined;
      folders.push(...below);
    }
  }
  return found;
}

/** Links count, because git follows them. */
function foldersIn(folder: string): readonly string[] | undefined {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    return entries.filter((entry) => !entry.isFile()).map(({ name }) => path.join(folder, name));
  } catch (thrown) {
    return /^(ENOENT|ENOTDIR)$/.test(String(errorCode(thrown))) ? [] : undefined;
  }
}

/**
 * Returns the working tree of a submodule if it is a folder of the repository around it. Else it returns another folder than the
 * one that the settings name.
 */
function treeOf(data: string, { top, gitDir, commonDir }: GitRepository): string {
  const settings = readGitConfigFile(path.join(data, 'config'));
  if (settings === undefined || settings === 'absent') return data;
  const written = settings.findLast(({ key }) => key === 'core.worktree')?.value;
  const tree = written === undefined ? undefined : gitPath(data, written);
  if (tree === undefined) return data;
  const real = nearestReal(tree);
  const isInside = isBelow(real, nearestReal(top)) || (real === nearestReal(top) && isBelow(tree, real));
  const isOfGit = [gitDir, commonDir].some((own) => real === own || isBelow(real, own));
  if (isInside && !isOfGit) return tree;
  return tree === data ? top : data;
}

function isBelow(file: string, folder: string): boolean {
  return file.startsWith(`${folder}/`);
}

/** Returns the real path of the nearest folder that exists. */
function nearestReal(file: string): string {
  try {
    return realpathSync.native(file);
  } catch {
    return file === path.dirname(file) ? file : nearestReal(path.dirname(file));
  }
}
