/** Finds links at protected places, and protected places behind links. Their targets are protected, too. */
import path from 'node:path';
import { isGitFolder, repositoriesAround } from '@heddle/tools/git';
import type { PermissionWorld } from '../world.ts';
import { isConsoleModule, isNamedAsModule, mayBecomeModule } from './console-modules.ts';
import { environmentPart } from './environments.ts';
import { linksInHome, takeTurns } from './home-links.ts';
import { containsHome, foldersUp, isAtOrBelow, knownEntries, onceFor } from './places.ts';
import { foldCase, leadsToProtected, PLACE_NAMES, protectedPath } from './protected.ts';

/** A name by which programs reach code. Links in it are not resolved. */
export interface CodeName {
  readonly name: string;
  /**
   * - `environment`: an entry of the search path, or a start-up file. A working directory itself does not count, because every file
   *   in it would.
   * - `git`: git takes hooks or settings from everything there.
   * - `link`: a protected name, or one behind which a protected name is. Its target counts as far as it is protected under that name.
   */
  readonly by: 'environment' | 'git' | 'link';
}

/** Folders whose links are followed, beside the protected ones: of these, only a part is looked at. */
const LINK_FOLDERS = '. .git .git/hooks .hg .jj .jj/repo .sl'.split(' ');

/**
 * Folders of programs whose links lead to programs, if they leave the folder of packages. Links in `node_modules/.bin` are not followed:
 * package managers make them for the project's own packages, whose sources are ordinary files.
 */
const LINKED_PROGRAMS = 'vendor/bin .venv/bin venv/bin .env/bin env/bin .bundle/bin'.split(' ');

/** The folders of version control are large, and a program runs only what is in the listed ones. */
const VERSION_CONTROL = /^(\.git|\.hg|\.svn|\.jj|\.bzr|\.sl)$/i;

/** The number of folders below protected folders that are searched for links. */
const MOST_LINK_FOLDERS = 100;

/** Returns the folders in a working directory that are protected, and those below them, also through links. Those nearest to it come first. */
function protectedFolders(top: string, world: PermissionWorld): readonly string[] {
  const found: string[] = [];
  const entered = new Set<string>();
  const isNew = (folder: string): boolean => {
    const real = world.realpath(folder);
    return !entered.has(real) && entered.add(real).has(real);
  };
  const foldersIn = (folder: string): readonly string[] =>
    knownEntries(folder, world)
      .filter(({ kind, name }) => kind !== 'file' && !VERSION_CONTROL.test(name))
      .map(({ name }) => path.posix.join(folder, name))
      .filter((inner) => {
        const names = path.posix.relative(top, inner).split('/');
        return (protectedPath(inner, world) !== undefined || leadsToProtected(names)) && isNew(inner);
      });
  let level: readonly string[] = [top];
  while (level.length > 0 && found.length < MOST_LINK_FOLDERS) {
    level = takeTurns(level.map(foldersIn)).slice(0, MOST_LINK_FOLDERS);
    found.push(...level);
  }
  return found.slice(0, MOST_LINK_FOLDERS);
}

/** The folders whose links and protected folders are looked at, without the home folder. */
const searchedFolders = onceFor((world) =>
  withRepositories([world.root, world.cwd, ...world.directories], world),
);

function topsOf(world: PermissionWorld): readonly string[] {
  return [...new Set([...searchedFolders(world), world.home])];
}

const nestedLinks = onceFor((world) => {
  const own = new Set([world.root, world.cwd, ...world.directories]);
  const nested = [...own].flatMap((folder) => world.nestedLinks?.(folder) ?? []);
  world.spend?.(nested.length);
  return nested;
});

/** The links that are known, whatever they lead to. */
const knownLinks = onceFor((world) => {
  const deeper = searchedFolders(world).flatMap((top) => protectedFolders(top, world));
  const settings = world.configDirs.flatMap((folder) => ownFolders(folder, world));
  const folders = new Set([...existing(LINK_FOLDERS, world), ...deeper, ...settings]);
  const links = [...folders].flatMap((folder) => linksIn(folder, world));
  return [...new Set([...links, ...linksInHome(world.home, world), ...nestedLinks(world)])];
});

function linksIn(folder: string, world: PermissionWorld): readonly string[] {
  return knownEntries(folder, world)
    .filter(({ kind }) => kind === 'link')
    .map(({ name }) => path.posix.join(folder, name));
}

function existing(names: readonly string[], world: PermissionWorld): readonly string[] {
  return topsOf(world).flatMap((top) =>
    names.filter((name) => mayExist(name, top, world)).map((name) => path.posix.join(top, name)),
  );
}

