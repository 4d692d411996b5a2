/** Whether a subagent changed its worktree: commits, files, and files that git ignores. */
import { createHash } from 'node:crypto';
import { lstat, readdir } from 'node:fs/promises';
import path from 'node:path';
import { gitInWorktree } from './git-of-worktree.ts';
import type { Worktree } from './record.ts';

/** Whether it contains commits or files that the repository does not have. A failure counts as a change: its folder may have moved. */
export async function isWorktreeChanged({
  top,
  path: folder,
  branch,
  base,
  ignored = NONE,
}: Worktree): Promise<boolean> {
  try {
    const inside = await gitInWorktree(top, folder);
    if (!inside) return true;
    const head = await inside(['rev-parse', 'HEAD']);
    // A commit may be on its branch, and another one checked out.
    const name = await inside(['symbolic-ref', 'HEAD']);
    if (head.trim() !== base || name.trim() !== `refs/heads/${branch}`) return true;
    const entries = await entriesIn(inside);
    if (!entries.every(isIgnored)) return true;
    return (await digestOf(folder, entries)) !== ignored;
  } catch {
    return true;
  }
}

/** Returns a digest of the files that git ignores. Undefined if they cannot be listed. */
export async function digestOfIgnored({ top, path: folder }: Worktree): Promise<string | undefined> {
  try {
    const inside = await gitInWorktree(top, folder);
    return inside && (await digestOf(folder, (await entriesIn(inside)).filter(isIgnored)));
  } catch {
    return undefined;
  }
}

async function entriesIn(inside: (args: readonly string[]) => Promise<string>): Promise<readonly string[]> {
  // Git would run itself in nested repositories, with their settings. Another commit in one of them is noticed without that.
  const only = ['--ignored=traditional', '--untracked-files=all', '--ignore-submodules=dirty'];
  const status = await inside(['status', '--porcelain', '-z', ...only]);
  return status.split('\0').filter((entry) => entry !== '');
}

const IGNORED = '!! ';

function isIgnored(entry: string): boolean {
  return entry.startsWith(IGNORED);
}

/** There are no files that git ignores. */
const NONE = '';

/** A digest of places, sizes and times. Contents are not read: a copy of packages is large. */
async function digestOf(folder: string, entries: readonly string[]): Promise<string> {
  if (entries.length === 0) return NONE;
  const digest = createHash('sha256');
  const places = entries.map((entry) => path.join(folder, entry.slice(IGNORED.length))).toSorted();
  for (const place of places) for await (const line of factsBelow(place)) digest.update(`${line}\0`);
  return digest.digest('hex');
}

/** Git names only the folder of a nested repository. Links are not followed. */
async function* factsBelow(place: string): AsyncGenerator<string> {
  const stats = await lstat(place);
  const { mode, size, mtimeMs } = stats;
  const isFolder = stats.isDirectory();
  yield isFolder ? place : `${place}\0${mode} ${size} ${mtimeMs}`;
  if (!isFolder) return;
  for (const name of (await readdir(place)).toSorted()) yield* factsBelow(path.join(place, name));
}
