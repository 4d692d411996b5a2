/** Where git keeps what belongs to a folder, when that is not in the folder itself: in a folder above, or for a worktree elsewhere. */
import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { repositoryTop } from '../../settings/scopes.ts';
import { findRepository, readGitSettings, resolveConfigPath } from '@heddle/tools/git';
import type { Ground, Repository } from './policy.ts';

export function repositoryAround(folder: string): Repository | undefined {
  const top = repositoryTop(folder);
  if (top === undefined) return undefined;
  const git = path.join(top, '.git');
  try {
    if (!statSync(git).isDirectory()) return worktree(git);
    return top === folder ? undefined : { folder: git, worktree: undefined };
  } catch {
    return undefined;
  }
}

/**
 * A file names the folder, and anybody could write such a file. So it is believed only where that folder, which the project
 * cannot reach, names the file in return.
 */
function worktree(file: string): Repository | undefined {
  const [, named = ''] = /^gitdir: (.+)$/m.exec(readFileSync(file, 'utf8')) ?? [];
  const own = path.resolve(path.dirname(file), named.trim());
  if (named === '' || realpathSync(lineOf(path.join(own, 'gitdir'), own)) !== realpathSync(file))
    return undefined;
  const folder = realpathSync(lineOf(path.join(own, 'commondir'), own));
  return existsSync(path.join(folder, 'HEAD')) ? { folder, worktree: realpathSync(own) } : undefined;
}

function lineOf(file: string, from: string): string {
  return path.resolve(from, readFileSync(file, 'utf8').trim());
}

/**
 * Hooks that lie elsewhere, and files that settings include, could be changed to run something later. They are kept whether they
 * exist or not. Lists of attributes and of ignored files are kept if they are there.
 */
export function namedByGit(folder: string, kindOf: Ground['kindOf']): string[] {
  const found = findRepository(folder);
  if (found.kind !== 'found') return [];
  const { top } = found.repository;
  return (readGitSettings(found.repository, process.env) ?? []).flatMap(({ key, value, file }) => {
    const isInclude = /^include(if\..*)?\.path$/s.test(key);
    if (!isInclude && !/^core\.(hookspath|attributesfile|excludesfile)$/.test(key)) return [];
    const named = resolveConfigPath(value, isInclude ? path.dirname(file) : top, process.env);
    const isNeeded =
      isInclude || key === 'core.hookspath' || (named !== undefined && kindOf(named) !== 'absent');
    return named !== undefined && isNeeded && named !== top ? [named] : [];
  });
}
