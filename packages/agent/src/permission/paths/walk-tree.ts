/**
 * Walks below a folder, with a limit, for links and protected places. A tree that is too large or unreadable counts as
 * containing them.
 */
import path from 'node:path';
import type { PathsBelow } from '../part.ts';
import { commandPlace, type FilePlace, foldersUp, isBelow, isKnownPlace, workingFolders } from './places.ts';
import type { FolderEntry, PermissionWorld } from '../world.ts';
import { isOpenedInFolders } from './opened-names.ts';
import { ownPlaces } from './own-program.ts';
import {
  changedPrograms,
  configPlaces,
  gitSourcesIn,
  isFoundByName,
  programFolder,
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
import { namesMeet, type Token, tokensOfKnownName, tokensOfName } from './segments.ts';

/** The number of entries per walk. More would take longer than a decision may. */
const MOST_ENTRIES = 3_000;
/** The number for a whole repository, which git walks through as well. */
const MOST_IN_REPOSITORY = 20_000;
/** The number of entries that are visited in one step. */
const ENTRIES_PER_STEP = 12;

type Answer<Found> = Found | 'too many' | undefined;

/**
 * Visits every entry below a folder until `look` returns a value. Enters folders unless `enter` declines. Does not
 * follow links.
 */
export function walk<Found>(
  folder: string,
  world: PermissionWorld,
  look: (file: string, entry: FolderEntry) => Found | undefined,
  enter: (entry: FolderEntry, file: string) => boolean = () => true,
  most = MOST_ENTRIES,
): Answer<Found> {
  const open = [folder];
  let seen = 0;
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const entries = world.entries(at);
    if (entries === undefined) return 'too many';
    seen += entries.length;
    world.spend?.(Math.ceil(entries.length / ENTRIES_PER_STEP));
    if (seen > most) return 'too many';
    for (const entry of entries) {
      const file = at === '/' ? `/${entry.name}` : `${at}/${entry.name}`;
      const found = look(file, entry);
      if (found !== undefined) return found;
      if (entry.kind === 'folder' && enter(entry, file)) open.push(file);
    }
  }
  return undefined;
}

/** Returns whether the last segment of a path is a link. */
function isLink(file: string, world: PermissionWorld): boolean {
  const fold = (name: string): string => (world.foldsCase ? name.toLowerCase() : name);
  const name = fold(path.posix.basename(file));
  const entries = world.entries(path.posix.dirname(file));
  return entries?.some((entry) => entry.kind === 'link' && fold(entry.name) === name) ?? true;
}

/** Returns whether a place is a link, or contains one at any depth. */
export function mayContainLinks({ path: written, real }: FilePlace, world: PermissionWorld): boolean {
  if (isLink(written, world)) return true;
  return walk(real, world, (_, { kind }) => (kind === 'link' ? true : undefined)) !== undefined;
}

/** The files below a folder that a command of `find` or `fd` changes. */
export interface Selection {
  readonly mayMatch: (name: string) => boolean;
  /** The same for a name with unknown parts. Without it, git's objects are not selected. */
  readonly mayMatchSome?: (name: readonly Token[]) => boolean;
  /** The search skips hidden files and folders, except those that a file of ignored names excepts. */
  readonly skipsHidden?: boolean;
  /** A selected folder is changed with everything in it. */
  readonly withContents: boolean;
  /** Only files that git does not track. */
  readonly untracked?: Untracked;
  /** The search enters folders behind links. */
  readonly followsLinks?: boolean;
}

export interface Untracked {
  /** Also folders without tracked files. */
  readonly folders: boolean;
  /** Also other repositories. */
  readonly repositories: boolean;
  /** The place is below the top of the repository. */
  readonly isBelow?: boolean;
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
  if (settings !== undefined) return "the agent's own settings";
  const own = selects === undefined ? ownPlaces(world) : [];
  if (own.some((place) => isBelow(place, real) && world.exists(place))) return "the agent's own files";
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
      return canEndProtected(name) ? protectedPlaceName({ path: file, real: file }, world) : undefined;
    },
    ({ name }) => !isRestored(name),
  );
}

