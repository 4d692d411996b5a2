/** Finds matches of patterns in quotes that links lead to. A program expands such a pattern itself, and may follow the links. */
import path from 'node:path';
import { type FilePlace, knownEntries, placesOf, tildeExpanded } from '../../paths/places.ts';
import { namesMeet, type Segment, segmentsOf } from '../../paths/segments.ts';
import type { PermissionWorld } from '../../world.ts';
import type { WordScope } from '../possible-values.ts';

/** The number of entries that are looked at, those near the start of the pattern first. */
const MOST_ENTRIES = 3_000;
/** The number of entries that are looked at in one step. */
const ENTRIES_PER_STEP = 12;

/** The rest of a pattern that the names below a folder have to match. */
type Rest = readonly Segment[];

interface Visited {
  readonly folder: string;
  readonly rests: readonly Rest[];
  /** The way to the folder passes a link that a pattern matches. */
  readonly isBehindLink: boolean;
}

/** Returns the folder before the first wildcard of a pattern, with a slash at its end unless it is the working folder. */
export function fixedFolder(pattern: string): string {
  const at = pattern.search(/[*?[(+@!]/);
  return pattern.slice(0, pattern.lastIndexOf('/', at < 0 ? pattern.length : at) + 1);
}

/** Returns the matches that are links, and those behind links. Tools leave `node_modules` out. */
export function linkedMatches(
  patterns: readonly string[],
  { folders, world }: WordScope,
): readonly FilePlace[] {
  const open = startsOf(patterns, folders ?? [world.cwd], world);
  const found = new Set<string>();
  let seen = 0;
  for (const { folder, rests, isBehindLink } of open) {
    const entries = knownEntries(folder, world);
    seen += entries.length;
    if (seen > MOST_ENTRIES) break;
    world.spend?.(1 + Math.ceil(entries.length / ENTRIES_PER_STEP));
    for (const { name, kind } of entries) {
      const isLink = kind === 'link';
      // Most entries are files, and lead nowhere else.
      if ((kind === 'file' && !isBehindLink) || name === 'node_modules') continue;
      const next = restsAfter(name, rests);
      const file = path.posix.join(folder, name);
      if ((isLink || isBehindLink) && next.some((rest) => rest.every(isTree))) found.add(file);
      // A tree behind a link may contain the link itself.
      const inner = isLink && isBehindLink ? [] : next.filter((rest) => rest.length > 0);
      if (kind !== 'file' && inner.length > 0)
        open.push({ folder: file, rests: inner, isBehindLink: isBehindLink || isLink });
    }
  }
  return Array.from(found, (file) => ({ path: file, real: world.realpath(file) }));
}

function startsOf(
  patterns: readonly string[],
  folders: readonly string[],
  world: PermissionWorld,
): Visited[] {
  const starts = new Map<string, Rest[]>();
  for (const pattern of patterns) {
    const fixed = fixedFolder(pattern);
    const rest = segmentsOf(pattern.slice(fixed.length));
    const from = tildeExpanded(fixed === '' ? '.' : fixed, world.home);
    for (const { path: folder } of placesOf(from, folders, world))
      starts.set(folder, [...(starts.get(folder) ?? []), rest]);
  }
  return Array.from(starts, ([folder, rests]) => ({ folder, rests, isBehindLink: false }));
}

function isTree(segment: Segment): boolean {
  return typeof segment === 'string';
}

/** Returns what is left of the patterns after a name. Two stars match any number of names. */
function restsAfter(name: string, rests: readonly Rest[]): readonly Rest[] {
  return rests.flatMap(([first, ...others]): readonly Rest[] => {
    if (first === undefined) return [];
    if (typeof first === 'string')
      return [...(name.startsWith('.') ? [] : [[first, ...others]]), ...restsAfter(name, [others])];
    return namesMeet(first, Array.from(name), false) ? [others] : [];
  });
}