/** Returns the links at protected places, and protected places behind links. A change to their targets changes them. */
export function protectedLinks(sources: readonly string[], world: PermissionWorld): readonly CodeName[] {
  const named = Array.from(Map.groupBy(knownLinks(world), (link) => path.posix.dirname(link))).flatMap(
    ([folder, found]) => placesOfLinks(folder, found, world),
  );
  const programs = existing(LINKED_PROGRAMS, world)
    .flatMap((folder) => linksIn(folder, world))
    .filter((link) => {
      const packages = path.posix.dirname(path.posix.dirname(link));
      return !isAtOrBelow(world.realpath(link), world.realpath(packages));
    });
  const behind = topsOf(world)
    .flatMap((top) => placesBehindLinks(top, DEEP_PLACES, world))
    .concat(nestedLinks(world).flatMap(placesBehindLink));
  return [
    ...[...named, ...programs, ...behind].map((name) => ({ name, by: 'link' }) as const),
    ...sources.flatMap((folder) => linksIn(folder, world)).map((name) => ({ name, by: 'git' }) as const),
  ];
}

interface LinkedFolder {
  readonly link: string;
  readonly real: string;
}

/** The folders behind links in which more names are protected than can be listed: `site-packages/*.pth`, `json/__init__.*`. */
export const linkedFolders = onceFor((world): readonly LinkedFolder[] =>
  knownLinks(world)
    .filter((link) => beginsFamily(link) || isNamedAsModule(link, world))
    .map((link) => ({ link, real: world.realpath(link) }))
    .filter(({ link, real }) => link !== real),
);

/** Returns the protected places that links of one folder are or complete, by their own names or by what is beside and around them. */
function placesOfLinks(folder: string, links: readonly string[], world: PermissionWorld): readonly string[] {
  if (isOfGitData(folder, world)) return links;
  if (environmentPart(folder, world) !== undefined)
    return links.slice(0, MOST_LINKED_PROGRAMS).filter((link) => !staysInEnvironment(link, world));
  return links.flatMap((link) => {
    const isProtected =
      protectedPath(link, world) !== undefined ||
      environmentPart(link, world) !== undefined ||
      isConsoleModule(link, world);
    if (isProtected) return [link];
    if (mayBecomeModule(link, world)) return inside(link, MODULE_STARTS);
    if (path.posix.basename(link) !== 'etc') return [];
    return inside(link, PARTS_OF_ETC).filter((place) => environmentPart(place, world) !== undefined);
  });
}

/** Returns whether a link leads directly to a file that an environment protects anyway. Most of its links do: `python -> python3.12`. */
function staysInEnvironment(link: string, world: PermissionWorld): boolean {
  const isProtected = environmentPart(world.realpath(link), world) !== undefined;
  return isProtected && (world.linksInTexts?.(link) ?? []).length === 0;
}

function inside(folder: string, names: readonly string[]): readonly string[] {
  return names.map((name) => path.posix.join(folder, name));
}

/** The files that make a folder a module of Python. */
const MODULE_STARTS = ['__init__.py', '__init__.pyc', '__init__.so'];
/** Environments of conda have links for many programs. */
const MOST_LINKED_PROGRAMS = 100;
/** The folders in `etc` from which an environment of Python or conda loads scripts. */
const PARTS_OF_ETC = ['conda', 'fish', 'profile.d'];

/** Returns whether git takes a folder for its data, or would with the missing targets of links. */
function isOfGitData(folder: string, world: PermissionWorld): boolean {
  const names = new Set(knownEntries(folder, world).map(({ name }) => name));
  return isGitFolder((name) => names.has(name));
}

/** Adds the folders from each folder up to the top of its repositories, whose settings apply below. */
function withRepositories(folders: readonly string[], world: PermissionWorld): readonly string[] {
  const real = folders.map((folder) => world.realpath(folder));
  const around = [...new Set([...folders, ...real])].flatMap((folder) => {
    const top = repositoriesAround(folder, (above) => containsHome(above, world), world.exists).at(-1);
    const above = foldersUp(folder).slice(1);
    return top === undefined ? [] : above.slice(0, above.indexOf(top) + 1);
  });
  return [...new Set([...folders, ...around])];
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

const FAMILIES = DEEP_PLACES.filter((names) => names.some((name) => name.includes('*')));

/** Returns whether the last names of a link are the first ones of such places, or it is a folder of an environment. */
function beginsFamily(link: string): boolean {
  const last = foldCase(path.posix.basename(link));
  if (/^\.?venv[\w.-]*$/.test(last)) return true;
  if (!FAMILY_NAMES.has(last)) return false;
  const names = foldCase(link).split('/');
  return FAMILIES.some((place) => place.slice(0, -1).some((_, at) => isBegun(place.slice(0, at + 1), names)));
}

const FAMILY_NAMES = new Set(FAMILIES.flatMap((names) => names.slice(0, -1)));

function isBegun(begin: readonly string[], names: readonly string[]): boolean {
  return begin.every((name, index) => names.at(index - begin.length) === name);
}

const DEEP_NAMES = new Set(DEEP_PLACES.flat());

/** Returns the places that a link below a working directory leads to, as a part of their names: `sub/vendor`, `sub/.venv/bin`. */
function placesBehindLink(link: string): readonly string[] {
  // Most links have other names.
  if (!DEEP_NAMES.has(foldCase(path.posix.basename(link)))) return [];
  const names = foldCase(link).split('/');
  return DEEP_PLACES.flatMap((place) =>
    place.flatMap((_, at) => {
      const begin = place.slice(0, at + 1);
      return isBegun(begin, names) ? [path.posix.join(link, ...place.slice(at + 1))] : [];
    }),
  );
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
