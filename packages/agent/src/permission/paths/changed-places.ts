/**
 * Decides whether a change to a place affects another program, for one place and for the names of a whole folder. A walk cannot look at
 * each name in full, so every test of `protectedFromChange` has a fast counterpart in `mayBeginProtection`.
 */
import path from 'node:path';
import { isConsoleModule } from './console-modules.ts';
import { environmentPart, isEnvironment, mayBeEnvironmentPart } from './environments.ts';
import { homePlaceName } from './home-places.ts';
import { ownPlaces } from './own-program.ts';
import {
  commandPlace,
  type FilePlace,
  isAtOrAboveSome,
  isBelow,
  once,
  onceFor,
  workingFolders,
} from './places.ts';
import {
  changedPrograms,
  configPlaces,
  gitSourcesIn,
  isOpenLibrary,
  programFolder,
  protectedBehindLink,
  programsBelow,
} from './program-places.ts';
import {
  canEndProtected,
  foldCase,
  isGitData,
  isGitDataPath,
  isInGitData,
  protectedPlaceName,
} from './protected.ts';
import type { Token } from './segments.ts';
import {
  type Answer,
  ENTRIES_PER_STEP,
  isFolderOfObjects,
  isHiddenFromSearch,
  isLink,
  mayHold,
  MOST_IN_REPOSITORY,
  objectNames,
  type Selection,
  type Untracked,
  walk,
} from './walk-tree.ts';
import type { FolderEntry, PermissionWorld } from '../world.ts';

/** Returns the name of a place whose content another program runs or trusts, by its name or because something leads there. */
export function protectedFromChange(place: FilePlace, world: PermissionWorld): string | undefined {
  return (
    protectedPlaceName(place, world) ??
    programFolder(place, world) ??
    reachedThrough(place, world) ??
    (isInGitData(place.real, world) ? "the folder of git's data" : undefined)
  );
}

/**
 * Returns whether a change to a path may count although one to its folder does not: its last name completes a protected place, or is
 * that of another place or above one. Git's data does not count, because only the contents of a folder show it.
 */
export function mayBeginProtection(file: string, world: PermissionWorld): boolean {
  return (
    mayBeginPlace(file, world) ||
    isAtOrAboveSome(world.foldsCase ? foldCase(file) : file, knownPlaces(world)) ||
    mayBeEnvironmentPart(file) ||
    isConsoleModule(file, world) ||
    isAtOrAboveSome(file, gitSourcesIn(path.posix.dirname(file), world))
  );
}

/** The same for places that also count in a folder that is removed. */
function mayBeginPlace(file: string, world: PermissionWorld): boolean {
  return (
    canEndProtected(path.posix.basename(file)) ||
    homePlaceName(file, world) !== undefined ||
    isOpenLibrary(file, world) ||
    protectedBehindLink(file, world) !== undefined
  );
}

const knownPlaces = onceFor((world) => {
  const settings = world.configDirs.flatMap((place) => [place, world.realpath(place)]);
  const places = [...new Set([...changedPrograms(world), ...settings])];
  return world.foldsCase ? places.map(foldCase) : places;
});

/**
 * Returns a place that git, the search path or the agent reaches through a link, if the change may remove or replace the link. An
 * environment counts as well, because shells reach its programs by its name. The same applies to a missing folder above settings,
 * because a link or another folder may take its place.
 */
function reachedThrough({ path: written, real }: FilePlace, world: PermissionWorld): string | undefined {
  if (workingFolders(world).includes(written)) return undefined;
  if (written !== real && isLink(written, world) && isEnvironment(real, world))
    return `${written}, a link to an environment,`;
  const above = [written, real];
  const settings = configPlaces(world).find((place) => above.some((folder) => isBelow(place, folder)));
  const [first = settings] = existingProgramsBelow({ path: written, real }, world);
  // Most places lead to nothing, and need no look at the disk.
  if (first === undefined) return undefined;
  if (isLink(written, world)) return first;
  return world.exists(written) ? undefined : settings;
}

/** Returns the places below a folder whose programs run by name or by git. */
function existingProgramsBelow(folder: FilePlace, world: PermissionWorld): readonly string[] {
  return programsBelow(folder, world).filter((place) => world.exists(place));
}

