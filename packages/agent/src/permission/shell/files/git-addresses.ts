/** Finds the repositories on this machine that the words of a git command may name: `git push x`, `--repo=x`, `-c branch.main.remote=x`. */
import path from 'node:path';
import { pathsOfAddress, replacedAddresses, REPOSITORY_ENDINGS } from '@heddle/tools/git';
import type { ShellWord } from '@heddle/tools/shell';
import { isInside, placesOf, tildeExpanded } from '../../paths/places.ts';
import type { PermissionWorld } from '../../world.ts';
import { namesFoundBy, possibleValues, type WordScope } from '../possible-values.ts';
import { gitArguments, mayRunOtherCommand } from './git-arguments.ts';

/** Commands whose words, or the settings of a remote, can name another repository on this machine, in which git runs hooks. */
const CONNECTS =
  /^(push|fetch|pull|clone|ls-remote|fetch-pack|send-pack|archive|remote|submodule|submodule--helper|lfs|maintenance|subtree|receive-pack|upload-pack|upload-archive|request-pull)$/;

/** Returns whether the command may connect to another repository. An alias may represent such a command. */
export function mayConnect(args: readonly ShellWord[]): boolean {
  return CONNECTS.test(gitArguments(args).command) || mayRunOtherCommand(args);
}

/** Settings that name a remote. Its name may be an address. */
const REMOTE_SETTING = /^(branch\..*\.(remote|pushremote)|remote\.(pushdefault|.*\.(url|pushurl)))$/is;

export interface NamedRepository {
  /** The full path that the command may mean. */
  readonly place: string;
  /** The folders with the data of repositories that git may find there. Undefined: one that cannot be determined. */
  readonly data: readonly (string | undefined)[];
}

/** Returns the places that a git command may use as repositories, except for its own repository. */
export function namedRepositories(args: readonly ShellWord[], scope: WordScope): readonly NamedRepository[] {
  const { world } = scope;
  const starts = foldersIn(args, scope);
  const written = new Set(addressesIn(args, scope).flatMap((text) => pathsOfAddress(text)));
  const ofSettings = addressesInSettings(args, starts, scope).flatMap((text) => pathsOfAddress(text));
  const addresses = new Set([...written, ...ofSettings]);
  if (addresses.size === 0 && !mayConnect(args)) return [];
  const own = new Set(starts.flatMap((folder) => ownData(folder, world)));
  // Most commands of git start at the top of the repository, wherever they run.
  const folders = new Set([...starts, ...starts.flatMap((folder) => topOf(folder, world))]);
  // Its last word is the new folder.
  const makesFolder = /^(clone|submodule)$/.test(gitArguments(args).command);
  const isOwn = (data: string | undefined): boolean => data !== undefined && own.has(world.realpath(data));
  const places = Array.from(addresses).flatMap((text) => {
    const expanded = tildeExpanded(text, world.home);
    // Other words are names of remotes, branches and tags.
    const isPath = !makesFolder && written.has(text) && /^\.{0,2}\//.test(expanded);
    const found = path.posix.isAbsolute(expanded)
      ? [expanded]
      : Array.from(folders, (folder) => `${folder}/${expanded}`);
    return found.map((place) => ({ place, isPath }));
  });
  const known = places.map(({ place, isPath }) => {
    const found = mayBeMade(place, world) ? [undefined] : (world.repositoriesAt?.(place) ?? []);
    const isMissing = isPath && found.length === 0 && mayAppear(place, world);
    return { place, data: isMissing ? [undefined] : found.filter((each) => !isOwn(each)) };
  });
  return known.concat(
    starts
      .filter((folder) => mayConnect(args) && remotesIn(folder, world).includes(undefined))
      .map((folder) => ({ place: `A remote of ${folder}`, data: [undefined] })),
  );
}

function remotesIn(folder: string, world: PermissionWorld): readonly (string | undefined)[] {
  return world.repositoryPrograms?.(folder).addresses ?? [];
}

