/** The search path and similar variables for proven commands: places with code that are not of the project. */
import { statSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { realTarget } from '../files/path.ts';
import { repositoriesAround } from '../git/repository.ts';
import {
  CHANGED_MEANINGS,
  CLEANED_VARIABLES,
  CODE_OPTIONS,
  SIDE_EFFECTS,
  isLibraryName,
  PLAIN_VARIABLES,
  SETTINGS_VARIABLES,
} from './code-variables.ts';
import { isExpanded, START_FILES } from './variables.ts';

/** Folders with the programs of the system. Every system has one of the main ones. */
const USUAL_FOLDERS: readonly string[] = ['/usr/bin', '/bin'];
const MAIN_FOLDERS: readonly string[] = [...USUAL_FOLDERS, '/run/current-system/sw/bin'];
const SYSTEM_FOLDERS: ReadonlySet<string> = new Set([
  ...MAIN_FOLDERS,
  '/usr/sbin',
  '/sbin',
  '/usr/local/bin',
  '/usr/local/sbin',
]);
/** A folder of the Nix store never changes. */
const STORE = /^\/nix\/store\/[^/]+\/bin$/;

/** Without a search path, or with an empty one, shells and programs also search the current directory. */
const NO_PROGRAMS = '/dev/null';

interface Surroundings {
  readonly home?: string;
  /** Commands run as the system administrator, who can change system folders. */
  readonly isPrivileged?: boolean;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Returns the search path and similar variables for proven commands, without relative entries, the working folders and the
 * repositories around them, and without options that load code, write files, ask a server or change what words mean. A project can put a program of any name there, or a library. Links are resolved. The result
 * contains only changed variables. One without a remaining entry is undefined, because some programs take an empty entry for
 * the current directory. The search path always has an entry.
 */
export function codeOutside(
  folders: readonly string[],
  environment: Environment,
  surroundings: Surroundings = {},
): Environment {
  const isOutside = outsideOf(folders, surroundings);
  const changed: Record<string, string | undefined> = {};
  for (const [name, between] of CLEANED_VARIABLES) {
    const entries = environment[name]?.split(between) ?? [];
    const kept = entries.filter(
      (entry) =>
        (isOutside(entry) && !(START_FILES.includes(name) && isExpanded(entry))) ||
        isLibraryName(name, entry),
    );
    if (kept.length < entries.length) changed[name] = kept.length === 0 ? undefined : kept.join(':');
  }
  for (const name of [...CODE_OPTIONS, ...CHANGED_MEANINGS, ...SIDE_EFFECTS])
    if (environment[name] !== undefined) changed[name] = undefined;
  const { PATH } = environment;
  const searched = (PATH ?? '').split(':').filter(isOutside);
  const safe = (searched.length > 0 ? searched : USUAL_FOLDERS.filter(isOutside)).join(':') || NO_PROGRAMS;
  return safe === PATH ? changed : { ...changed, PATH: safe };
}

/**
 * Returns the variables that a proven command runs without, because they lead to settings in the project. Many programs read settings
 * that name others: `PIP_CONFIG_FILE`, `XDG_CONFIG_HOME`. A variable whose name occurs in the command stays.
 */
export function settingsOutside(
  folders: readonly string[],
  environment: Environment,
  command: string,
  surroundings: Surroundings = {},
): Environment {
  const isOutside = outsideOf(folders, surroundings);
  const leadsInside = (name: string, value: string): boolean =>
    value
      .split(/[:;]/)
      .some(
        (entry) =>
          entry !== '' && (path.isAbsolute(entry) || SETTINGS_VARIABLES.has(name)) && !isOutside(entry),
      );
  const names = Object.entries(environment).flatMap(([name, value]) =>
    value !== undefined && !PLAIN_VARIABLES.test(name) && !command.includes(name) && leadsInside(name, value)
      ? [name]
      : [],
  );
  return Object.fromEntries(names.map((name) => [name, undefined]));
}

/** Returns the entries of a search path that do not belong to the project. */
export function searchedOutside(folders: readonly string[], searchPath: string): readonly string[] {
  return searchPath.split(':').filter(outsideOf(folders, {}));
}

/**
 * Returns whether proven commands find the usual programs outside of the project. They do not if the project contains the folders of
 * the system, and its user can change them.
 */
export function hasProgramsOfSystem(
  folders: readonly string[],
  { PATH = '' }: Environment,
  surroundings: Surroundings = {},
): boolean {
  const isOutside = outsideOf(folders, surroundings);
  const given = PATH.split(':');
  const searched = given.some((entry) => isOutside(entry)) ? given : USUAL_FOLDERS;
  const main = searched.filter((entry) => MAIN_FOLDERS.includes(withoutSlash(entry)));
  return main.length === 0 || main.some(isOutside);
}

/**
 * Returns whether a folder contains programs of the system, and only the administrator can change it. It does not belong to a
 * project that contains it, such as the root folder.
 */
export function isSystemFolder(folder: string): boolean {
  const real = realPath(folder);
  const isListed = SYSTEM_FOLDERS.has(withoutSlash(folder));
  return isListed && (SYSTEM_FOLDERS.has(real) || STORE.test(real)) && isOwnedBySystem(real);
}

function withoutSlash(folder: string): string {
  return path.normalize(folder).replace(/(?<=.)\/$/, '');
}

function isOwnedBySystem(folder: string): boolean {
  try {
    const { uid, mode } = statSync(folder);
    const isForeign = uid === 0 || uid !== process.getuid?.();
    const above = path.dirname(folder);
    return isForeign && (mode & WRITABLE_BY_OTHERS) === 0 && (above === folder || isOwnedBySystem(above));
  } catch {
    return false;
  }
}

const WRITABLE_BY_OTHERS = 0o022;

function outsideOf(
  folders: readonly string[],
  { home = os.homedir(), isPrivileged = process.getuid?.() === 0 }: Surroundings,
): (entry: string) => boolean {
  const own = folders.flatMap((folder) => [folder, realPath(folder)]);
  const containsHome = (folder: string): boolean =>
    isBelow(home, folder) || isBelow(realPath(home), realPath(folder));
  const places = [...own, ...own.flatMap((folder) => repositoriesAround(folder, containsHome))];
  return (entry) => {
    if (!path.isAbsolute(entry)) return false;
    const names = [entry, realPath(entry)];
    const around = places.filter((place) => names.some((name) => isBelow(name, place)));
    // The administrator may have opened such a folder to change its programs.
    const isOpened = isPrivileged && around.some((place) => names.some((name) => isBelow(place, name)));
    return around.length === 0 || (!isOpened && isSystemFolder(entry));
  };
}

/** Resolves the part of a path that exists. */
function realPath(folder: string): string {
  try {
    return realTarget(folder);
  } catch {
    const above = path.dirname(folder);
    return above === folder ? folder : path.join(realPath(above), path.basename(folder));
  }
}

function isBelow(entry: string, folder: string): boolean {
  const way = path.relative(folder, entry);
  return way.split(path.sep)[0] !== '..' && !path.isAbsolute(way);
}