/** Returns a place with the folders that a program makes on the way to it, because they are missing. They are written as well. */
export function withMadeFolders(place: FilePlace, world: PermissionWorld): readonly FilePlace[] {
  const made = new Set<string>();
  for (const file of new Set([place.path, place.real])) {
    let folder = path.posix.dirname(file);
    while (!made.has(folder) && !workingFolders(world).includes(folder) && !world.exists(folder)) {
      made.add(folder);
      folder = path.posix.dirname(folder);
    }
  }
  return [place, ...Array.from(made, (folder) => commandPlace(folder, world))];
}

/** Returns the place of a name in a folder. A link with that name leads elsewhere. */
export function placeInside(folder: FilePlace, name: string, world: PermissionWorld): FilePlace {
  const plain = inFolder(folder, name);
  const entries = world.entries(folder.real);
  const known = entries && byFoldedName(entries).get(foldCase(name));
  // A disk may have short names, and names in another case.
  const isPlain = known === undefined ? !name.includes('~') : known.name === name && known.kind !== 'link';
  return entries !== undefined && isPlain
    ? plain
    : { path: plain.path, real: commandPlace(plain.real, world).real };
}

const foldedNames = new WeakMap<readonly FolderEntry[], ReadonlyMap<string, FolderEntry>>();

/** Cached, because a copy compares many names with one folder. */
function byFoldedName(entries: readonly FolderEntry[]): ReadonlyMap<string, FolderEntry> {
  const known = foldedNames.get(entries) ?? new Map(entries.map((entry) => [foldCase(entry.name), entry]));
  foldedNames.set(entries, known);
  return known;
}

function inFolder(folder: FilePlace, name: string): FilePlace {
  return { path: path.posix.join(folder.path, name), real: path.posix.join(folder.real, name) };
}

/** Returns the paths of a place, as written and as resolved. */
export function spellings({ path: written, real }: FilePlace): readonly string[] {
  return written === real ? [real] : [written, real];
}

/** A folder below the target of a copy. */
interface CopiedFolder {
  readonly place: FilePlace;
  /** Returns whether it contains something. Otherwise no link in it leads elsewhere. */
  readonly isFilled: () => boolean;
}

function copiedFolder(
  place: FilePlace,
  around: CopiedFolder | undefined,
  world: PermissionWorld,
): CopiedFolder {
  const isFilled = once(() => around?.isFilled() !== false && world.entries(place.real)?.length !== 0);
  return { place, isFilled };
}

/**
 * Returns the first objection of `look` to a place that copying a folder would write. Links of the source are ignored.
 */
export function writtenByCopy<Found>(
  source: FilePlace,
  target: FilePlace,
  world: PermissionWorld,
  look: (place: FilePlace) => Found | undefined,
): Answer<Found> {
  const isNamed = (place: FilePlace): boolean =>
    spellings(place).some((file) => mayBeginProtection(file, world));
  const first = isNamed(target) ? look(target) : undefined;
  if (first !== undefined) return first;
  const folders = new Map([[source.real, copiedFolder(target, undefined, world)]]);
  return walk(source.real, world, (file, { name, kind }) => {
    world.spend?.(1);
    const folder = folders.get(path.posix.dirname(file));
    if (folder === undefined) return undefined;
    const plain = inFolder(folder.place, name);
    const place = folder.isFilled() ? placeInside(folder.place, name, world) : plain;
    if (kind === 'folder') folders.set(file, copiedFolder(place, folder, world));
    const isNotable =
      place.real !== plain.real ||
      isGitDataPath(place.path) ||
      isNamed(place) ||
      (kind === 'folder' && folder.isFilled() && isInGitData(place.real, world));
    return isNotable ? look(place) : undefined;
  });
}

/**
 * Returns the name of a protected place below a folder that is removed, moved or changed with all its contents. If only some names are selected, it is one
 * with such a name, or with such a file in it.
 *
 * A removal does not check `node_modules`: packages contain such files, and an installation restores them.
 * The program of this process is an exception.
 */
