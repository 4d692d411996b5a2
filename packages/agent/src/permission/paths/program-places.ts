/** Places whose programs run because a later command names them, or because git or a protected link leads to them. */
import path from 'node:path';
import { type GitSources, repositoriesAround } from '@heddle/tools/git';
import { codePlacesOf, withHome } from '@heddle/tools/shell';
import type { PermissionWorld } from '../world.ts';
import {
  containsHome,
  type FilePlace,
  isAtOrBelow,
  isBelow,
  onceFor,
  placesOf,
  workingFolders,
} from './places.ts';
import { isConsoleModule } from './console-modules.ts';
import { environmentPart } from './environments.ts';
import { isOwnProgram, ownPlaces } from './own-program.ts';
import { foldCase, mayBe, protectedPath } from './protected.ts';
import { type CodeName, linkedFolders, protectedLinks } from './protected-links.ts';
import { segmentsOf } from './segments.ts';
import { systemCode, systemPlaceOf, systemPlaces } from './system-places.ts';

/** Folders with programs that later commands run by name, if the search path contains them. */
const PROGRAM_FOLDERS =
  /\/(?:node_modules\/\.bin|\.?(?:venv[\w.-]*|env)\/(?:bin|scripts)|vendor\/bin|\.bundle\/bin)(?=\/|$)/;

/** Returns whether a path is one of the usual folders of programs, or below one. */
export function isProgramFolder(file: string): boolean {
  return PROGRAM_FOLDERS.test(foldCase(file));
}

/**
 * Returns the folder of programs, or the file that names some, that a change to a place affects. These are the usual
 * folders, the program of this process, entries of the search path in a working directory, and places that settings of git or
 * variables name.
 * Naming or running such a program is ordinary, so only a change asks.
 */
export function programFolder(
  { path: written, real }: FilePlace,
  world: PermissionWorld,
): string | undefined {
  for (const file of written === real ? [written] : [written, real]) {
    if (isOwnProgram(file, world)) return "a place of the agent's own program";
    const system = systemPlaceOf(file, world);
    if (system !== undefined) return system;
    const [usual] = PROGRAM_FOLDERS.exec(foldCase(file)) ?? [];
    if (usual !== undefined) return usual.slice(1);
    const environment = environmentPart(file, world);
    if (environment !== undefined) return environment;
    const entry = programPlaces(world).find((folder) => isWithin(file, folder, world));
    if (entry !== undefined) return entry;
    if (isOpenLibrary(file, world) || isConsoleModule(file, world)) return file;
    const behind = protectedBehindLink(file, world);
    if (behind !== undefined) return behind;
  }
  if (isOnWay({ path: written, real }, world)) return `${written}, on the way of a link,`;
  // A nested repository, or another working tree, has its own settings.
  return [written, real]
    .flatMap((file) => gitSourcesIn(path.posix.dirname(file), world))
    .find((source) => isAtOrBelow(written, source) || isAtOrBelow(real, source));
}

/** Returns the name that a file has behind a link to a folder around it, if it is protected under that name. */
export function protectedBehindLink(file: string, world: PermissionWorld): string | undefined {
  for (const { link, real } of linkedFolders(world)) {
    if (!isWithin(file, real, world)) continue;
    const named = path.posix.join(link, file.slice(real.length));
    const isProtected =
      protectedPath(named, world) !== undefined || isProgramFolder(named) || isConsoleModule(named, world);
    if (isProtected) return named;
  }
  return undefined;
}

const resolvedSources = new WeakMap<
  GitSources,
  { readonly by: PermissionWorld['realpath']; readonly places: readonly string[] }
>();

/** Returns the places that settings of git name in a folder, as written and with links resolved. */
export function gitSourcesIn(folder: string, world: PermissionWorld): readonly string[] {
  const sources = world.gitSources?.(folder);
  if (sources === undefined) return [];
  const known = resolvedSources.get(sources);
  if (known?.by === world.realpath) return known.places;
  const places = [...new Set(sources.places.flatMap((place) => [place, world.realpath(place)]))];
  resolvedSources.set(sources, { by: world.realpath, places });
  return places;
}

/**
 * Returns the program places below a place. Those that git names in the repository around it count, because it can be nested more deeply
 * than repositories are searched for.
 */