/** Returns the addresses that the settings of the repository add: those of its remotes, and replaced ones. */
function addressesInSettings(
  args: readonly ShellWord[],
  starts: readonly string[],
  scope: WordScope,
): readonly string[] {
  if (!mayConnect(args)) return [];
  const words = addressesIn(args, scope);
  return starts.flatMap((folder) => {
    const { replacements = [] } = scope.world.repositoryPrograms?.(folder) ?? {};
    return [
      ...remotesIn(folder, scope.world).filter((address) => address !== undefined),
      ...words.flatMap((text) => replacedAddresses(text, replacements)),
    ];
  });
}

/** Another command of the script may make a repository in a working directory: `git switch x && git push ./new`. */
function mayAppear(place: string, world: PermissionWorld): boolean {
  return (
    world.foldersMayChange === true && placesOf(place, ['/'], world).some((found) => isInside(found, world))
  );
}

/** Another command of the script writes the file or the link by which git may find a repository. */
function mayBeMade(place: string, { changedPaths = [] }: PermissionWorld): boolean {
  if (changedPaths.length === 0) return false;
  const file = path.posix.normalize(place).replace(/\/$/, '');
  return REPOSITORY_ENDINGS.some((ending) => changedPaths.includes(file + ending));
}

/** Returns the folders in which the command may run, as its options name them. */
export function foldersIn(args: readonly ShellWord[], scope: WordScope): readonly string[] {
  return resolvedFrom(gitArguments(args).folder, scope.folders ?? [], scope);
}

/** After a link, `..` leads elsewhere, so the path is kept as written. */
export function resolvedFrom(
  word: ShellWord | undefined,
  above: readonly string[],
  scope: WordScope,
): readonly string[] {
  if (word === undefined) return above;
  return valuesOf(word, scope).flatMap((value) =>
    path.posix.isAbsolute(value) ? [value] : above.map((folder) => `${folder}/${value}`),
  );
}

function topOf(folder: string, world: PermissionWorld): readonly string[] {
  const found = world.repository(folder);
  return typeof found === 'object' ? [found.top] : [];
}

function ownData(folder: string, world: PermissionWorld): readonly string[] {
  const found = world.repository(folder);
  if (typeof found !== 'object') return [];
  return (found.dataFolders ?? [`${found.top}/.git`]).map((data) => world.realpath(data));
}

/** Returns the texts in the words of a git command that may be addresses. */
function addressesIn(args: readonly ShellWord[], scope: WordScope): readonly string[] {
  const { command, rest } = gitArguments(args);
  const own = args.slice(0, args.length - rest.length);
  const isSetting = command === 'config' && rest.some(({ value }) => REMOTE_SETTING.test(value));
  const named = mayConnect(args) || isSetting ? rest : [];
  const operands = named
    .flatMap((word) => valuesOf(word, scope))
    .flatMap((text) => (text.startsWith('-') ? valueOf(text, /^--[a-z-]+$/) : [text]));
  const settings = own
    .concat(named)
    .flatMap((word) => valuesOf(word, scope))
    .flatMap((text) => valueOf(text.replace(/^(-c|--config=)/, ''), REMOTE_SETTING));
  return [...operands, ...settings].filter((text) => text !== '');
}

function valueOf(text: string, names: RegExp): readonly string[] {
  const at = text.indexOf('=');
  return at > 0 && names.test(text.slice(0, at)) ? [text.slice(at + 1)] : [];
}

/** Unknown words of git ask anyway. */
function valuesOf(word: ShellWord, scope: WordScope): readonly string[] {
  return (possibleValues(word, scope) ?? []).flatMap(({ text, isGlob }) =>
    isGlob ? (namesFoundBy(text, scope) ?? []) : [text],
  );
}

/** Returns the paths of the `file:` addresses in a word. */
export function fileAddressesIn(word: ShellWord, scope: WordScope): readonly string[] {
  return valuesOf(word, scope).flatMap((text) => {
    const [address] = /file:\/\/.*$/is.exec(text) ?? [];
    return address === undefined ? [] : pathsOfAddress(address).slice(1);
  });
}
