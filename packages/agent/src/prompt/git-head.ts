/**
 * Which branch a repository is on, read from its files. Asking git would cost a process before the first request, and in a
 * folder that nobody trusts git may run what its configuration names. The model can ask for the status itself.
 */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { readSmallFile } from './small-file.ts';

/** Undefined where HEAD is on no branch, or cannot be read. */
export function branchOf(top: string): string | undefined {
  const head = headOf(gitFolder(path.join(top, '.git')));
  return head === undefined ? undefined : branchIn(head);
}

export function describeHead(top: string): string {
  const folder = gitFolder(path.join(top, '.git'));
  const head = headOf(folder);
  if (folder === undefined || head === undefined) return 'its HEAD cannot be read';
  const branch = branchIn(head);
  const where = branch === undefined ? `detached at ${head.trim().slice(0, 12)}` : `on branch ${branch}`;
  const busy = UNDER_WAY.filter(([file]) => existsSync(path.join(folder, file))).map(([, what]) => what);
  return [where, ...busy].join(', ');
}

function headOf(folder: string | undefined): string | undefined {
  return folder === undefined ? undefined : readSmallFile(path.join(folder, 'HEAD'), MOST_BYTES)?.text;
}

function branchIn(head: string): string | undefined {
  return /^ref: refs\/heads\/(.+)$/m.exec(head)?.[1];
}

const MOST_BYTES = 4_096;

/** What a repository may be in the middle of. */
const UNDER_WAY: readonly (readonly [file: string, what: string])[] = [
  ['MERGE_HEAD', 'in the middle of a merge'],
  ['rebase-merge', 'in the middle of a rebase'],
  ['rebase-apply', 'in the middle of a rebase'],
  ['CHERRY_PICK_HEAD', 'in the middle of a cherry-pick'],
  ['REVERT_HEAD', 'in the middle of a revert'],
  ['BISECT_LOG', 'in the middle of a bisection'],
];

/** In a worktree or a submodule, `.git` is a file that names the folder. */
function gitFolder(dotGit: string): string | undefined {
  const text = readSmallFile(dotGit, MOST_BYTES)?.text;
  if (text === undefined) return existsSync(dotGit) ? dotGit : undefined;
  const named = /^gitdir: (.+)$/m.exec(text)?.[1];
  return named === undefined ? undefined : path.resolve(path.dirname(dotGit), named);
}