export function programsBelow({ path: written, real }: FilePlace, world: PermissionWorld): readonly string[] {
  const folders = written === real ? [real] : [written, real];
  const sources = folders.flatMap((folder) => gitSourcesIn(path.posix.dirname(folder), world));
  return placesBelow(folders, [...changedPrograms(world), ...sources]);
}

/** Returns the same for a folder that may be the top of such a repository. */
export function programsInFolder(folder: string, world: PermissionWorld): readonly string[] {
  return placesBelow([folder], [...changedPrograms(world), ...gitSourcesIn(folder, world)]);
}

function placesBelow(folders: readonly string[], places: readonly string[]): readonly string[] {
  const below = places.filter((place) => folders.some((folder) => isBelow(place, folder)));
  return [...new Set(below)];
}

/** Returns whether git might take hooks or settings from a place, because not all of its settings can be read. */
export function mayBeGitSource({ real }: FilePlace, world: PermissionWorld): boolean {
  return [path.posix.dirname(real), world.root, world.cwd].some(
    (folder) => world.gitSources?.(folder).isComplete === false,
  );
}

/** The names by which programs reach code. */
const codeNames = onceFor((world): readonly CodeName[] => [
  ...[
    ...entryFolders(searchPath(world), world),
    ...systemCode(world),
    ...codeOfVariables(world),
    ...entryFolders(world.sourcedFiles?.() ?? [], world),
    ...mentionedPlaces(world),
  ].map((name) => ({ name, by: 'environment' }) as const),
  ...gitPlaces(world).map((name) => ({ name, by: 'git' }) as const),
  ...linkNames(world),
]);

/**
 * Returns the places in working directories whose programs run by name, by git or before a shell, and those that a protected
 * link leads to. A working directory itself is one of them only because of git or a link: programs of a search path are ordinary
 * files of the project.
 */
export const programPlaces = onceFor((world) => [
  ...new Set(codeNames(world).flatMap((name) => partsInRoots(name, world))),
]);

/** More nested repositories would delay each decision. */
const MOST_NESTED = 32;

/** The files that start-up files of working directories, and of repositories around and in them, load or start. */
const mentionedPlaces = onceFor((world) => {
  const roots = workingFolders(world);
  const around = roots.flatMap((root) =>
    repositoriesAround(root, (above) => containsHome(above, world), world.exists),
  );
  const nested = roots.flatMap((root) => (world.nestedRepositories?.(root) ?? []).slice(0, MOST_NESTED));
  return [...new Set([...roots, ...around, ...nested])].flatMap((top) =>
    (world.mentionedFiles?.(top) ?? []).map((place) => place.replace(/(?<=.)\/$/, '')),
  );
});

/** Returns the variables as given, and with the home folder where a shell expands it. */
function environmentsOf(world: PermissionWorld): readonly PermissionWorld['environment'][] {
  return [world.environment, withHome(world.environment, world.home)];
}

/** Returns the files and folders from which variables of the environment load code. */
const codeOfVariables = onceFor((world) => {
  const found = environmentsOf(world).map(codePlacesOf);
  const places = found.flatMap((each) => each.places);
  const files = found.flatMap((each) => each.files);
  const isFolder = (file: string): boolean => (world.list(file) ?? []).length > 0;
  return [...entryFolders(places, world), ...entryFolders(files, world).filter((file) => !isFolder(file))];
});

/** The working directories in which a variable lets programs look for libraries. Most files in them are ordinary. */
const openLibraryFolders = onceFor((world) => {
  const roots = workingFolders(world);
  const libraryFolders = environmentsOf(world).flatMap((each) => codePlacesOf(each).libraryFolders);
  return entryFolders(libraryFolders, world).filter((folder) => roots.includes(folder));
});

/** Returns whether programs may load a file of a working directory as a library, because a variable contains the directory. */
export function isOpenLibrary(file: string, world: PermissionWorld): boolean {
  const folders = LIBRARY.test(file) ? openLibraryFolders(world) : [];
  return folders.some(
    (folder) => isBelow(file, folder) && OF_LIBRARY_FOLDER.test(path.posix.relative(folder, file)),
  );
}

const LIBRARY = /\.(?:so(?:\.[\w.-]+)?|dylib)$/i;
/** The loader also looks in folders for kinds of processors. */
const OF_LIBRARY_FOLDER =
  /^(?:(?:glibc-hwcaps|tls|haswell|avx512_1|xeon_phi|x86_64|i\d86|aarch64)\/.*|[^/]*)$/;

const linkNames = onceFor((world) => protectedLinks(gitPlaces(world), world));

