/**
 * Walks below a folder, with a limit, for links and protected places. A tree that is too large or unreadable counts as
 * containing them.
 */
import path from 'node:path';
import type { PathsBelow } from '../part.ts';
import { commandPlace, type FilePlace, foldersUp, isKnownPlace } from './places.ts';
import type { FolderEntry, PermissionWorld } from '../world.ts';
import { isOpenedInFolders } from './opened-names.ts';
import { foldCase } from './protected.ts';
import { namesMeet, type Token, tokensOfKnownName, tokensOfName } from './segments.ts';

/** The number of entries per walk. More would take longer than a decision may. */
const MOST_ENTRIES = 3_000;
/** The number for a whole repository, which git walks through as well. */
export const MOST_IN_REPOSITORY = 20_000;
/** The number of entries that are visited in one step. */
export const ENTRIES_PER_STEP = 6;

export type Answer<Found> = Found | 'too many' | undefined;

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
export function isLink(file: string, world: PermissionWorld): boolean {
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

export function mayHold(kind: FolderEntry['kind']): boolean {
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
