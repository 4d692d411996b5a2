/**
 * Finds programs that a repository makes git run, without a word of the command: a file monitor, a filter, a hook, an editor. A rule
 * for `git status` is not meant for them. In a trusted folder they are the user's choice. A bare repository among the files of the
 * project counts there, too, because a clone can contain one.
 */
import path from 'node:path';
import { ADDRESS_PREFIX } from '@heddle/tools/git';
import type { ShellWord } from '@heddle/tools/shell';
import { isInside, leadsAnywhere, placesOf } from '../paths/places.ts';
import type { PermissionWorld } from '../world.ts';
import {
  foldersIn,
  mayConnect,
  type NamedRepository,
  namedRepositories,
  resolvedFrom,
} from './files/git-addresses.ts';
import { gitArguments } from './files/git-arguments.ts';
import { mayBeMoved } from './git-folders.ts';
import type { WordScope } from './possible-values.ts';
import { baseName } from './runners.ts';

/** Commands that run hooks by design, also those for refs and the index. */
const RUNS_HOOKS =
  /^(commit|merge|pull|push|rebase|checkout|switch|am|cherry-pick|revert|worktree|clone|gc|maintenance)$/;
/** Returns the reason why only a rule for all commands covers a git command, or undefined. */
export function findRepositoryProgram(
  [name, ...args]: readonly ShellWord[],
  scope: WordScope,
): string | undefined {
  const { world } = scope;
  if (name === undefined || baseName(name.value) !== 'git' || !world.repositoryPrograms) return undefined;
  const { command } = gitArguments(args);
  const named = namedRepositories(args, scope);
  const unknown = named.find(({ data }) => data.includes(undefined));
  if (unknown) return `${unknown.place} may name a repository of git, whose settings can run programs.`;
  const git = { command, connects: mayConnect(args), isOther: false };
  const looked = [
    ...ownFolders(args, scope).map((folder) => ({ folder, git })),
    ...otherFolders(named, world).map((folder) => ({ folder, git: { ...git, isOther: true } })),
  ];
  for (const { folder, git: inside } of looked) {
    const reason = reasonIn(folder, inside, world) ?? reasonAfterWait(folder, world);
    if (reason !== undefined) return reason;
  }
  return undefined;
}

interface GitCommand {
  readonly command: string;
  readonly connects: boolean;
  /** The folder is that of another repository, to which the command connects. */
  readonly isOther: boolean;
}

/** They read another repository. Other commands that connect may push to it, and it runs its hooks. */
const ONLY_FETCHES =
  /^(fetch|pull|clone|ls-remote|fetch-pack|archive|remote|upload-pack|upload-archive|request-pull)$/;

function reasonIn(
  folder: string,
  { command, connects, isOther }: GitCommand,
  world: PermissionWorld,
): string | undefined {
  // Neither its settings nor the trust in it are those of the folder that git would use.
  if (leadsAnywhere(folder, world))
    return `${folder} may mean another folder for git than for the process that decides.`;
  const { named, unclear, receiving = [] } = world.repositoryPrograms?.(folder) ?? { named: [] };
  if (unclear !== undefined && placesOf(unclear, ['/'], world).some((place) => isInside(place, world)))
    return `${unclear} may be a repository of git among the files of the project, whose settings can run programs.`;
  if (trustsRepository(folder, world)) return undefined;
  if (named === undefined) return `The settings of the repository around ${folder} are unknown.`;
  const hooks = isOther && !ONLY_FETCHES.test(command) ? receiving : [];
  const program = [...hooks, ...named].find((key) => {
    if (hooks.includes(key)) return true;
    if (key.startsWith('hooks/')) return !RUNS_HOOKS.test(command);
    if (key.startsWith(ADDRESS_PREFIX)) return connects;
    return !key.startsWith('alias.') || key === `alias.${command.toLowerCase()}`;
  });
  return program === undefined
    ? undefined
    : `The repository can make git run a program or change other places (${program}), and the folder ${topOf(folder, world) ?? folder} is not trusted.`;
}

function reasonAfterWait(folder: string, world: PermissionWorld): string | undefined {
  if (world.idles !== true || !mayBeMoved(folder, world)) return undefined;
  if (topOf(folder, world) === folder || trustsRepository(folder, world)) return undefined;
  return `The script may wait before git starts in ${folder}. Meanwhile, another call may put a repository there, whose settings can run programs.`;
}

/** Trust in a folder does not cover a repository around it, whose settings git uses. */
export function trustsRepository(folder: string, world: PermissionWorld): boolean {
  if (world.isTrusted?.(folder) !== true) return false;
  if (world.repository(folder) === 'none') return true;
  const top = topOf(folder, world);
  return top !== undefined && world.isTrusted(top);
}

/** Returns the folder with the data of the repository around a folder. Undefined if there is none, or if it is unknown. */
function topOf(folder: string, world: PermissionWorld): string | undefined {
  const found = world.repository(folder);
  if (typeof found === 'object') return found.top;
  const { named, unclear } = world.repositoryPrograms?.(folder) ?? {};
  return named === undefined ? undefined : unclear;
}

/** Returns the folders in which git looks for its own repository. */
function ownFolders(args: readonly ShellWord[], scope: WordScope): readonly string[] {
  const { gitDir } = gitArguments(args);
  const inside = foldersIn(args, scope);
  return resolvedFrom(gitDir, inside, scope).map((place) =>
    path.posix.basename(place) === '.git' ? path.posix.dirname(place) : place,
  );
}

/** A repository with a working tree is known by the folder of that. */
function otherFolders(named: readonly NamedRepository[], { exists }: PermissionWorld): readonly string[] {
  const data = named.flatMap((each) => each.data.flatMap((folder) => folder ?? []));
  return [
    ...named.map(({ place }) => place).filter((place) => exists(place)),
    ...data.map((folder) => folder.replace(/\/\.git(\/.*)?$/s, '') || '/'),
  ];
}
