/** Resolves a written path to the places that it may mean. */
import path from 'node:path';
import type { FolderEntry, PermissionWorld } from '../world.ts';

export interface FilePlace {
  /** The absolute path as written. */
  readonly path: string;
  /** The same path with symbolic links resolved. */
  readonly real: string;
  /** It is another name of a place beside it, on a disk that is mounted more than once. */
  readonly isOtherName?: true;
}

/**
 * A relative path has one place for each folder in which the command may run. A path with `..` after a link has several,
 * see `meaningsOf`. A place on a disk that is mounted twice has one more.
 */
export function placesOf(written: string, folders: readonly string[], world: PermissionWorld): FilePlace[] {
  const places: FilePlace[] = [];
  for (const folder of folders)
    for (const place of placesFrom(folder, written, world)) places.push(place, ...otherPlaces(place, world));
  if (places.length < 2) return places;
  return [...new Map(places.map((each) => [`${each.path}\0${each.real}`, each])).values()];
}

/** Returns the same place by its other names, which rules may contain. */
export function otherPlaces({ real }: FilePlace, { otherNames }: PermissionWorld): FilePlace[] {
  return otherNames?.(real).map((name) => ({ path: name, real: name, isOtherName: true as const })) ?? [];
}

function placesFrom(folder: string, written: string, world: PermissionWorld): FilePlace[] {
  const absolute = path.posix.resolve(folder, written);
  if (!written.includes('..')) return withEntry({ path: absolute, real: world.realpath(absolute) }, world);
  const meanings = meaningsOf(path.posix.isAbsolute(written) ? written : `${folder}/${written}`, world);
  if (meanings === undefined) return [{ path: absolute, real: path.posix.join(absolute, UNKNOWN_CHARACTER) }];
  return meanings.flatMap((entry) => {
    const real = world.realpath(entry);
    return [
      { path: absolute, real },
      { path: entry, real },
    ];
  });
}

/**
 * Adds the entry of a folder that a path names, if it is a link in a folder behind another one. `rm a/b` removes this entry,
 * and neither the written path nor the target of the link.
 */
function withEntry(place: FilePlace, world: PermissionWorld): FilePlace[] {
  const { path: written, real } = place;
  if (written === real || !isKnownPlace(place)) return [place];
  const entry = path.posix.join(world.realpath(path.posix.dirname(written)), path.posix.basename(written));
  return entry === written || entry === real ? [place] : [place, { path: entry, real }];
}

/** Returns whether a command may find any place by a full path: through `/proc/self/cwd`, or a link that leads to itself. */
export function leadsAnywhere(file: string, { passesProcess, isUnclear }: PermissionWorld): boolean {
  return passesProcess?.(file) === true || isUnclear?.(file) === true;
}

/**
 * Returns the place that a full path means for a command. A path that leads anywhere may mean any file. The standard streams are such
 * links, too, but they are the command's own.
 */
export function commandPlace(file: string, world: PermissionWorld): FilePlace {
  const isUnknown = !isSink(file, 'read') && leadsAnywhere(file, world);
  return { path: file, real: isUnknown ? ANY_FILE : world.realpath(file) };
}

/** The same with the entry that the path names, see `withEntry`. */
export function commandPlaces(file: string, world: PermissionWorld): FilePlace[] {
  return withEntry(commandPlace(file, world), world);
}

/** The folder that some names of a path lead to, and the one before its last name. */
interface Step {
  readonly real: string;
  readonly before: Step | undefined;
}

/** A path with more names, or with more meanings, may mean any file. */
const MOST_NAMES = 256;
const MOST_MEANINGS = 16;

/**
 * Returns the entries that a path may mean, each in a folder without links. After a link, `..` is the parent of the link's
 * target. But an earlier command, or the command itself, may replace the link by a folder: then it is the parent of the
 * link. A name that is missing or a file may become a folder as well.
 */
