/** Places whose programs run because a later command names them, or because git or a protected link leads to them. */
import path from 'node:path';
import { type GitSources, repositoriesAround } from '@heddle/tools/git';
import { startFilesOf } from '@heddle/tools/shell';
import type { PermissionWorld } from '../world.ts';
import { type FilePlace, isAtOrBelow, knownEntries, onceFor, placesOf, workingFolders } from './places.ts';
import { foldCase, isAt, leadsToProtected, mayBe, PLACE_NAMES, protectedPath } from './protected.ts';
import { segmentsOf } from './segments.ts';

/** Folders with programs that later commands run by name, if the search path contains them. */
const PROGRAM_FOLDERS =
  /\/(?:node_modules\/\.bin|\.?venv\/(?:bin|scripts)|vendor\/bin|\.bundle\/bin)(?=\/|$)/;

/** Returns whether a path is one of the usual folders of programs, or below one. */
export function isProgramFolder(file: string): boolean {
  return PROGRAM_FOLDERS.test(foldCase(file));
}

/**
 * Returns the folder of programs, or the file that names some, that a change to a place affects. These are the usual
 * folders, entries of the search path in a working directory, and places that settings of git name. Naming or running
 * such a program is ordinary, so only a change asks.
 */
export function programFolder(
  { path: written, real }: FilePlace,
  world: PermissionWorld,
): string | undefined {
  for (const file of written === real ? [written] : [written, real]) {
    const [usual] = PROGRAM_FOLDERS.exec(foldCase(file)) ?? [];
    if (usual !== undefined) return usual.slice(1);
    const entry = programPlaces(world).find((folder) => isWithin(file, folder, world));
    if (entry !== undefined) return entry;
  }
  // A nested repository, or another working tree, has its own settings.
  return [written, real]
    .flatMap((file) => gitSourcesIn(path.posix.dirname(file), world))
    .find((source) => isAt(written, source) || isAt(real, source));
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
  return placesBelow(folders, [...programPlaces(world), ...sources]);
}

/** Returns the same for a folder that may be the top of such a repository. */
export function programsInFolder(folder: string, world: PermissionWorld): readonly string[] {
  return placesBelow([folder], [...programPlaces(world), ...gitSourcesIn(folder, world)]);
}

function placesBelow(folders: readonly string[], places: readonly string[]): readonly string[] {
  const below = places.filter((place) => folders.some((folder) => place.startsWith(`${folder}/`)));
  return [...new Set(below)];
}

/** Returns whether git might take hooks or settings from a place, because not all of its settings can be read. */
export function mayBeGitSource({ real }: FilePlace, world: PermissionWorld): boolean {
  return [path.posix.dirname(real), world.root, world.cwd].some(
    (folder) => world.gitSources?.(folder).isComplete === false,
  );
}

/**
 * Returns the places in working directories whose programs run by name, by git or before a shell, and those that a protected
 * link leads to. A working directory itself is one of them only because of git or a link: programs of a search path are ordinary
 * files of the project.
 */
export const programPlaces = onceFor((world) => {
  const sources = gitPlaces(world);
  const names: readonly CodeName[] = [
    ...[...searchedFolders(world), ...entryFolders(startFilesOf(world.environment), world)].map(
      (name) => ({ name, by: 'environment' }) as const,
    ),
    ...sources.map((name) => ({ name, by: 'git' }) as const),
    ...protectedLinks(sources, world),
  ];
  return [...new Set(names.flatMap((name) => partsInRoots(name, world)))];
});

