/**
 * A git worktree for one subagent: it works on a copy of the repository, which is removed if it changed nothing.
 *
 * Heddle removes only a worktree and a branch that it created for this subagent, and that are unchanged. A name that is taken is left to
 * its owner. The record names a worktree before it is created, so that a later process knows what is its own.
 */
import { existsSync, lstatSync, mkdirSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { errorMessage, untilAborted } from '@heddle/core';
import type { AgentHooks } from '../engine/options.ts';
import { linkTarget } from '../settings/json-file.ts';
import { acceptedRepositoryTop } from '../settings/scopes.ts';
import { isReallyWithin, realPath, trustIn } from '../settings/trust.ts';
import { gitAtTop as git, gitFolderOf } from './git-of-worktree.ts';
import { type ChildRecord, type ChildResult, isCreated, type Worktree } from './record.ts';
import type { RunningChild } from './running-child.ts';
import { digestOfIgnored, isWorktreeChanged } from './worktree-changes.ts';

export type OpenedWorktree =
  | { readonly ok: true; readonly worktree: Worktree }
  | { readonly ok: false; readonly message: string };

/** The hooks and the mode of a conversation, which decide about its worktrees. */
interface WorktreeRules {
  readonly hooks: AgentHooks | undefined;
  /** In plan mode nothing is created or removed. The mode may change during each wait, so it is read before each effect. */
  readonly isPlanning: () => boolean;
}

interface Creation {
  readonly isPlanning?: WorktreeRules['isPlanning'] | undefined;
  /** The branch of a worktree was created. The worktree follows. */
  readonly onBegun?: (worktree: Worktree) => void;
}

const NOT_TRUSTED =
  'The folder is not trusted, so no worktree is checked out: filters of the repository could run programs. Trust the folder, or leave out the isolation.';

/** Opens the worktree of a subagent, or the one of its last run. Returns the reason if that is not possible. */
export async function enterWorktree(
  child: RunningChild,
  { hooks, isPlanning }: WorktreeRules,
): Promise<string | undefined> {
  const { signal } = child;
  const { agentId, worktree: known, cwd } = child.record;
  if (known && !isOwn(known, child.record)) return FOREIGN;
  if (known && !isTrusted(known.top)) return NOT_TRUSTED;
  const created = isCreated(known) ? known : undefined;
  if (isPlanning()) return created && isOpen(created) ? undefined : PLANNING;
  const asked = created ? undefined : hooks?.worktreeCreate?.(agentId, signal);
  const refusal = asked && (await untilAborted(asked, signal, () => STOPPED));
  if (refusal !== undefined) return refusal;
  const onBegun = (worktree: Worktree): void => child.update({ worktree });
  const creation = { isPlanning, onBegun };
  const continued = known && (await continueWorktree(known, signal, creation));
  const opened = continued ?? (await openWorktree(cwd, agentId, signal, creation));
  if (!opened.ok) {
    if (!created) child.update({ worktree: known });
    return opened.message;
  }
  const { worktree } = opened;
  if (worktree !== known) child.update({ worktree, cwd: folderInWorktree(worktree, cwd) });
  return undefined;
}

const STOPPED = 'It was stopped before.';
const FOREIGN = 'The worktree in its record is not one that was made for it.';
const PLANNING = 'In plan mode no worktree is created, and the one of this subagent is gone.';

/** Notes the files that git ignores, such as packages that a hook copied. They are not changes of the subagent. */
export async function noteIgnored(child: RunningChild): Promise<void> {
  const { worktree } = child.record;
  if (!worktree || worktree.ignored !== undefined) return;
  const ignored = await digestOfIgnored(worktree);
  if (ignored !== undefined) child.update({ worktree: { ...worktree, ignored } });
}

/** Removes a worktree without changes, but not in plan mode. The report names one that is kept. */
export async function leaveWorktree(
  child: RunningChild,
  result: ChildResult,
  { hooks, isPlanning }: WorktreeRules,
): Promise<ChildResult> {
  const { worktree } = child.record;
  if (!worktree || isPlanning()) return result;
  const isChanged = await isWorktreeChanged(worktree);
  if (isPlanning()) return result;
  // Two sessions could have the same worktree of an earlier version.
  const isRemovable = !isChanged && worktree.state === 'created';
  if (isRemovable && (await removeWorktree(worktree))) {
    child.update({ worktree: undefined });
    hooks?.worktreeRemove?.(worktree.path);
    return result;
  }
  const place = `the worktree ${worktree.path}, on the branch ${worktree.branch}.`;
  const report = isChanged ? `Its changes are in ${place}` : `It changed nothing in ${place}`;
  return { ...result, text: `${result.text}\n\n${report}` };
}

/**
 * Creates a worktree with a branch of its own, from the last commit. If the name is taken, it gets another one.
 *
 * Contract: never rejects. Git hooks do not run. The folder is below `.heddle/worktrees` of the repository, which git ignores.
 */
export async function openWorktree(
  cwd: string,
  id: string,
  signal: AbortSignal,
  { isPlanning, onBegun }: Creation = {},
): Promise<OpenedWorktree> {
  const found = acceptedRepositoryTop(realPath(cwd));
  if (found === undefined) return { ok: false, message: `${cwd} is not in a git repository.` };
  const top = realPath(found);
  if (!isTrusted(top)) return { ok: false, message: NOT_TRUSTED };
  const folder = path.dirname(placeOf(top, id).path);
  if (linkTarget(folder) !== folder) return { ok: false, message: `A link in ${folder} leads elsewhere.` };
  try {
    const base = (await git(top, ['rev-parse', '--verify', 'HEAD^{commit}'], signal)).trim();
    const registered = new Set((await registeredWorktrees(top, signal)).map((one) => one.path));
    for (let nth = 1; ; nth++) {
      const worktree = { ...placeOf(top, nth === 1 ? id : `${id}-${nth}`), base };
      if (registered.has(worktree.path)) continue;
      if (lstatSync(worktree.path, { throwIfNoEntry: false })) continue;
      if (await hasBranch(worktree, signal)) continue;
      if (isPlanning?.()) return { ok: false, message: PLANNING };
      if (!(await createBranch(worktree, signal))) continue;
      onBegun?.({ ...worktree, state: 'creating' });
      return await checkOut(worktree, signal, isPlanning);
    }
  } catch (thrown) {
    return { ok: false, message: `Git cannot create a worktree: ${errorMessage(thrown)}` };
  }
}

function isTrusted(top: string): boolean {
  return trustIn({ home: os.homedir(), env: process.env })(top);
}

function placeOf(top: string, name: string): Pick<Worktree, 'top' | 'path' | 'branch'> {
  return { top, path: path.join(top, '.heddle', 'worktrees', name), branch: `heddle/${name}` };
}

/** A record is a file. Git must not run where, or with what, another program wrote into it. */
function isOwn(worktree: Worktree, { agentId, cwd }: Pick<ChildRecord, 'agentId' | 'cwd'>): boolean {
  const { top, path: folder, branch, base } = worktree;
  const name = path.basename(folder);
  const own = placeOf(top, name);
  const isNamed = name.startsWith(agentId) && /^(-[1-9]\d*)?$/.test(name.slice(agentId.length));
  const isSame = folder === own.path && branch === own.branch && /^[\da-f]{40,64}$/.test(base);
  if (!isNamed || !isSame || top !== realPath(top) || acceptedRepositoryTop(top) !== top) return false;
  return linkTarget(folder) === folder && (!isCreated(worktree) || isReallyWithin(cwd, folder));
}

/** Returns false if the branch exists. */
async function createBranch(worktree: Worktree, signal: AbortSignal): Promise<boolean> {
  const { top, branch, base } = worktree;
  const missing = '0'.repeat(base.length);
  try {
    await git(top, ['update-ref', '--no-deref', `refs/heads/${branch}`, base, missing], signal);
    return true;
  } catch (thrown) {
    if (await hasBranch(worktree, signal)) return false;
    throw thrown;
  }
}

/** Checks out a branch that was created for it. A failure leaves nothing behind. */
async function checkOut(
  worktree: Worktree,
  signal: AbortSignal,
  isPlanning: Creation['isPlanning'],
): Promise<OpenedWorktree> {
  const { top, path: place, branch } = worktree;
  try {
    if (isPlanning?.()) {
      await deleteBranch(worktree);
      return { ok: false, message: PLANNING };
    }
    ignoreOwnFolder(path.dirname(place));
    await git(top, ['worktree', 'add', '--quiet', place, branch], signal);
    return { ok: true, worktree: { ...worktree, state: 'created' } };
  } catch (thrown) {
    if (!existsSync(place)) await deleteBranch(worktree).catch(() => undefined);
    throw thrown;
  }
}

/** The folder ignores itself, so that the status of the repository stays as it is. */
function ignoreOwnFolder(folder: string): void {
  mkdirSync(folder, { recursive: true });
  const ignore = path.join(folder, '.gitignore');
  // The flag prevents writing through a link of that name.
  if (!lstatSync(ignore, { throwIfNoEntry: false })) writeFileSync(ignore, '*\n', { flag: 'wx' });
}

/** Returns the worktree of an earlier run. Undefined if its creation was interrupted, and another one must be created. */
async function continueWorktree(
  known: Worktree,
  signal: AbortSignal,
  { isPlanning }: Creation,
): Promise<OpenedWorktree | undefined> {
  if (isCreated(known)) return reopenWorktree(known, signal, isPlanning);
  try {
    // An incomplete one stays as it is: it could contain work of the user, and git may still be running there.
    if (existsSync(known.path))
      return (await isComplete(known)) ? { ok: true, worktree: { ...known, state: 'created' } } : undefined;
    const isUnchanged = (await commitOf(known, signal)) === known.base;
    return isUnchanged ? await checkOut(known, signal, isPlanning) : undefined;
  } catch {
    return undefined;
  }
}

/** Git locks a worktree while it creates it. */
async function isComplete(worktree: Worktree): Promise<boolean> {
  const isLocked = existsSync(path.join(gitFolderOf(worktree.path), 'locked'));
  return !isLocked && !(await isWorktreeChanged(worktree));
}

/** Creates the folder of a worktree again if it is gone. Its branch may contain commits. */
async function reopenWorktree(
  worktree: Worktree,
  signal: AbortSignal,
  isPlanning: Creation['isPlanning'],
): Promise<OpenedWorktree> {
  if (isOpen(worktree)) return { ok: true, worktree };
  const { top, path: place, branch } = worktree;
  try {
    const entries = await registeredWorktrees(top, signal);
    const isLeft = entries.some((one) => one.path === place && one.branch === branch);
    const isKnown = (await commitOf(worktree, signal)) !== undefined;
    if (isPlanning?.()) return { ok: false, message: PLANNING };
    // Only the entry of git is left. `git worktree prune` would remove the entries of other worktrees, too.
    if (isLeft && !existsSync(place)) await git(top, ['worktree', 'remove', place], signal);
    if (isPlanning?.()) return { ok: false, message: PLANNING };
    if (!isKnown && !(await createBranch(worktree, signal))) throw new Error(`The branch ${branch} is new.`);
    ignoreOwnFolder(path.dirname(place));
    await git(top, ['worktree', 'add', '--quiet', place, branch], signal);
    return { ok: true, worktree };
  } catch (thrown) {
    return { ok: false, message: `Git cannot create the worktree again: ${errorMessage(thrown)}` };
  }
}

function isOpen({ path: folder }: Worktree): boolean {
  return existsSync(path.join(folder, '.git'));
}

/** Removes the folder and the branch. Returns false if git refuses, as for a worktree that the user locked. */
async function removeWorktree(worktree: Worktree): Promise<boolean> {
  const { top, path: folder } = worktree;
  try {
    await git(top, ['worktree', 'remove', '--force', folder]);
    await deleteBranch(worktree);
    return true;
  } catch {
    return !existsSync(folder);
  }
}

/** Deletes the branch unless it has another commit, or is checked out. */
async function deleteBranch({ top, branch, base }: Worktree): Promise<void> {
  if ((await registeredWorktrees(top)).some((one) => one.branch === branch)) return;
  // Not with `git branch`, which replaces the file with the settings. That would end its protection in running sandboxes.
  await git(top, ['update-ref', '--no-deref', '-d', `refs/heads/${branch}`, base]);
}

/** Whether there is a branch of this name, or one that git stores below it. */
async function hasBranch({ top, branch }: Worktree, signal: AbortSignal): Promise<boolean> {
  return (await git(top, ['for-each-ref', `refs/heads/${branch}`], signal)) !== '';
}

/** Returns the commit of its branch. Undefined if there is no branch. */
async function commitOf({ top, branch }: Worktree, signal: AbortSignal): Promise<string | undefined> {
  const listed = await git(
    top,
    ['for-each-ref', '--format=%(objectname) %(refname)', 'refs/heads/heddle/'],
    signal,
  );
  const line = listed.split('\n').find((one) => one.endsWith(` refs/heads/${branch}`));
  return line?.split(' ')[0];
}

async function registeredWorktrees(
  top: string,
  signal?: AbortSignal,
): Promise<readonly { readonly path: string; readonly branch: string | undefined }[]> {
  const listed = await git(top, ['worktree', 'list', '--porcelain'], signal);
  return listed.split('\n\n').map((entry) => ({
    path: /^worktree (.*)$/m.exec(entry)?.[1] ?? '',
    branch: /^branch refs\/heads\/(.*)$/m.exec(entry)?.[1],
  }));
}

/** The folder of the worktree that corresponds to a folder of the repository. */
function folderInWorktree({ top, path: folder }: Worktree, cwd: string): string {
  const inside = path.relative(top, realPath(cwd));
  const counterpart = path.join(folder, inside);
  return !inside.startsWith('..') && isReallyWithin(counterpart, folder) ? counterpart : folder;
}
