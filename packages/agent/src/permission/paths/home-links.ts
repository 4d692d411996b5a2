/**
 * Finds the links in protected folders of the home folder, such as `~/.config/systemd/user/a.service`. Users often keep their targets in a
 * repository and work there. The folders follow from the list of protected places.
 */
import { readdirSync, statSync, type Stats } from 'node:fs';
import path from 'node:path';
import type { LinkFolder, PermissionWorld } from '../world.ts';
import { knownEntries, UNKNOWN_CHARACTER } from './places.ts';
import { isProtectedBelow, leadsToProtected } from './protected.ts';

/** The folders of version control are large. Links in those of the home folder are looked at like those of projects. */
const VERSION_CONTROL = /^(\.git|\.hg|\.svn|\.jj|\.bzr|\.sl)$/i;

/** The number of folders in protected folders that are looked at: in all, and of one. Some contain thousands of packages. */
const MOST_INNER = 100;
const MOST_INNER_OF_ONE = 10;

/** The number of folders with fitting names in a folder that are looked at. */
const MOST_OF_FOLDER = 300;

/** Returns the links in folders that are protected or lead to a protected place, and in the folders directly below protected ones. */
export function linksInHome(home: string, world: PermissionWorld): readonly string[] {
  const look = world.linkFolder ?? ((folder: string) => lookByEntries(folder, world));
  const found: string[] = [];
  const entered = new Set<string>();
  const enter = (folder: string): LinkFolder | undefined => {
    const looked = look(folder);
    if (looked === undefined || entered.has(looked.id)) return undefined;
    entered.add(looked.id);
    for (const name of looked.links) found.push(path.posix.join(folder, name));
    return looked;
  };
  const lists: (readonly string[])[] = [];
  const visit = (folder: string, names: readonly string[]): void => {
    const looked = enter(folder);
    if (looked === undefined) return;
    const { places, ways } = sortedInner(looked, names);
    for (const name of ways) visit(`${folder}/${name}`, [...names, name]);
    for (const name of places) {
      const inner = `${folder}/${name}`;
      const below = enter(inner)?.inner ?? [];
      if (below.length > 0) lists.push(below.slice(0, MOST_INNER_OF_ONE).map((one) => `${inner}/${one}`));
    }
  };
  visit(home, []);
  for (const folder of takeTurns(lists).slice(0, MOST_INNER)) enter(folder);
  world.spend?.(Math.ceil(entered.size / FOLDERS_PER_STEP));
  return found;
}

/** The number of folders, known from an earlier decision, that take one step. */
const FOLDERS_PER_STEP = 8;

/** Returns the first of each list, then the second of each. So one large folder does not take the place of all others. */
export function takeTurns(lists: readonly (readonly string[])[]): readonly string[] {
  const longest = Math.max(0, ...lists.map(({ length }) => length));
  return Array.from({ length: longest }, (_, at) => lists.flatMap((list) => list.slice(at, at + 1))).flat();
}

interface SortedInner {
  /** The names of the folder below the home folder. */
  readonly of: string;
  /** Protected folders. */
  readonly places: readonly string[];
  /** Folders that contain protected places without being one. */
  readonly ways: readonly string[];
}

const sorted = new WeakMap<LinkFolder, SortedInner>();

function sortedInner(looked: LinkFolder, names: readonly string[]): SortedInner {
  const of = names.join('/');
  const known = sorted.get(looked);
  if (known?.of === of) return known;
  const isPlace = (name: string): boolean => isProtectedBelow([...names, name]);
  // Folders with other names must not take the place of these.
  const places: string[] = [];
  const ways: string[] = [];
  for (const name of looked.inner) {
    if (places.length + ways.length === MOST_OF_FOLDER) break;
    if (isPlace(name)) places.push(name);
    else if (leadsToProtected([...names, name])) ways.push(name);
  }
  const fresh = { of, places, ways };
  sorted.set(looked, fresh);
  return fresh;
}

function lookByEntries(folder: string, world: PermissionWorld): LinkFolder | undefined {
  const entries = knownEntries(folder, world);
  return entries.length === 0 ? undefined : { id: world.realpath(folder), ...linksAmong(entries) };
}

function linksAmong(
  entries: readonly { readonly name: string; readonly kind: string }[],
): Pick<LinkFolder, 'links' | 'inner'> {
  const nameOf = ({ name }: { readonly name: string }): string => name;
  return {
    links: entries.filter(({ kind }) => kind === 'link').map(nameOf),
    inner: entries
      .filter(({ kind, name }) => (kind === 'link' || kind === 'folder') && !VERSION_CONTROL.test(name))
      .map(nameOf)
      .toSorted(),
  };
}

interface Remembered {
  readonly stamp: string;
  readonly folder: LinkFolder;
}

/** Folders of earlier decisions. */
const remembered = new Map<string, Remembered>();

/** More than the folders of one home folder. */
const MOST_REMEMBERED = 2_000;

/** Some disks count time in steps of two seconds, so a later change may not change the time of a folder. */
const STEP_OF_TIME_MS = 2_000;

/**
 * Looks at a folder on this machine. The answer is kept as long as the times of the folder stay the same. Undefined if there is no
 * such folder, or if it cannot be read.
 */
export function lookAtLinks(folder: string): LinkFolder | undefined {
  try {
    const about = statSync(folder, { throwIfNoEntry: false });
    if (about?.isDirectory() !== true) return undefined;
    const stamp = stampOf(about);
    const known = remembered.get(folder);
    if (known?.stamp === stamp) return known.folder;
    const lookedAt = Date.now();
    const entries = readdirSync(folder, { withFileTypes: true })
      .filter(({ name }) => !name.includes(UNKNOWN_CHARACTER))
      .map((entry) => ({
        name: entry.name,
        kind: entry.isSymbolicLink() ? 'link' : entry.isDirectory() ? 'folder' : 'file',
      }));
    const fresh: LinkFolder = { id: `${about.dev} ${about.ino}`, ...linksAmong(entries) };
    if (remembered.size >= MOST_REMEMBERED) remembered.clear();
    if (lookedAt - Math.max(about.mtimeMs, about.ctimeMs) > STEP_OF_TIME_MS)
      remembered.set(folder, { stamp, folder: fresh });
    return fresh;
  } catch {
    return undefined;
  }
}

function stampOf({ dev, ino, mtimeMs, ctimeMs }: Stats): string {
  return `${dev} ${ino} ${mtimeMs} ${ctimeMs}`;
}
