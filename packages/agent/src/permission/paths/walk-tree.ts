/**
 * Walks below a folder, with a limit, for links and protected places. A tree that is too large or unreadable counts as
 * containing them.
 */
import path from 'node:path';
import type { FilePlace } from './places.ts';
import type { FolderEntry, PermissionWorld } from '../world.ts';
import { canEndProtected, protectedPlaceName, searchedFolders } from './protected.ts';

/** The number of entries per walk. More would take longer than a decision may. */
const MOST_ENTRIES = 3_000;

type Answer<Found> = Found | 'too many' | undefined;

/**
 * Visits every entry below a folder until `look` returns a value. Enters folders unless `enter` declines. Does not
 * follow links.
 */
function walk<Found>(
  folder: string,
  world: PermissionWorld,
  look: (file: string, entry: FolderEntry) => Found | undefined,
  enter: (entry: FolderEntry) => boolean = () => true,
): Answer<Found> {
  const open = [folder];
  let seen = 0;
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const entries = world.entries(at);
    if (entries === undefined) return 'too many';
    seen += entries.length;
    if (seen > MOST_ENTRIES) return 'too many';
    for (const entry of entries) {
      const file = at === '/' ? `/${entry.name}` : `${at}/${entry.name}`;
      const found = look(file, entry);
      if (found !== undefined) return found;
      if (entry.kind === 'folder' && enter(entry)) open.push(file);
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

/**
 * Returns the name of a protected place below a folder that is removed or moved.
 *
 * A removal does not check `node_modules`: packages contain such files, and an installation restores them.
 */
export function protectedBelow(
  { real }: FilePlace,
  world: PermissionWorld,
  kind: 'removed' | 'moved',
): Answer<string> {
  const settings = world.configDirs.find((folder) => world.realpath(folder).startsWith(`${real}/`));
  if (settings !== undefined) return "the agent's own settings";
  const isRestored = (name: string): boolean => kind === 'removed' && name === 'node_modules';
  if (isRestored(path.posix.basename(real))) return undefined;
  return walk(
    real,
    world,
    (file, { name }) =>
      canEndProtected(name) ? protectedPlaceName({ path: file, real: file }, world) : undefined,
    ({ name }) => !isRestored(name),
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
  const searched = new Set(searchedFolders(world));
  return walk(source.real, world, (file, { name }) => {
    const written = target + file.slice(prefix);
    if (!canEndProtected(name) && !searched.has(written) && !isLink(written, world)) return undefined;
    return look({ path: written, real: world.realpath(written) });
  });
}

/**
 * Returns every path below some places, as written and as resolved. `follows`: also enters folders behind links.
 * `hidden`: includes names with a leading dot. Undefined if there are too many entries.
 */
export function pathsBelow(
  places: readonly FilePlace[],
  world: PermissionWorld,
  { follows, hidden }: { readonly follows: boolean; readonly hidden: boolean },
): readonly string[] | undefined {
  const paths: string[] = [];
  const open = [...new Set(places.map(({ real }) => real))];
  const entered = new Set(open);
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const isShown = ({ name }: FolderEntry): boolean => hidden || !name.startsWith('.');
    const look = (file: string, entry: FolderEntry): true | undefined => {
      if (!isShown(entry)) return undefined;
      const { kind } = entry;
      paths.push(file);
      if (paths.length > MOST_ENTRIES) return true;
      if (kind !== 'link' || !follows) return undefined;
      const real = world.realpath(file);
      paths.push(real);
      if (!entered.has(real)) {
        entered.add(real);
        open.push(real);
      }
      return undefined;
    };
    if (walk(at, world, look, isShown) !== undefined) return undefined;
  }
  return paths;
}
