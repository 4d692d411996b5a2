/** A git worktree for one subagent: it works on a copy of the repository, which is removed if it changed nothing. */
import { execFile } from 'node:child_process';
import { existsSync, lstatSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { errorMessage, untilAborted } from '@heddle/core';
import { findProgram } from '@heddle/tools';
import { codeOutside } from '@heddle/tools/shell';
import type { AgentHooks } from '../engine/options.ts';
import { linkTarget, readRegularFile } from '../settings/json-file.ts';
import { acceptedRepositoryTop } from '../settings/scopes.ts';
import { isReallyWithin, realPath, trustIn } from '../settings/trust.ts';
import type { ChildRecord, ChildResult, Worktree } from './record.ts';
import type { RunningChild } from './running-child.ts';

export type OpenedWorktree =
  | { readonly ok: true; readonly worktree: Worktree }
  | { readonly ok: false; readonly message: string };

/** A checkout of a large repository takes a while. */
const GIT_LIMIT_MS = 120_000;

const NOT_TRUSTED =
  'The folder is not trusted, so no worktree is checked out: filters of the repository could run programs. Trust the folder, or leave out the isolation.';

/** Opens the worktree of a subagent, or the one of its last run. Returns the reason if that is not possible. */
export async function enterWorktree(
  child: RunningChild,
  hooks: AgentHooks | undefined,
  isPlanning: boolean,
): Promise<string | undefined> {
  const { signal } = child;
  const { agentId, worktree: known, cwd } = child.record;
  if (known && !isOwn(known, child.record)) return FOREIGN;
  if (known && !isTrusted(known.top)) return NOT_TRUSTED;
  if (isPlanning) return known && isOpen(known) ? undefined : PLANNING;
  const asked = known ? undefined : hooks?.worktreeCreate?.(agentId, signal);
  const refusal = asked && (await untilAborted(asked, signal, () => STOPPED));
  if (refusal !== undefined) return refusal;
  const opened = await (known ? reopenWorktree(known, signal) : openWorktree(cwd, agentId, signal));
  if (!opened.ok) return opened.message;
  const { worktree } = opened;
  if (!known) child.update({ worktree, cwd: folderInWorktree(worktree, cwd) });
  return undefined;
}

const STOPPED = 'It was stopped before.';
const FOREIGN = 'The worktree in its record is not one that was made for it.';
const PLANNING = 'In plan mode no worktree is created, and the one of this subagent is gone.';

/** Removes a worktree without changes, but not in plan mode. The report names one that is kept. */
export async function leaveWorktree(
  { record: { worktree } }: RunningChild,
  result: ChildResult,
  hooks: AgentHooks | undefined,
  isPlanning: boolean,
): Promise<ChildResult> {
  if (!worktree || isPlanning) return result;
  if (!(await isWorktreeChanged(worktree)) && (await removeWorktree(worktree))) {
    hooks?.worktreeRemove?.(worktree.path);
    return result;
  }
  const place = `Its changes are in the worktree ${worktree.path}, on the branch ${worktree.branch}.`;
  return { ...result, text: `${result.text}\n\n${place}` };
}

/**
 * Creates a worktree with a branch of its own, from the last commit.
 *
 * Contract: never rejects. Git hooks do not run. The folder is below `.heddle/worktrees` of the repository, which git ignores.
 */
export async function openWorktree(cwd: string, id: string, signal: AbortSignal): Promise<OpenedWorktree> {
  const found = acceptedRepositoryTop(realPath(cwd));
  if (found === undefined) return { ok: false, message: `${cwd} is not in a git repository.` };
  const top = realPath(found);
  if (!isTrusted(top)) return { ok: false, message: NOT_TRUSTED };
  const worktree = placeOf(top, id);
  const folder = path.dirname(worktree.path);
  if (linkTarget(folder) !== folder) return { ok: false, message: `A link in ${folder} leads elsewhere.` };
  try {
    const base = (await git(top, ['rev-parse', '--verify', 'HEAD^{commit}'], signal)).trim();
    mkdirSync(folder, { recursive: true });
    // The folder ignores itself, so that the status of the repository stays as it is.
    const ignore = path.join(folder, '.gitignore');
    // The flag prevents writing through a link of that name.
    if (!lstatSync(ignore, { throwIfNoEntry: false })) writeFileSync(ignore, '*\n', { flag: 'wx' });
    if (existsSync(worktree.path)) await removeUnused(worktree, signal);
    await git(top, ['worktree', 'add', '--quiet', '-B', worktree.branch, worktree.path, base], signal);
    return { ok: true, worktree: { ...worktree, base } };
  } catch (thrown) {
    return { ok: false, message: `Git cannot create a worktree: ${errorMessage(thrown)}` };
  }
}

function isTrusted(top: string): boolean {
  return trustIn({ home: os.homedir(), env: process.env })(top);
}

function placeOf(top: string, id: string): Omit<Worktree, 'base'> {
  return { top, path: path.join(top, '.heddle', 'worktrees', id), branch: `heddle/${id}` };
}

/** A record is a file. Git must not run where, or with what, another program wrote into it. */
function isOwn(
  { top, path: folder, branch, base }: Worktree,
  { agentId, cwd }: Pick<ChildRecord, 'agentId' | 'cwd'>,
): boolean {
  const own = placeOf(top, agentId);
  const isSame = folder === own.path && branch === own.branch && /^[\da-f]{40,64}$/.test(base);
  if (!isSame || top !== realPath(top) || acceptedRepositoryTop(top) !== top) return false;
  return linkTarget(folder) === folder && isReallyWithin(cwd, folder);
}

/** A program that ended while it created the worktree left it behind, perhaps incomplete. Its subagent had not begun. */
async function removeUnused(
  { top, path: folder }: Pick<Worktree, 'top' | 'path'>,
  signal: AbortSignal,
): Promise<void> {
  // Git locks a worktree while it creates it, so one `--force` is not enough.
  await git(top, ['worktree', 'remove', '--force', '--force', folder], signal).catch(() => undefined);
  rmSync(folder, { recursive: true, force: true });
  await git(top, ['worktree', 'prune'], signal);
}

/** Creates the folder of a worktree again if it is gone. Its branch may contain commits. */
async function reopenWorktree(worktree: Worktree, signal: AbortSignal): Promise<OpenedWorktree> {
  if (isOpen(worktree)) return { ok: true, worktree };
  const { top, branch, base } = worktree;
  try {
    await git(top, ['worktree', 'prune'], signal);
    const hasBranch = await git(top, ['rev-parse', '--verify', `refs/heads/${branch}`], signal).then(
      () => true,
      () => false,
    );
    const from = hasBranch ? [worktree.path, branch] : ['-b', branch, worktree.path, base];
    await git(top, ['worktree', 'add', '--quiet', ...from], signal);
    return { ok: true, worktree };
  } catch (thrown) {
    return { ok: false, message: `Git cannot create the worktree again: ${errorMessage(thrown)}` };
  }
}

function isOpen({ path: folder }: Worktree): boolean {
  return existsSync(path.join(folder, '.git'));
}

/** Whether it contains commits or files that the repository does not have. A failure counts as a change. */
async function isWorktreeChanged({ top, path: folder, base }: Worktree): Promise<boolean> {
  try {
    const shared = await sharedFolder(top);
    const own = gitFolderOf(folder);
    // Its settings would count, too. A command that runs in a sandbox can write them.
    if (path.dirname(own) !== path.join(shared, 'worktrees') || existsSync(path.join(own, 'config.worktree')))
      return true;
    const places = { GIT_DIR: own, GIT_COMMON_DIR: shared, GIT_WORK_TREE: folder };
    const inside = (args: readonly string[]): Promise<string> => execGit(folder, args, { places });
    const head = (await inside(['rev-parse', 'HEAD'])).trim();
    // Git would run itself in nested repositories, with their settings. Another commit in one of them is noticed without that.
    const status = ['status', '--porcelain', '--untracked-files=all', '--ignore-submodules=dirty'];
    return head !== base || (await inside(status)) !== '';
  } catch {
    return existsSync(folder);
  }
}

/** Removes the folder and the branch. Returns false if git refuses. */
async function removeWorktree({ top, path: folder, branch }: Worktree): Promise<boolean> {
  try {
    await git(top, ['worktree', 'remove', '--force', folder]);
    // Not with `git branch`, which replaces the file with the settings. That would end its protection in running sandboxes.
    await git(top, ['update-ref', '-d', `refs/heads/${branch}`]);
    return true;
  } catch {
    return !existsSync(folder);
  }
}

/** The folder of the worktree that corresponds to a folder of the repository. */
function folderInWorktree({ top, path: folder }: Worktree, cwd: string): string {
  const inside = path.relative(top, realPath(cwd));
  const counterpart = path.join(folder, inside);
  return !inside.startsWith('..') && isReallyWithin(counterpart, folder) ? counterpart : folder;
}

const NO_PROGRAMS = ['-c', 'core.hooksPath=/dev/null', '-c', 'core.fsmonitor=false'];

/**
 * Runs git at the top of the repository. Files of a new worktree name the folder with its settings, and a command in a sandbox that is
 * already running can change them. So git is told the folder.
 */
async function git(top: string, args: readonly string[], signal?: AbortSignal): Promise<string> {
  return execGit(top, args, { signal, places: { GIT_COMMON_DIR: await sharedFolder(top, signal) } });
}

/** Returns the folder that all worktrees of the repository share. */
async function sharedFolder(top: string, signal?: AbortSignal): Promise<string> {
  const asked = ['rev-parse', '--path-format=absolute', '--git-common-dir'];
  return (await execGit(top, asked, { signal })).replace(/\n$/, '');
}

/** Returns the folder of git for a worktree. No command in a sandbox can change the file that names it. */
function gitFolderOf(worktree: string): string {
  const [, named = ''] = /^gitdir: (.+)$/m.exec(readRegularFile(path.join(worktree, '.git'))) ?? [];
  return path.resolve(worktree, named);
}

interface GitRun {
  readonly signal?: AbortSignal | undefined;
  /** Variables with folders of git. */
  readonly places?: Readonly<Record<string, string>>;
}

function execGit(cwd: string, args: readonly string[], { signal, places }: GitRun = {}): Promise<string> {
  const variables = Object.entries(process.env).filter(([name]) =>
    /^(PATH|HOME|LANG|LC_\w+|TMPDIR)$/.test(name),
  );
  const given = Object.fromEntries(variables);
  const env = { ...given, ...codeOutside([process.cwd(), cwd], given), ...places, GIT_TERMINAL_PROMPT: '0' };
  const program = findProgram(given['PATH'], 'git', [cwd]);
  if (program === undefined) return Promise.reject(new Error('Git is not installed.'));
  const options = { cwd, env, signal, timeout: GIT_LIMIT_MS, maxBuffer: 64 * 1_024 * 1_024 };
  return new Promise((resolve, reject) => {
    execFile(program, [...NO_PROGRAMS, ...args], options, (error, stdout, stderr) => {
      if (error) reject(new Error(stderr.trim() || error.message));
      else resolve(stdout);
    });
  });
}
