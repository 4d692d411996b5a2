/** A glob in a command: the paths that it may match, and those that it matches now. */
import path from 'node:path';
import { commandPlaces, type FilePlace } from './places.ts';
import type { PermissionWorld } from '../world.ts';
import {
  isLiteral,
  isOpen,
  literalSegments,
  namesMeet,
  type Segment,
  segmentsOf,
  withoutGlobstar,
} from './segments.ts';

export interface Glob {
  /** Every possible match. If whole trees are read, also everything below. */
  readonly shapes: (optioned: boolean, deep: 'no' | 'all' | 'visible') => readonly (readonly Segment[])[];
  /** The glob matches `..` in older shells, and so files in any folder. */
  readonly climbs: boolean;
  /** The glob contains letters besides wildcards. */
  readonly aims: boolean;
  /** A shell option may be set that makes wildcards match hidden files and whole trees. */
  readonly optioned: boolean;
  /** Nothing in the call can change the matches before they are read. */
  readonly lasting: boolean;
  /** The current matches, and a file with the text of the glob as its name. Undefined if there are too many, or if they are unknown. */
  readonly found: (optioned: boolean) => readonly FilePlace[] | undefined;
  /**
   * At least those of the current matches that are links or named pipes, also if there are many matches. Undefined if they are
   * unknown.
   */
  readonly unusual: (optioned: boolean) => readonly FilePlace[] | undefined;
}

const globs = new WeakMap<PermissionWorld['list'], Map<string, Glob>>();

/** Cached, because one decision asks for the same glob many times. Copies of a world share their functions. */
export function globOf(pattern: string, folders: readonly FilePlace[], world: PermissionWorld): Glob {
  const known = globs.get(world.list) ?? new Map<string, Glob>();
  globs.set(world.list, known);
  const options = world.hasGlobOptions === true ? 'options' : '';
  const key = [options, pattern, ...folders.flatMap(({ path: written, real }) => [written, real])].join('\0');
  const glob = known.get(key) ?? makeGlob(pattern, folders, world);
  known.set(key, glob);
  return glob;
}

function makeGlob(pattern: string, folders: readonly FilePlace[], world: PermissionWorld): Glob {
  // Every segment is compared with many others.
  world.spend?.(STEPS_OF_GLOB + Math.floor((pattern.length * folders.length) / 4));
  const segments = segmentsOf(pattern);
  const known = new Map<string, Segment[][]>();
  const matches = new Map<boolean, { readonly places: readonly FilePlace[] | undefined }>();
  const shapes: Glob['shapes'] = (optioned, deep) => {
    const key = `${deep} ${optioned}`;
    const shaped = known.get(key) ?? shapesOf(optioned ? segments : withoutGlobstar(segments), folders, deep);
    known.set(key, shaped);
    return shaped;
  };
  const found: Glob['found'] = (optioned) => {
    const before = matches.get(optioned);
    if (before) return before.places;
    const matched = expanded(optioned ? segments : withoutGlobstar(segments), folders, world, optioned);
    const places = matched && [...matched, ...unexpanded(pattern, folders, world)];
    matches.set(optioned, { places });
    return places;
  };
  const unusual = new Map<boolean, { readonly places: readonly FilePlace[] | undefined }>();
  return {
    shapes,
    climbs: segments.some(
      (segment) => typeof segment !== 'string' && segment[0] === '.' && namesMeet(segment, ['.', '.'], true),
    ),
    aims: !segments.every(isOpen),
    optioned:
      world.hasGlobOptions === true ||
      ['GLOBIGNORE', 'BASHOPTS'].some((name) => world.environment[name] !== undefined),
    lasting: false,
    found,
    unusual: (optioned) => {
      const all = found(true) ?? found(optioned);
      if (all) return all;
      const before = unusual.get(optioned);
      if (before) return before.places;
      const places = unusualMatches(
        optioned ? segments : withoutGlobstar(segments),
        folders,
        world,
        optioned,
      );
      unusual.set(optioned, { places });
      return places;
    },
  };
}

function shapesOf(
  segments: readonly Segment[],
  folders: readonly FilePlace[],
  deep: 'no' | 'all' | 'visible',
): Segment[][] {
  const anchors = new Set(folders.flatMap(({ path: written, real }) => [written, real]));
  const tail: Segment[] = deep === 'no' ? [] : [deep === 'all' ? '**' : 'visible'];
  return Array.from(anchors, (anchor) => [...literalSegments(anchor), ...segments, ...tail]);
}

/** Shell options and variables that change which files a glob matches. */
export const GLOB_OPTIONS = /globstar|dotglob|globdots|glob_dots|GLOBIGNORE|BASHOPTS|shopt|setopt|emulate/i;