/** A name by which programs reach code. Links in it are not resolved. */
interface CodeName {
  readonly name: string;
  /**
   * - `environment`: an entry of the search path, or a start-up file. A working directory itself does not count, because every file
   *   in it would.
   * - `git`: git takes hooks or settings from everything there.
   * - `link`: a protected name, or one behind which a protected name is. Its target counts as far as it is protected under that name.
   */
  readonly by: 'environment' | 'git' | 'link';
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
function gitPlaces(world: PermissionWorld): readonly string[] {
  const folders = [...new Set([world.root, world.cwd, ...world.directories])];
  const nested = folders.flatMap((folder) => world.nestedRepositories?.(folder) ?? []);
  world.spend?.(STEPS_OF_SETTINGS * nested.length);
  const places = [...folders, ...nested].flatMap((folder) => world.gitSources?.(folder).places ?? []);
  return [...new Set(places)];
}

/** Steps of reading the settings of a repository. */
const STEPS_OF_SETTINGS = 20;

/** Folders whose links are followed if they have the name of a protected place, in working directories and the home folder. */
const LINK_FOLDERS =
  '. .git .git/hooks .hg .jj .jj/repo .sl .claude .claude/hooks .heddle .cursor .vscode .husky .githooks .config'.split(
    ' ',
  );

/** The folders of version control are large, and a program runs only what is in the listed ones. */
const VERSION_CONTROL = /^(\.git|\.hg|\.svn|\.jj|\.bzr|\.sl)$/i;

/** The number of folders below protected folders that are searched for links. */
const MOST_LINK_FOLDERS = 100;

/** Returns the folders in a working directory that are protected, and those below them, also through links. */
function protectedFolders(top: string, world: PermissionWorld): readonly string[] {
  const found: string[] = [];
  const entered = new Set<string>();
  const isNew = (folder: string): boolean => {
    const real = world.realpath(folder);
    return !entered.has(real) && entered.add(real).has(real);
  };
  let level = [top];
  while (level.length > 0 && found.length < MOST_LINK_FOLDERS) {
    level = level.flatMap((folder) =>
      knownEntries(folder, world)
        .filter(({ kind, name }) => kind !== 'file' && !VERSION_CONTROL.test(name))
        .map(({ name }) => path.posix.join(folder, name))
        .filter((inner) => {
          const names = segmentsIn(inner).slice(segmentsIn(top).length);
          return (protectedPath(inner, world) !== undefined || leadsToProtected(names)) && isNew(inner);
        }),
    );
    found.push(...level);
  }
  return found.slice(0, MOST_LINK_FOLDERS);
}

/** Returns the links at protected places, and protected places behind links. A change to their targets changes them. */
function protectedLinks(sources: readonly string[], world: PermissionWorld): readonly CodeName[] {
  const tops = new Set([
    ...withRepositories([world.root, world.cwd, ...world.directories], world),
    world.home,
  ]);
  const linksIn = (folder: string): readonly string[] =>
    knownEntries(folder, world)
      .filter(({ kind }) => kind === 'link')
      .map(({ name }) => path.posix.join(folder, name));
  const named = [...tops].flatMap((top) =>
    LINK_FOLDERS.filter((name) => mayExist(name, top, world)).map((name) => path.posix.join(top, name)),
  );
  const deeper = [...tops].flatMap((top) => (top === world.home ? [] : protectedFolders(top, world)));
  const own = world.configDirs.flatMap((folder) => ownFolders(folder, world));
  const links = [...new Set([...named, ...deeper, ...own])]
    .flatMap(linksIn)
    .filter((link) => protectedPath(link, world) !== undefined);
  const behind = [...tops].flatMap((top) => placesBehindLinks(top, DEEP_PLACES, world));
  return [
    ...[...links, ...behind].map((name) => ({ name, by: 'link' }) as const),
    ...sources.flatMap(linksIn).map((name) => ({ name, by: 'git' }) as const),
  ];
}

/** Adds the folders from each folder up to the top of its repositories, whose settings apply below. */
function withRepositories(folders: readonly string[], world: PermissionWorld): readonly string[] {
  const around = folders.flatMap((folder) => {
    const top = repositoriesAround(folder, (above) => containsHome(above, world), world.exists).at(-1);
    return top === undefined ? [] : foldersUpTo(top, folder);
  });
  return [...new Set([...folders, ...around])];
}

function foldersUpTo(top: string, folder: string): readonly string[] {
  if (folder === top) return [];
  const above = path.posix.dirname(folder);
  return [above, ...foldersUpTo(top, above)];
}

/** The parts of the agent's own folder that it loads. */
const OWN_PARTS = 'skills agents commands hooks plugins output-styles rules'.split(' ');

/** Returns the agent's own folder and the folders in it that can contain links to what it loads. */
function ownFolders(folder: string, world: PermissionWorld): readonly string[] {
  const foldersOf = (at: string): readonly string[] =>
    knownEntries(at, world)
      .filter(({ kind }) => kind !== 'file')
      .map(({ name }) => path.posix.join(at, name));
  const parts = foldersOf(folder).filter((part) => OWN_PARTS.includes(path.posix.basename(part)));
  return [folder, ...parts, ...parts.flatMap(foldersOf).slice(0, MOST_LINK_FOLDERS)];
}

const DEEP_PLACES = PLACE_NAMES.filter((names) => names.length > 1);

/**
 * Returns the places whose folder is a link: `vendor/bin` for `vendor -> third`, `~/.config/git` for `~/.config -> dot/config`. They
 * need not exist, because a command can create them.
 */
function placesBehindLinks(
  folder: string,
  places: readonly (readonly string[])[],
  world: PermissionWorld,
): readonly string[] {
  const byName = Map.groupBy(places, ([first = '']) => first);
  return knownEntries(folder, world).flatMap(({ name, kind }) => {
    const below = (byName.get(foldCase(name)) ?? []).map((names) => names.slice(1));
    const file = path.posix.join(folder, name);
    if (below.length === 0 || (kind !== 'link' && kind !== 'folder')) return [];
    if (kind === 'link') return below.map((names) => path.posix.join(file, ...names));
    return placesBehindLinks(
      file,
      below.filter((names) => names.length > 0),
      world,
    );
  });
}

/** Returns whether each segment of a relative path may exist. The folders are listed once, and most of them are missing. */
function mayExist(name: string, top: string, world: PermissionWorld): boolean {
  let folder = top;
  return name.split('/').every((segment) => {
    const entries = world.entries(folder);
    folder = path.posix.join(folder, segment);
    return segment === '.' || (entries?.some((entry) => entry.name === segment) ?? true);
  });
}

const searchedFolders = onceFor((world) => {
  const entries = world.environment['PATH']?.split(':') ?? [];
  return insideRoots(entryFolders(entries, world), world);
});

function entryFolders(entries: readonly string[], world: PermissionWorld): readonly string[] {
  return entries.flatMap((entry) =>
    placesOf(entry, [world.cwd], world).flatMap((place) => [place.path, place.real]),
  );
}

/** Returns the entries in working directories, without these themselves. */
function insideRoots(entries: readonly string[], world: PermissionWorld): readonly string[] {
  const roots = workingFolders(world);
  return [...new Set(entries.flatMap((entry) => [entry, world.realpath(entry)]))].filter(
    (entry) => roots.some((root) => entry !== root && isAt(entry, root)) && !roots.includes(entry),
  );
}

/** Returns whether a new folder in this place may contain one of the program places or settings. Working directories are not new. */
export function isAboveSearched(place: string, world: PermissionWorld): boolean {
  const roots = workingFolders(world);
  if (roots.some((root) => isAt(root, place))) return false;
  return (
    programsInFolder(place, world).length > 0 ||
    configPlaces(world).some((known) => known.startsWith(`${place}/`))
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
      .filter((folder) => folder.startsWith(`${target}/`))
      .map((folder) => folder.slice(target.length + 1).split('/', 1)[0] ?? '')
      .some((first) => name !== undefined && mayBe(name, first)),
  );
}

/**
 * Returns whether the search path may lead from a name to a program of the project. A relative entry and a working
 * directory may do so for every name, because the script itself can create the file there.
 */
export function mayRunProjectProgram(name: string, world: PermissionWorld): boolean {
  const { PATH } = world.environment;
  if (PATH === undefined || name === '' || name.includes('/') || BUILTINS.has(name)) return false;
  return (
    openEntries(world).length > 0 ||
    [...searchedFolders(world), ...searchedAround(world)].some((entry) => world.exists(`${entry}/${name}`))
  );
}

function containsHome(folder: string, { home, realpath }: PermissionWorld): boolean {
  return isAtOrBelow(home, folder) || isAtOrBelow(realpath(home), realpath(folder));
}

/** The entries of the search path in a repository around a working directory. Its files belong to the project. */
const searchedAround = onceFor((world) => {
  const tops = workingFolders(world).flatMap((folder) =>
    repositoriesAround(folder, (above) => containsHome(above, world), world.exists),
  );
  return entryFolders((world.environment['PATH'] ?? '').split(':'), world).filter((entry) =>
    [entry, world.realpath(entry)].some((folder) => tops.some((top) => isAt(folder, top))),
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
        [entry, world.realpath(entry)].some((folder) => roots.some((root) => isAt(folder, root))),
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
