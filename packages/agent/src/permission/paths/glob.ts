/** A glob in a command: which paths it may stand for, and which it stands for now. */
import type { FilePlace } from './places.ts';
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
  /** Every path it may stand for, and what may follow it where whole trees are read. */
  readonly shapes: (optioned: boolean, deep: 'no' | 'all' | 'visible') => readonly (readonly Segment[])[];
  /** Older shells find `..` by it, and with that what lies anywhere. */
  readonly climbs: boolean;
  /** It has letters of its own besides the wildcards of its names. */
  readonly aims: boolean;
  /** An option of the shell may be set with which wildcards find hidden files and whole trees, too. */
  readonly optioned: boolean;
  /** Nothing in the call can change what it finds before it is read. */
  readonly lasting: boolean;
  /** What it finds now; undefined where that is too much, or cannot be told. */
  readonly found: (optioned: boolean) => readonly FilePlace[] | undefined;
}

export function globOf(pattern: string, folders: readonly FilePlace[], world: PermissionWorld): Glob {
  const segments = segmentsOf(pattern);
  const known = new Map<string, Segment[][]>();
  const shapes: Glob['shapes'] = (optioned, deep) => {
    const key = `${deep} ${optioned}`;
    const shaped = known.get(key) ?? shapesOf(optioned ? segments : withoutGlobstar(segments), folders, deep);
    known.set(key, shaped);
    return shaped;
  };
  return {
    shapes,
    climbs: segments.some(
      (segment) => typeof segment !== 'string' && segment[0] === '.' && namesMeet(segment, ['.', '.'], true),
    ),
    aims: !segments.every(isOpen),
    optioned: ['GLOBIGNORE', 'BASHOPTS'].some((name) => world.environment[name] !== undefined),
    lasting: false,
    found: (optioned) => expanded(optioned ? segments : withoutGlobstar(segments), folders, world, optioned),
  };
}

function shapesOf(
  segments: readonly Segment[],
  folders: readonly FilePlace[],
  deep: 'no' | 'all' | 'visible',
): Segment[][] {
  const anchors = new Set(folders.flatMap(({ path, real }) => [path, real]));
  const tail: Segment[] = deep === 'no' ? [] : [deep === 'all' ? '**' : 'visible'];
  return Array.from(anchors, (anchor) => [...literalSegments(anchor), ...segments, ...tail]);
}

/** Options and variables of a shell that change which files its globs find. */
export const GLOB_OPTIONS = /globstar|dotglob|globdots|glob_dots|GLOBIGNORE|BASHOPTS|shopt|setopt|emulate/i;

/** More names than this are not looked at one by one. */
const MOST = 1_000;

function expanded(
  segments: readonly Segment[],
  folders: readonly FilePlace[],
  world: PermissionWorld,
  hidden: boolean,
): readonly FilePlace[] | undefined {
  let paths = folders.map(({ path }) => path);
  for (const segment of segments) {
    if (typeof segment === 'string') return undefined;
    const next: string[] = [];
    for (const path of paths) {
      const names = isLiteral(segment) ? [segment.join('')] : world.list(path);
      if (names === undefined) return undefined;
      for (const name of names) {
        if (isLiteral(segment) || namesMeet(segment, Array.from(name), hidden))
          next.push(path === '/' ? `/${name}` : `${path}/${name}`);
      }
      if (next.length > MOST) return undefined;
    }
    paths = next;
  }
  return paths.map((path) => ({ path, real: world.realpath(path) }));
}
