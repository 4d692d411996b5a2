/** Whether a subagent changed its worktree: commits and files. */
import { gitInWorktree } from './git-of-worktree.ts';
import type { Worktree } from './record.ts';

/** Whether it contains commits or files that the repository does not have. A failure counts as a change: its folder may have moved. */
export async function isWorktreeChanged({ top, path: folder, branch, base }: Worktree): Promise<boolean> {
  try {
    const inside = await gitInWorktree(top, folder);
    if (!inside) return true;
    const head = await inside(['rev-parse', 'HEAD']);
    // A commit may be on its branch, and another one checked out.
    const name = await inside(['symbolic-ref', 'HEAD']);
    if (head.trim() !== base || name.trim() !== `refs/heads/${branch}`) return true;
    // Git would run itself in nested repositories, with their settings. Another commit in one of them is noticed without that.
    const status = ['status', '--porcelain', '--untracked-files=all', '--ignore-submodules=dirty'];
    return (await inside(status)) !== '';
  } catch {
    return true;
  }
}