/** The number of names that are checked one by one. */
const MOST = 1_000;
/** Steps of the comparisons with protected places and files of processes. */
const STEPS_OF_GLOB = 12;
/** The number of names in a folder that are compared in one step, if most of them differ in their first letters. */
const NAMES_PER_STEP = 8;

function expanded(
  segments: readonly Segment[],
  folders: readonly FilePlace[],
  world: PermissionWorld,
  hidden: boolean,
): readonly FilePlace[] | undefined {
  let paths = folders.map(({ path: folder }) => folder);
  const byOption = new Set<string>();
  for (const segment of segments) {
    if (typeof segment === 'string') return undefined;
    const next: string[] = [];
    const literal = isLiteral(segment) ? segment.join('') : undefined;
    // Most names differ in their first letters, and this is the fastest test.
    const wild = segment.findIndex((token) => typeof token !== 'string');
    const beginning = literal ?? segment.slice(0, wild).join('');
    for (const folder of paths) {
      const names = literal === undefined ? world.list(folder) : [literal];
      if (names === undefined) return undefined;
      world.spend?.(1 + Math.floor(names.length / NAMES_PER_STEP));
      for (const name of names) {
        if (!name.startsWith(beginning)) continue;
        world.spend?.(1);
        const letters = Array.from(name);
        if (literal === undefined && !namesMeet(segment, letters, hidden)) continue;
        const file = folder === '/' ? `/${name}` : `${folder}/${name}`;
        const isHidden = hidden && literal === undefined && name.startsWith('.');
        if (byOption.has(folder) || (isHidden && !namesMeet(segment, letters, false))) byOption.add(file);
        next.push(file);
      }
      if (next.length > MOST) return undefined;
    }
    paths = next;
  }
  // A shell option lets `*/dist` match `.git/dist`, but only if that exists.
  const matched =
    byOption.size === 0 ? paths : paths.filter((file) => !byOption.has(file) || world.exists(file));
  return matched.flatMap((file) => commandPlaces(file, world));
}

/** The number of entries that are looked at for links and named pipes. */
const MOST_ENTRIES = 20_000;
/** The number of entries that are looked at in one step. */
const ENTRIES_PER_STEP = 12;

interface Reached {
  readonly folder: string;
  /** The way to the folder passes a link that the glob matches. */
  readonly isBehindLink: boolean;
}

/** Returns the matches that are links or named pipes, and all matches behind links. Most matches need no path. */
function unusualMatches(
  segments: readonly Segment[],
  folders: readonly FilePlace[],
  world: PermissionWorld,
  hidden: boolean,
): readonly FilePlace[] | undefined {
  let reached: readonly Reached[] = folders.map(({ path: folder }) => ({ folder, isBehindLink: false }));
  const found: string[] = [];
  let seen = 0;
  for (const [index, segment] of segments.entries()) {
    const isLast = index === segments.length - 1;
    const isTree = typeof segment === 'string';
    const open = [...reached];
    const next = isTree ? [...reached] : [];
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      const { folder, isBehindLink } = at;
      const entries = world.entries(folder);
      seen += entries?.length ?? 0;
      if (entries === undefined || seen > MOST_ENTRIES) return undefined;
      world.spend?.(1 + Math.ceil(entries.length / ENTRIES_PER_STEP));
      for (const { name, kind } of entries) {
        const mayEnter = kind === 'folder' || kind === 'link';
        const isFound = isLast && (isBehindLink || kind === 'link' || kind === 'pipe');
        if (!isFound && !(mayEnter && (isTree || !isLast))) continue;
        world.spend?.(1);
        if (!isTree && !namesMeet(segment, Array.from(name), hidden)) continue;
        const file = path.posix.join(folder, name);
        if (isFound) found.push(file);
        if (!mayEnter) continue;
        const inner = { folder: file, isBehindLink: isBehindLink || kind === 'link' };
        next.push(inner);
        // A tree behind a link may contain the link itself.
        if (isTree && kind === 'folder') open.push(inner);
      }
      if (found.length > MOST || next.length > MOST) return undefined;
    }
    reached = next;
  }
  return found.flatMap((file) => commandPlaces(file, world));
}

/** Without a match, the shell keeps the text of the glob as a path. Returns that path if its first name exists. */
function unexpanded(
  pattern: string,
  folders: readonly FilePlace[],
  world: PermissionWorld,
): readonly FilePlace[] {
  const text = pattern.replace(/\\(.)/gs, '$1');
  const [first = ''] = text.split('/', 1);
  return folders
    .filter((folder) => world.list(folder.path)?.includes(first) !== false)
    .map((folder) => path.posix.join(folder.path, text))
    .flatMap((file) => commandPlaces(file, world));
}