export function protectedBelow(
  { real }: FilePlace,
  world: PermissionWorld,
  kind: 'removed' | 'moved',
  selects?: Selection,
): Answer<string> {
  const settings = world.configDirs.find((folder) => isBelow(world.realpath(folder), real));
  if (settings !== undefined) return "a place of the agent's own settings";
  const own = selects === undefined ? ownPlaces(world) : [];
  if (own.some((place) => isBelow(place, real) && world.exists(place)))
    return "a place of the agent's own program";
  const isRestored = (name: string): boolean => kind === 'removed' && name === 'node_modules';
  if (isRestored(path.posix.basename(real))) return undefined;
  const isWhole = selects === undefined || selects.untracked !== undefined;
  const programs = isWhole ? existingProgramsBelow({ path: real, real }, world) : [];
  const program = programs.find((place) => !place.slice(real.length).split('/').some(isRestored));
  if (program !== undefined) return program;
  if (selects?.untracked) return protectedUntracked(real, world, selects.untracked);
  if (selects !== undefined) {
    const isSkipped = (file: string, type: FolderEntry['kind']): boolean =>
      selects.skipsHidden === true && isHiddenFromSearch(file, mayHold(type), world);
    const isSelected = (name: readonly Token[]): boolean => selects.mayMatchSome?.(name) === true;
    return walk(
      real,
      world,
      (file, { name, kind: type }) => {
        if (isSkipped(file, type)) return undefined;
        if (type === 'folder' && isFolderOfObjects(file) && objectNames().some(isSelected))
          return "git's data";
        if (!selects.mayMatch(name)) return undefined;
        const place = { path: file, real: file };
        const isTree = selects.withContents && type === 'folder';
        return (
          protectedPlaceName(place, world) ??
          programFolder(place, world) ??
          (isInGitData(file, world) ? "git's data" : undefined) ??
          (isTree ? protectedBelow(place, world, kind) : undefined)
        );
      },
      ({ name, kind: type }, file) => !isRestored(name) && !isFolderOfObjects(file) && !isSkipped(file, type),
    );
  }
  return walk(
    real,
    world,
    (file, { name }) => {
      if (name === 'HEAD' && isGitData(path.posix.dirname(file), world)) return "the folder of git's data";
      const part = IN_ETC.test(file) ? environmentPart(file, world) : undefined;
      if (part !== undefined) return part;
      if (!mayBeginPlace(file, world)) return undefined;
      const isLibrary = isOpenLibrary(file, world);
      return (
        protectedPlaceName({ path: file, real: file }, world) ??
        (isLibrary ? file : protectedBehindLink(file, world))
      );
    },
    ({ name }) => !isRestored(name),
  );
}

/** Parts of an environment that are not directly beside or above the file that shows it. This file is protected by its name. */
const IN_ETC = /\/etc\/(?:conda|fish|profile\.d)$/iu;

/** Returns the name of a protected place below a folder that git does not track. Ignored files count as well. */
function protectedUntracked(
  real: string,
  world: PermissionWorld,
  { folders, repositories, isBelow = false }: Untracked,
): Answer<string> {
  const repository = world.repository(real);
  const top = typeof repository === 'object' ? repository.top : real;
  const files = (typeof repository === 'object' ? repository.tracked() : undefined) ?? [];
  world.spend?.(Math.ceil(files.length / ENTRIES_PER_STEP));
  const tracked = new Set(files);
  const above = new Set<string>();
  for (const file of files)
    for (
      let at = path.posix.dirname(file);
      at.length > top.length && !above.has(at);
      at = path.posix.dirname(at)
    )
      above.add(at);
  const isOther = (file: string): boolean =>
    world.entries(file)?.some(({ name }) => name === '.git') === true;
  if (isBelow && isOther(real)) return repositories ? "the folder of git's data" : undefined;
  return walk(
    real,
    world,
    (file, { kind }) => {
      if (file === `${top}/.git` || tracked.has(file) || above.has(file)) return undefined;
      return folders || kind !== 'folder' ? protectedPlaceName({ path: file, real: file }, world) : undefined;
    },
    ({ name }, file) =>
      file !== `${top}/.git` &&
      name !== 'node_modules' &&
      !tracked.has(file) &&
      (above.has(file) || (folders && (repositories || !isOther(file)))),
    MOST_IN_REPOSITORY,
  );
}
