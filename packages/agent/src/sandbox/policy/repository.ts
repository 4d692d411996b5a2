/** Where git keeps what belongs to a folder, when that is not in the folder itself: in a folder above, or for a worktree elsewhere. */
import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { repositoryTop } from '../../settings/scopes.ts';
import type { Repository } from './policy.ts';

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