function meaningsOf(written: string, world: PermissionWorld): readonly string[] | undefined {
  const names = written.split('/').filter((name) => name !== '' && name !== '.');
  if (names.length > MOST_NAMES) return undefined;
  const last = names.at(-1) === '..' ? undefined : names.pop();
  let steps: readonly Step[] = [{ real: '/', before: undefined }];
  for (const name of names) {
    steps = steps.flatMap((step) => (name === '..' ? stepsUp(step) : [stepInto(step, name, world)]));
    if (steps.length > MOST_MEANINGS) return undefined;
    if (steps.some(({ real }) => real.includes(UNKNOWN_CHARACTER))) return undefined;
  }
  const entries = steps.map(({ real }) => (last === undefined ? real : path.posix.join(real, last)));
  return [...new Set(entries)];
}

function stepInto(step: Step, name: string, world: PermissionWorld): Step {
  return { real: world.realpath(path.posix.join(step.real, name)), before: step };
}

/** The first one is the parent of the folder itself. A link may lead deeper than its own path, so the names of that path may run out. */
function stepsUp({ real, before }: Step): Step[] {
  const parent = { real: path.posix.dirname(real), before: before?.before };
  if (before === undefined) return [parent];
  return parent.real === before.real ? [before] : [parent, before];
}

export function tildeExpanded(written: string, home: string): string {
  return written === '~' || written.startsWith('~/') ? `${home}${written.slice(1)}` : written;
}

/** The number of names in a path that climbs. A longer one counts as passing the root folder. */
const MOST_PASSED = 256;

/** Returns the folders that a written path enters and leaves again with `..`. Its target is not in them. */
export function passedFolders(written: string): readonly string[] {
  if (!written.includes('/..')) return [];
  const names = written.split('/');
  if (names.length > MOST_PASSED) return ['/'];
  const target = path.posix.normalize(written);
  const last = names.lastIndexOf('..');
  const folders = names.slice(0, last).flatMap((name, at) => {
    const folder = names.slice(0, at + 1).join('/');
    if (/^(\.{0,2}|~)$/.test(name) || isAtOrBelow(target, path.posix.normalize(folder))) return [];
    return [folder];
  });
  return [...new Set(folders)];
}

/** Node puts this in the place of bytes that are not UTF-8. A path with it may mean any file. */
export const UNKNOWN_CHARACTER = '\uFFFD';

/** It is in no working directory. */
const ANY_FILE = `/${UNKNOWN_CHARACTER}`;

export function isKnownPlace({ real }: FilePlace): boolean {
  return !real.includes(UNKNOWN_CHARACTER);
}

/** Returns whether the path and its link target are both in a working directory. */
export function isInside(place: FilePlace, world: PermissionWorld): boolean {
  if (!isKnownPlace(place)) return false;
  return (
    workingFolders(world).some((folder) => isAtOrBelow(place.path, folder)) &&
    realFolders(world).some((folder) => isAtOrBelow(place.real, folder))
  );
}

/** Looks only if the answer is needed, and once. */
export function once<Answer>(look: () => Answer): () => Answer {
  let known: { readonly answer: Answer } | undefined;
  return () => (known ??= { answer: look() }).answer;
}

type Lookup<Place> = (world: PermissionWorld) => readonly Place[];

/** Caches the result for a world and its copies, which share their functions. */
export function onceFor<Place>(find: Lookup<Place>): Lookup<Place> {
  const known = new WeakMap<
    PermissionWorld['realpath'],
    { readonly of: PermissionWorld; readonly places: readonly Place[] }
  >();
  return (world) => {
    const before = known.get(world.realpath);
    if (before && areAlike(before.of, world)) return before.places;
    const places = find(world);
    known.set(world.realpath, { of: world, places });
    return places;
  };
}

const COMPARED = [
  'root',
  'cwd',
  'directories',
  'directoryNames',
  'home',
  'environment',
  'ownProgram',
  'exists',
  'entries',
  'gitSources',
] as const;

function areAlike(one: PermissionWorld, other: PermissionWorld): boolean {
  return one === other || COMPARED.every((field) => one[field] === other[field]);
}

/** The working directories without links. An added one has its path since then, so a link that replaced it is not followed. */
export const realFolders = onceFor((world) => [
  ...new Set([world.realpath(world.root), ...world.directories]),
]);

/** The working directories, as written and with links resolved. */
export const workingFolders = onceFor((world) => [
  ...new Set([...namedFolders(world), ...realFolders(world)]),
]);

