/**
 * Lists paths that no sandboxed command may write, existing or not: agent settings, files that git runs, start-up files
 * of shells. Otherwise a command could leave a program behind that later runs outside.
 */
import path from 'node:path';
import { PROTECTED_PLACES, type SandboxAccess } from '../../permission/paths/protected-places.ts';
import type { PolicyInput, Repository } from './ground.ts';

/** Returns the guarded paths of a writable folder. */
export function guardedIn(folder: string, { kindOf }: Pick<PolicyInput, 'kindOf'>): string[] {
  if (kindOf(folder) === 'file') return [];
  const inFolder = (name: string): string => path.join(folder, name);
  return [
    ...protectedIn(folder, 'locked'),
    ...[...protectedIn(folder, 'locked in home'), ...protectedIn(folder, 'locked if present')].filter(
      (file) => kindOf(file) !== 'absent',
    ),
    ...gitIn(inFolder('.git'), kindOf),
    // Mercurial runs the hooks of this file, whether it exists yet or not.
    ...(kindOf(inFolder('.hg')) === 'absent' ? [] : [inFolder('.hg/hgrc')]),
  ];
}

/** Names with a wildcard are left out, because only existing names can be mounted over. The scan of the folders finds those. */
function protectedIn(folder: string, access: SandboxAccess): string[] {
  return PROTECTED_PLACES.filter(
    ({ segments, fromRoot, sandbox }) =>
      sandbox === access && !fromRoot && !segments.some((segment) => segment.includes('*')),
  ).map(({ segments }) => path.join(folder, ...segments));
}

/** Guards the whole `.git` if there is no repository: one made by a command would have hooks of its choice. */
function gitIn(git: string, kindOf: PolicyInput['kindOf']): string[] {
  return kindOf(path.join(git, 'HEAD')) === 'absent' ? [git] : guardedInGitDir(git);
}

/**
 * Returns the files of a repository that decide which programs git runs, or that include other settings, existing or
 * not. Commits, branches and the index stay writable.
 */
export function guardedInGitDir(git: string): string[] {
  return [
    'hooks',
    'config',
    'config.worktree',
    'commondir',
    'info/attributes',
    'objects/info/alternates',
  ].map((name) => path.join(git, name));
}

/** Returns the guarded paths of a repository outside of the project. */
export function guardedInGit({ folder, worktree }: Repository): string[] {
  const pointers =
    worktree === undefined
      ? []
      : ['commondir', 'gitdir', 'config.worktree'].map((name) => path.join(worktree, name));
  return [...guardedInGitDir(folder), ...pointers];
}

export function guardedInHome(home: string, { kindOf }: Pick<PolicyInput, 'kindOf'>): string[] {
  return [
    ...protectedIn(home, 'locked'),
    ...protectedIn(home, 'locked in home'),
    ...protectedIn(home, 'locked if present').filter((file) => kindOf(file) !== 'absent'),
  ];
}