/**
 * Returns the links in working directories on the way to a protected place that the text of another link names: `lk` for
 * `.envrc -> lk/../e.txt`, also if a folder above the place is such a link. If one of them is removed or replaced, the way leads
 * elsewhere. Files behind them are ordinary.
 */
const linksOnWays = onceFor((world): readonly string[] => {
  const { linksInTexts } = world;
  if (linksInTexts === undefined) return [];
  const roots = workingFolders(world);
  const names = [...codeNames(world).map(({ name }) => name), ...world.configDirs];
  // A path that leads to itself passes no link.
  const links = names.flatMap((name) => (world.realpath(name) === name ? [] : linksInTexts(name)));
  return [...new Set(links)].filter((link) => roots.some((root) => isBelow(link, root)));
});

/** Returns the places whose own change affects a program, without regard to what is below them. */
export const changedPrograms = onceFor((world) => {
  const links = linksOnWays(world);
  const own = ownPlaces(world);
  const system = systemPlaces(world);
  const more = links.length + own.length + system.length;
  return more === 0 ? programPlaces(world) : [...programPlaces(world), ...own, ...links, ...system];
});

/** Returns whether a change to a place may remove or replace a link on the way of a protected one. */
function isOnWay({ path: written, real }: FilePlace, world: PermissionWorld): boolean {
  const links = linksOnWays(world);
  if (links.length === 0) return false;
  const entry = path.posix.join(world.realpath(path.posix.dirname(written)), path.posix.basename(written));
  const isSame = (one: string, other: string): boolean =>
    world.foldsCase ? foldCase(one) === foldCase(other) : one === other;
  return links.some((link) => [written, real, entry].some((file) => isSame(file, link)));
}

/**
 * Returns the parts of the working directories that a name leads to. A protected name that leads to a working directory, or to a
 * folder above it, leads to everything in it: `.claude -> .`.
 */
function partsInRoots({ name, by }: CodeName, world: PermissionWorld): readonly string[] {
  if (by === 'environment') return insideRoots([name], world);
  const roots = workingFolders(world);
  const real = world.realpath(name);
  return (by === 'git' && name !== real ? [name, real] : [real]).flatMap((place) => {
    if (roots.some((root) => isWithin(place, root, world))) return [place];
    return roots.filter((root) => {
      if (!isWithin(root, place, world)) return false;
      const below = segmentsIn(root).slice(segmentsIn(place).length);
      const reached = path.posix.join(name, ...below);
      // A checkout of another branch in the agent's folder is not protected.
      return by === 'git' || isProgramFolder(reached) || protectedPath(reached, world) !== undefined;
    });
  });
}

function segmentsIn(file: string): readonly string[] {
  return file.split('/').filter(Boolean);
}

/** Returns whether a file is a folder or below it. Some disks ignore case. */
function isWithin(file: string, folder: string, { foldsCase }: PermissionWorld): boolean {
  return foldsCase ? isAtOrBelow(foldCase(file), foldCase(folder)) : isAtOrBelow(file, folder);
}

/**
 * Returns the places that configure the agent and are reached through a working directory: its own settings, and files that flags and
 * hooks name. Each is given as it is named and as it is resolved.
 */
export const configPlaces = onceFor((world) =>
  world.configDirs.flatMap((place) =>
    insideRoots([place], world).length === 0 ? [] : [place, world.realpath(place)],
  ),
);

/** Nested repositories count, because their settings can name places beside them. */
const gitPlaces = onceFor((world) => {
  const folders = [...new Set([world.root, world.cwd, ...world.directories])];
  const nested = folders.flatMap((folder) => world.nestedRepositories?.(folder) ?? []);
  world.spend?.(STEPS_OF_SETTINGS * nested.length);
  const places = [...folders, ...nested].flatMap((folder) => world.gitSources?.(folder).places ?? []);
  return [...new Set(places)];
});

/** Steps of reading the settings of a repository. */
const STEPS_OF_SETTINGS = 20;

function searchPath(world: PermissionWorld): readonly string[] {
  return environmentsOf(world).flatMap((each) => each['PATH']?.split(':') ?? []);
}

const searchedFolders = onceFor((world) => insideRoots(entryFolders(searchPath(world), world), world));