/** There are too many objects of git for a look at them. Their names are known. */
export function isFolderOfObjects(file: string): boolean {
  return file.endsWith('.git/objects');
}

/** `#` is a hexadecimal digit, `@` a letter or digit, and `N` a number that is a hash. */
const NAMES_OF_OBJECTS = (
  'info alternates http-alternates packs commit-graph commit-graphs commit-graph-chain graph-N.graph commit-graph-N pack ' +
  'multi-pack-index multi-pack-index.d multi-pack-index-chain multi-pack-index-N.midx multi-pack-index-N.bitmap ' +
  'multi-pack-index-N.rev pack-N.pack pack-N.idx pack-N.rev pack-N.bitmap pack-N.keep pack-N.mtimes pack-N.promisor ' +
  'tmp_obj_@@@@@@ tmp_pack_@@@@@@ tmp_idx_@@@@@@ tmp_rev_@@@@@@ tmp_mtimes_@@@@@@ tmp_bitmap_@@@@@@ tmp_graph_@@@@@@ ' +
  'tmp_midx_@@@@@@ tmp_objdir-incoming-@@@@@@'
).split(' ');

let namesOfObjects: readonly (readonly Token[])[] | undefined;

/** Returns the names below the folder of git's objects. There are two kinds of hashes. The folder of an object has its first digits. */
export function objectNames(): readonly (readonly Token[])[] {
  namesOfObjects ??= ['#'.repeat(40), '#'.repeat(64)]
    .flatMap((hash) =>
      NAMES_OF_OBJECTS.map((name) => name.replace('N', hash)).concat(hash.slice(0, 2), hash.slice(2)),
    )
    .map(tokensOfKnownName);
  return namesOfObjects;
}

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
 * Returns a place that git, the search path or the agent reaches through a link, if the change may remove or replace the link. The
 * same applies to a missing folder above settings, because a link or another folder may take its place.
 */
function reachedThrough({ path: written, real }: FilePlace, world: PermissionWorld): string | undefined {
  if (workingFolders(world).includes(written)) return undefined;
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

/**
 * Returns the first objection of `look` to a place that copying a folder would write. Links of the source are ignored.
 */
export function writtenByCopy<Found>(
  source: FilePlace,
  target: string,
  world: PermissionWorld,
  look: (place: FilePlace) => Found | undefined,
): Answer<Found> {
  const prefix = source.real === '/' ? 0 : source.real.length;
  const searched = new Set([...changedPrograms(world), ...configPlaces(world)]);
  const entered = new Set<string>();
  const isSource = (written: string): boolean => {
    const folder = path.posix.dirname(written);
    if (!entered.has(folder)) world.spend?.(1);
    entered.add(folder);
    return gitSourcesIn(folder, world).includes(written);
  };
  return walk(source.real, world, (file, { name }) => {
    const written = (target === '/' ? '' : target) + file.slice(prefix);
    const isNotable =
      canEndProtected(name) ||
      isGitDataPath(written) ||
      searched.has(written) ||
      isSource(written) ||
      isFoundByName(written, world);
    if (!isNotable && !isLink(written, world)) return undefined;
    return look(commandPlace(written, world));
  });
}

/**
 * Returns every path below some places, as written and as resolved. `follows`: also enters folders behind links.
 * `hidden`: includes every name with a leading dot, instead of those that a file of ignored names excepts.
 * `endings`: files are read only if their names end so, also hidden ones. `opensIgnored`: a search opens files of ignored names, also
 * if they are links. `skipsModules`: installed packages are left out.
 */
export function pathsBelow(
  places: readonly FilePlace[],
  world: PermissionWorld,
  {
    follows,
    hidden,
    endings,
    opensIgnored = false,
    skipsModules = false,
  }: {
    readonly follows: boolean;
    readonly hidden: boolean;
    readonly opensIgnored?: boolean;
    readonly skipsModules?: boolean;
    readonly endings?: readonly string[] | undefined;
  },
): PathsBelow {
  const mayGrow = world.foldersMayChange === true;
  const paths: string[] = [];
  const open = [...new Set(places.map(({ real }) => real))];
  const entered = new Set(open);
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (isFile(at, world)) continue;
    const isShown = (file: string, { kind, name }: FolderEntry): boolean => {
      if (skipsModules && name === 'node_modules') return false;
      if (hidden || (kind !== 'folder' && endings !== undefined && endsWithOneOf(file, endings))) return true;
      return !isHiddenFromSearch(file, mayHold(kind), world);
    };
    const look = (file: string, entry: FolderEntry): true | undefined => {
      const { kind, name } = entry;
      if (opensIgnored && kind === 'link' && isOpenedInFolders(name)) paths.push(world.realpath(file));
      if (!isShown(file, entry)) return undefined;
      if (endings === undefined || endsWithOneOf(file, endings)) paths.push(file);
      if (paths.length > MOST_ENTRIES) return true;
      if (kind !== 'link' || !follows) return undefined;
      const place = commandPlace(file, world);
      if (!isKnownPlace(place)) return true;
      const { real } = place;
      paths.push(real);
      if (!entered.has(real)) {
        entered.add(real);
        open.push(real);
      }
      return undefined;
    };
    if (walk(at, world, look, (entry, file) => isShown(file, entry)) !== undefined)
      return { paths, isComplete: false, mayGrow };
  }
  return { paths, isComplete: true, mayGrow };
}