/** The working directories by all names that they were given. */
export function namedFolders({ root, directories, directoryNames = [] }: PermissionWorld): readonly string[] {
  return [root, ...directories, ...directoryNames];
}

/** Returns a folder and the folders above it, the nearest first. Links are not resolved. */
export function foldersUp(folder: string): readonly string[] {
  const above = path.posix.dirname(folder);
  return above === folder ? [folder] : [folder, ...foldersUp(above)];
}

/**
 * Returns a folder with the folders above it: as written, and with links resolved. Programs look for settings in the parents of the
 * folder itself, and the shell may name it by a link. `isEnd` accepts the first folder that does not count any more.
 */
export function foldersAround(
  folder: string,
  world: Pick<PermissionWorld, 'realpath'>,
  isEnd: (folder: string) => boolean = () => false,
): readonly string[] {
  const ways = [folder, world.realpath(folder)].map((start) => {
    const folders = foldersUp(start);
    const end = folders.findIndex(isEnd);
    return end < 0 ? folders : folders.slice(0, end);
  });
  return [...new Set(ways.flat())];
}

/** Returns whether one path is the other, or contains it. */
export function areRelated(some: string, other: string): boolean {
  return isAtOrBelow(some, other) || isAtOrBelow(other, some);
}

interface PathIndex {
  readonly paths: ReadonlySet<string>;
  /** The paths, and the folders that contain them. */
  readonly around: ReadonlySet<string>;
}

const indexes = new WeakMap<readonly string[], PathIndex>();

/** Cached by list, because one list is compared with many files. */
function indexOf(paths: readonly string[]): PathIndex {
  const known = indexes.get(paths);
  if (known) return known;
  const index = { paths: new Set(paths), around: new Set(paths.flatMap(withFolders)) };
  indexes.set(paths, index);
  return index;
}

function withFolders(file: string): readonly string[] {
  const folders = [file];
  for (let at = file.lastIndexOf('/'); at > 0; at = file.lastIndexOf('/', at - 1))
    folders.push(file.slice(0, at));
  return file.startsWith('/') ? [...folders, '/'] : folders;
}

/** Returns whether a path is one of the others, contains one, or is in one. */
export function isRelatedToSome(file: string, paths: readonly string[]): boolean {
  return isAtOrAboveSome(file, paths) || isAtOrBelowSome(file, paths);
}

/** Returns whether a path is one of the others, or contains one. */
export function isAtOrAboveSome(file: string, paths: readonly string[]): boolean {
  return paths.length > 0 && indexOf(paths).around.has(file);
}

export function isAtOrBelowSome(file: string, paths: readonly string[]): boolean {
  if (paths.length === 0) return false;
  const known = indexOf(paths).paths;
  return withFolders(file).some((folder) => known.has(folder));
}

export function isAtOrBelow(file: string, folder: string): boolean {
  if (!file.startsWith(folder)) return false;
  return file.length === folder.length || folder === '/' || file[folder.length] === '/';
}

export function isBelow(file: string, folder: string): boolean {
  return file !== folder && isAtOrBelow(file, folder);
}

/** Returns the entries of a folder that can be looked at. A name that is not UTF-8 does not hide the others. */
export function knownEntries(folder: string, world: PermissionWorld): readonly FolderEntry[] {
  return world.entries(folder) ?? world.namedEntries?.(folder) ?? [];
}

/**
 * Returns whether the path is not a regular file, so that writing changes nothing. Only the two output descriptors are
 * included. Opening another descriptor for writing reopens its file: `< file > /dev/stdin` would change that file.
 */
export function isSink(file: string, kind: 'read' | 'write'): boolean {
  return (kind === 'read' ? READABLE : WRITABLE).test(file);
}

const WRITABLE = /^\/dev\/(null|zero|full|stdout|stderr)$/;
const READABLE = /^\/dev\/(null|zero|full|u?random|stdin|stdout|stderr|fd\/\d+)$/;

/** Returns whether a folder is the home folder, or above it. */
export function containsHome(folder: string, { home, realpath }: PermissionWorld): boolean {
  return isAtOrBelow(home, folder) || isAtOrBelow(realpath(home), realpath(folder));
}