/** Commands start in the current folder, the start folder or an added one. */
function entryFolders(entries: readonly string[], world: PermissionWorld): readonly string[] {
  const starts = [...new Set([world.cwd, world.root, ...world.directories])];
  return [...new Set(entries)].flatMap((entry) =>
    placesOf(entry, path.posix.isAbsolute(entry) ? ['/'] : starts, world).flatMap((place) => [
      place.path,
      place.real,
    ]),
  );
}

/** Returns the entries in working directories, without these themselves. */
function insideRoots(entries: readonly string[], world: PermissionWorld): readonly string[] {
  const roots = workingFolders(world);
  return [...new Set(entries.flatMap((entry) => [entry, world.realpath(entry)]))].filter(
    (entry) => roots.some((root) => isBelow(entry, root)) && !roots.includes(entry),
  );
}

/** Returns whether a new folder in this place may contain one of the program places or settings. Working directories are not new. */
export function isAboveSearched(place: string, world: PermissionWorld): boolean {
  const roots = workingFolders(world);
  if (roots.some((root) => isAtOrBelow(root, place))) return false;
  return (
    programsInFolder(place, world).length > 0 || configPlaces(world).some((known) => isBelow(known, place))
  );
}

/** Returns whether a folder with a name that the glob matches may contain, in the target, one of the program places or settings. */
export function mayFillSearched(
  { path: written, real }: FilePlace,
  glob: string,
  world: PermissionWorld,
): boolean {
  const name = segmentsOf(glob).at(-1);
  return [written, real].some((target) =>
    [...programsInFolder(target, world), ...configPlaces(world)]
      .filter((folder) => isBelow(folder, target))
      .map((folder) => path.posix.relative(target, folder).split('/', 1)[0] ?? '')
      .some((first) => name !== undefined && mayBe(name, first)),
  );
}

/**
 * Returns whether the search path may lead from a name to a program of the project. A relative entry and a working
 * directory may do so for every name, because the script itself can create the file there. So may every folder of the system
 * that the user can change.
 */
export function mayRunProjectProgram(name: string, world: PermissionWorld): boolean {
  if (name === '' || name.includes('/') || BUILTINS.has(name)) return false;
  if (world.hasProgramsOfSystem?.() === false) return true;
  if (world.environment['PATH'] === undefined) return false;
  return (
    openEntries(world).length > 0 ||
    searchedInProject(world).some((entry) => world.exists(`${entry}/${name}`))
  );
}

/** Returns whether a folder belongs to a project. A project that contains the programs of the system does not own them. */
function isOfProject(folder: string, tops: readonly string[], world: PermissionWorld): boolean {
  return tops.some(
    (top) =>
      top !== '/' &&
      isAtOrBelow(folder, top) &&
      !(isBelow(folder, top) && world.isSystemFolder?.(folder) === true),
  );
}

const searchedInProject = onceFor((world) => [
  ...searchedFolders(world).filter((entry) => isOfProject(entry, workingFolders(world), world)),
  ...searchedAround(world),
]);

/** The entries of the search path in a repository around a working directory. Its files belong to the project. */
const searchedAround = onceFor((world) => {
  const tops = workingFolders(world).flatMap((folder) =>
    repositoriesAround(folder, (above) => containsHome(above, world), world.exists),
  );
  return entryFolders(searchPath(world), world).filter((entry) =>
    [entry, world.realpath(entry)].some((folder) => isOfProject(folder, tops, world)),
  );
});

/** The absolute entries of the search path that belong to the project. Proven commands run without them. */
export const projectEntries = onceFor((world) => {
  const roots = workingFolders(world);
  const around = searchedAround(world);
  return (world.environment['PATH'] ?? '')
    .split(':')
    .filter(
      (entry) =>
        around.includes(entry) ||
        [entry, world.realpath(entry)].some((folder) => isOfProject(folder, roots, world)),
    );
});

/** The entries of the search path that are relative, or a working directory. */
const openEntries = onceFor((world) => {
  const roots = workingFolders(world);
  return (world.environment['PATH'] ?? '')
    .split(':')
    .filter(
      (entry) =>
        !path.posix.isAbsolute(entry) ||
        [path.posix.resolve(entry), world.realpath(entry)].some((folder) => roots.includes(folder)),
    );
});

/** The shell runs these itself, without the search path. */
const BUILTINS: ReadonlySet<string> = new Set(
  (
    ': [ alias break cd command continue dirs echo exit export false jobs popd printf pushd pwd read return set test true ' +
    'type ulimit umask wait'
  ).split(' '),
);
