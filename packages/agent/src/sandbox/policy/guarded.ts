/**
 * What no sandboxed command may write, whether it exists or not: the agent's own settings, what git runs by itself, what a
 * shell runs at its start. Otherwise a command could leave something behind that runs outside, later.
 */
import path from 'node:path';
import type { Ground, Repository } from './policy.ts';

const AGENT_OWN = ['.claude', '.heddle', '.mcp.json'];

const HOME_FILES = (
  '.bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .zshrc .zshenv .zprofile .zlogin .zlogout ' +
  '.kshrc .mkshrc .cshrc .tcshrc .login .logout .inputrc .gitconfig .claude.json .mcp.json'
).split(' ');
const HOME_FOLDERS = ['.ssh', '.config/git', '.config/fish', '.claude', '.heddle'];

/** In any folder that may be written. */
export function guardedIn(folder: string, { kindOf }: Pick<Ground, 'kindOf'>): string[] {
  if (kindOf(folder) === 'file') return [];
  const inFolder = (name: string): string => path.join(folder, name);
  return [...AGENT_OWN.map(inFolder), ...gitIn(inFolder('.git'), kindOf)];
}

/** A file names the folder that is meant. Where there is no repository, one made inside would have hooks of the command's choice. */
function gitIn(git: string, kindOf: Ground['kindOf']): string[] {
  const isRepository = kindOf(path.join(git, 'HEAD')) !== 'absent';
  return isRepository ? [path.join(git, 'hooks'), path.join(git, 'config')] : [git];
}

/** Of a repository around the project: what it keeps may change, what it runs may not. */
export function guardedInGit({ folder, worktree }: Repository, { kindOf }: Pick<Ground, 'kindOf'>): string[] {
  const pointers =
    worktree === undefined
      ? []
      : ['commondir', 'gitdir', 'config.worktree'].map((name) => path.join(worktree, name));
  return [
    path.join(folder, 'hooks'),
    path.join(folder, 'config'),
    // Where they are missing, something empty in their place would break git.
    ...[...pointers, path.join(folder, 'config.worktree')].filter((file) => kindOf(file) !== 'absent'),
  ];
}

export function guardedInHome(home: string): string[] {
  return [...HOME_FILES, ...HOME_FOLDERS].map((name) => path.join(home, name));
}
