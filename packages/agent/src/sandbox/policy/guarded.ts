/**
 * What no sandboxed command may write, whether it exists or not: the agent's own settings, what git runs by itself, what a
 * shell runs at its start. Otherwise a command could leave something behind that runs outside, later.
 */
import path from 'node:path';
import { PROTECTED_PLACES, type SandboxAccess } from '../../permission/paths/protected-places.ts';
import type { Ground, Repository } from './ground.ts';

/** In any folder that may be written. */
export function guardedIn(folder: string, { kindOf }: Pick<Ground, 'kindOf'>): string[] {
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

/** Names with a wildcard cannot be mounted over. */
function protectedIn(folder: string, access: SandboxAccess): string[] {
  return PROTECTED_PLACES.filter(
    ({ segments, fromRoot, sandbox }) =>
      sandbox === access && !fromRoot && !segments.some((segment) => segment.includes('*')),
  ).map(({ segments }) => path.join(folder, ...segments));
}

/** Where there is no repository, one made inside would have hooks of the command's choice. */
function gitIn(git: string, kindOf: Ground['kindOf']): string[] {
  return kindOf(path.join(git, 'HEAD')) === 'absent' ? [git] : guardedInGitDir(git);
}

/**
 * The files of a repository that decide what git runs, or lead it to other settings. They are kept whether they exist or
 * not. Commits, branches and the index may change.
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

/** Of a repository around the project. */
export function guardedInGit({ folder, worktree }: Repository): string[] {
  const pointers =
    worktree === undefined
      ? []
      : ['commondir', 'gitdir', 'config.worktree'].map((name) => path.join(worktree, name));
  return [...guardedInGitDir(folder), ...pointers];
}

export function guardedInHome(home: string, { kindOf }: Pick<Ground, 'kindOf'>): string[] {
  return [
    ...protectedIn(home, 'locked'),
    ...protectedIn(home, 'locked in home'),
    ...protectedIn(home, 'locked if present').filter((file) => kindOf(file) !== 'absent'),
  ];
}
