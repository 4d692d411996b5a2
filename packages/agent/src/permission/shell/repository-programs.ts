/**
 * Finds programs that a repository makes git run, without a word of the command: a file monitor, a filter, a hook, an editor. A rule
 * for `git status` is not meant for them. In a trusted folder they are the user's choice. A bare repository among the files of the
 * project counts there, too, because a clone can contain one.
 */
import path from 'node:path';
import { ADDRESS_PREFIX } from '@heddle/tools/git';
import type { ShellWord } from '@heddle/tools/shell';
import { isInside, placesOf } from '../paths/places.ts';
import type { PermissionWorld } from '../world.ts';
import { gitArguments, type GitArguments } from './files/git-arguments.ts';
import { localPaths } from './files/local-addresses.ts';
import { namesFoundBy, possibleValues, type WordScope } from './possible-values.ts';
import { baseName } from './runners.ts';

/** Commands that run hooks by design, also those for refs and the index. */
const RUNS_HOOKS =
  /^(commit|merge|pull|push|rebase|checkout|switch|am|cherry-pick|revert|worktree|clone|gc|maintenance)$/;
/** Commands whose words, or the settings of a remote, can name another repository on this machine, in which git runs hooks. */
const CONNECTS =
  /^(push|fetch|pull|clone|ls-remote|fetch-pack|send-pack|archive|remote|submodule|lfs|maintenance|subtree)$/;

/** Returns the reason why only a rule for all commands covers a git command, or undefined. */
export function findRepositoryProgram(
  [name, ...args]: readonly ShellWord[],
  scope: WordScope,
): string | undefined {
  const { folders, world } = scope;
  if (name === undefined || baseName(name.value) !== 'git' || !world.repositoryPrograms) return undefined;
  const given = gitArguments(args);
  for (const folder of foldersOf(given, folders ?? [], scope)) {
    const reason = reasonIn(folder, given.command, world);
    if (reason !== undefined) return reason;
  }
  return undefined;
}

function reasonIn(folder: string, command: string, world: PermissionWorld): string | undefined {
  // Neither its settings nor the trust in it are those of the folder that git would use.
  if (world.passesProcess?.(folder) === true)
    return `${folder} means another folder for git than for the process that decides.`;
  const { named, unclear } = world.repositoryPrograms?.(folder) ?? { named: [] };
  if (unclear !== undefined && placesOf(unclear, ['/'], world).some((place) => isInside(place, world)))
    return `${unclear} may be a repository of git among the files of the project, whose settings can run programs.`;
  if (trustsRepository(folder, world)) return undefined;
  if (named === undefined) return `The settings of the repository around ${folder} are unknown.`;
  const program = named.find((key) => {
    if (key.startsWith('hooks/')) return !RUNS_HOOKS.test(command);
    if (key.startsWith(ADDRESS_PREFIX)) return CONNECTS.test(command);
    return !key.startsWith('alias.') || key === `alias.${command.toLowerCase()}`;
  });
  return program === undefined
    ? undefined
    : `The repository can make git run a program or change other places (${program}), and the folder ${topOf(folder, world) ?? folder} is not trusted.`;
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

function foldersOf(given: GitArguments, starts: readonly string[], scope: WordScope): readonly string[] {
  const { folder, gitDir, command, rest } = given;
  const from = (word: ShellWord | undefined, above: readonly string[]): readonly string[] =>
    word === undefined
      ? above
      : valuesOf(word, scope).flatMap((value) => above.map((each) => resolve(each, value)));
  const inside = from(folder, starts);
  const named = gitDir ? from(gitDir, inside) : inside;
  const connected = CONNECTS.test(command)
    ? rest
        .flatMap((word) => valuesOf(word, scope))
        .map((value) => value.replace(/^--[\w-]+=/, ''))
        .flatMap((value) => (value.startsWith('-') ? [] : [value].concat(localPaths(value))))
        .flatMap((value) => inside.map((each) => resolve(each, value)))
        .filter((place) => scope.world.exists(place))
    : [];
  return [
    ...named.map((place) => (path.posix.basename(place) === '.git' ? path.posix.dirname(place) : place)),
    ...connected,
  ];
}

/** Unknown words of git ask anyway. */
function valuesOf(word: ShellWord, scope: WordScope): readonly string[] {
  return (possibleValues(word, scope) ?? []).flatMap(({ text, isGlob }) =>
    isGlob ? (namesFoundBy(text, scope) ?? []) : [text],
  );
}

/** After a link, `..` leads elsewhere, so the path is kept as written. */
function resolve(folder: string, place: string): string {
  return path.posix.isAbsolute(place) ? place : `${folder}/${place}`;
}