/**
 * Returns whether `fits` accepts a link below some places, or one of the places. `follow`: also looks behind links. `stay`:
 * looks at whole repositories, without git's data.
 */
export function someLinkBelow(
  places: readonly FilePlace[],
  world: PermissionWorld,
  links: 'follow' | 'stay',
  fits: (link: string, real: string) => boolean,
): Answer<true> {
  const open = [...new Set(places.map(({ real }) => real))];
  const entered = new Set(open);
  for (const place of places) if (place.path !== place.real && fits(place.path, place.real)) return true;
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (isFile(at, world)) continue;
    const look = (file: string, { kind }: FolderEntry): true | undefined => {
      if (kind !== 'link') return undefined;
      const { real } = commandPlace(file, world);
      if (fits(file, real)) return true;
      if (links === 'follow' && !entered.has(real)) {
        entered.add(real);
        open.push(real);
      }
      return undefined;
    };
    const found =
      links === 'follow'
        ? walk(at, world, look)
        : walk(at, world, look, ({ name }) => name !== '.git', MOST_IN_REPOSITORY);
    if (found !== undefined) return found;
  }
  return undefined;
}

export function isFile(place: string, world: PermissionWorld): boolean {
  return world.entries(place) === undefined && world.exists(place) && !world.exists(`${place}/.`);
}

function mayHold(kind: FolderEntry['kind']): boolean {
  return kind === 'folder' || kind === 'link';
}

/** Some programs ignore case. */
export function endsWithOneOf(name: string, endings: readonly string[]): boolean {
  return endings.some((ending) => foldCase(name).endsWith(foldCase(ending)));
}

/** Returns whether a search that skips hidden files skips this one. Only its own name counts, not its folders. */
export function isHiddenFromSearch(
  file: string,
  isFolder: boolean,
  world: Pick<PermissionWorld, 'exceptionsIn'>,
): boolean {
  const name = path.posix.basename(file);
  if (!name.startsWith('.')) return false;
  const letters = Array.from(name.toLowerCase());
  // A file of ignored names also concerns folders below, and may ignore case.
  return !foldersUp(path.posix.dirname(file)).some((folder) =>
    world.exceptionsIn?.(folder).some((pattern) => matchesName(pattern, letters, isFolder)),
  );
}

/** Returns whether the last name of a pattern matches. Too many match rather than too few. */
function matchesName(pattern: string, letters: readonly string[], isFolder: boolean): boolean {
  if (/\/\s*$/.test(pattern) && !isFolder) return false;
  // Braces are a choice only in some of these files.
  if (/[{}]/.test(pattern)) return true;
  const name = pattern
    .trim()
    .replace(/(?<!\/)\/+$/, '')
    .replace(/^.*\//s, '');
  const last = tokensOfName(name);
  return last === undefined ? name !== '' : namesMeet(last, letters, true);
}
