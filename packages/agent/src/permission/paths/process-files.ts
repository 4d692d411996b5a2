/**
 * Finds files and options of `ps` that show the environment, memory or open files of other processes. A key of the user may be
 * in any of them. So reading one asks, regardless of rules.
 */
import type { Concern, Part } from '../part.ts';
import type { Glob } from './glob.ts';
import { areRelated, type FilePlace, isAtOrBelow, isSink } from './places.ts';
import type { PermissionWorld, ProcessMount } from '../world.ts';
import { processNames } from './second-mounts.ts';
import { literalSegments, segmentsMeet, type Segment, segmentsOf } from './segments.ts';

/** Files of a process that contain only counters and names. It is an allow-list, because kernels add files. */
const HARMLESS_OF_PROCESS: ReadonlySet<string> = new Set(
  (
    'status stat statm comm cmdline limits cgroup io loadavg mounts mountinfo mountstats oom_score oom_score_adj sched ' +
    'schedstat sessionid uid_map gid_map wchan net ns attr'
  ).split(' '),
);

const OF_MACHINE = /^\/(?:proc\/(?:kcore|kmem|vmcore|keys|key-users)|dev\/(?:mem|kmem|port))(?:\/|$)/;
const OF_PROCESS = /^\/proc\/(?:self|thread-self|\d+)(?:\/task\/\d+)?\/([^/]+)/;

interface Reading {
  /** The path as written, if its places are unknown. */
  readonly written?: string;
  readonly places: readonly FilePlace[] | undefined;
  readonly glob: Glob | undefined;
  readonly deep: 'no' | 'all' | 'visible';
  /** The path leads through a link of a process. */
  readonly ofProcess?: boolean | undefined;
}

/** Returns why reading asks, or undefined if no other process is shown. */
export function processConcern(reading: Reading, world: PermissionWorld): Concern | undefined {
  const { places, written = '', glob, deep } = reading;
  const mounts = world.processMounts?.() ?? [];
  // A link among the matches of a pattern may lead there.
  const named = glob ? glob.unusual(glob.optioned) : places;
  const shows =
    places === undefined
      ? reading.ofProcess === true ||
        /\/proc(?:\/|$)|\/dev\/k?mem/.test(written) ||
        mounts.some(({ point }) => written.includes(point))
      : (glob !== undefined && mayShow(glob.shapes(true, deep), mounts)) ||
        (named ?? []).some((place) =>
          [place.path, place.real].some((path) => isShowing(path, place, deep, mounts)),
        );
  if (!shows) return undefined;
  return SHOWS_PROCESS;
}

export const SHOWS_PROCESS: Concern = {
  level: 'unless bypassed',
  reason: 'It may show the environment or memory of other processes.',
};

/** A script with these texts may read such a file under a name that it builds: `find /proc -name environ | xargs cat`. */
const NAMES_PROCESS = /(?:^|[^\w./-])(?:[./]*\/)?proc(?![\w.-])|\benviron\b/;

/** The texts of a script, as the shell uses them. */
interface ScriptTexts {
  /** Its words without quotes, and its folders. */
  readonly values: () => readonly string[];
  /** Absolute paths of the folders in which it may look for names. */
  readonly searched: () => readonly string[];
}

/**
 * Adds the concern to reads of unknown files, if the text of the script names such a file, or if the script looks for names
 * in a folder with such files: `find / -name x | xargs cat`.
 */
export function withProcessConcern(
  parts: readonly Part[],
  text: string,
  { values, searched }: ScriptTexts,
  world: PermissionWorld,
): readonly Part[] {
  const isOpen = parts.some((part) => part.kind === 'read' && part.places === undefined);
  if (!isOpen) return parts;
  const mounts = world.processMounts?.() ?? [];
  const isNamed =
    NAMES_PROCESS.test(text) ||
    values().some(mayNameProcess) ||
    searched().some((folder) => folder === '/' || mounts.some(({ point }) => areRelated(folder, point))) ||
    values().some((value) => isOfMount(value, mounts)) ||
    parts.some((part) => isLinkToProcesses(part, mounts));
  if (!isNamed) return parts;
  return parts.map((part) =>
    part.kind === 'read' && part.places === undefined && part.concern === undefined
      ? { ...part, concern: SHOWS_PROCESS }
      : part,
  );
}

function isOfMount(file: string, mounts: readonly ProcessMount[]): boolean {
  return mounts.some(({ point }) => isAtOrBelow(file, point));
}

/** The text `/` is often not a folder: `tr / _`. But a path through a link is one. */
function isLinkToProcesses(part: Part, mounts: readonly ProcessMount[]): boolean {
  return (
    part.kind === 'read' &&
    part.places?.some(
      ({ path, real }) => path !== real && (/^\/(?:proc(?:\/.*)?)?$/.test(real) || isOfMount(real, mounts)),
    ) === true
  );
}

function mayNameProcess(value: string): boolean {
  if (NAMES_PROCESS.test(value)) return true;
  // `/p*c/1` is such a folder as well.
  const [, first] = /^(?:\.*\/)+([^/]*[*?[][^/]*)/.exec(value) ?? [];
  return first !== undefined && segmentsMeet(segmentsOf(first), PROCESSES, true);
}

const PROCESSES = segmentsOf('proc', true);

/** Returns whether a link leads to such files, or to a folder that contains them. */
export function leadsToProcesses(link: string, real: string, world: PermissionWorld): boolean {
  return (
    world.passesProcess?.(link) === true ||
    isShowing(real, { path: link, real }, 'all', world.processMounts?.() ?? [])
  );
}

function isShowing(
  file: string,
  { path }: FilePlace,
  deep: Reading['deep'],
  mounts: readonly ProcessMount[],
): boolean {
  // The standard streams of a command lead there as well, but they are its own.
  if (isSink(path, 'read')) return false;
  if (deep !== 'no' && mounts.some(({ point }) => isAtOrBelow(point, file))) return true;
  return [file, ...processNames(file, mounts)].some((name) => isNameShowing(name, deep));
}

function isNameShowing(file: string, deep: Reading['deep']): boolean {
  if (OF_MACHINE.test(file)) return true;
  const [, name] = OF_PROCESS.exec(file) ?? [];
  if (name !== undefined) return !HARMLESS_OF_PROCESS.has(name);
  return deep !== 'no' && /^\/(?:proc(?:\/(?:self|thread-self|\d+|\d+\/task.*))?)?$/.test(file);
}

/** Compares the possible paths of a pattern with the paths of such files, for any process id. */
function mayShow(shapes: readonly (readonly Segment[])[], mounts: readonly ProcessMount[]): boolean {
  const named = mounts.flatMap((mount) => shapes.flatMap((shape) => shapeInProcesses(shape, mount)));
  return [...shapes, ...named].some((shape) => SHOWN.some((shown) => segmentsMeet(shape, shown, true)));
}

/** Returns the same pattern with the name below `/proc`, if it may match paths in this place. */
function shapeInProcesses(
  shape: readonly Segment[],
  { point, name }: ProcessMount,
): readonly (readonly Segment[])[] {
  const folder = literalSegments(point);
  const tree = shape.slice(0, folder.length).findIndex((segment) => typeof segment === 'string');
  const end = tree < 0 ? folder.length : tree;
  if (shape.length < end || !segmentsMeet(shape.slice(0, end), folder.slice(0, end), true)) return [];
  return [[...literalSegments(name), ...shape.slice(end)]];
}

const SHOWN: readonly (readonly Segment[])[] = [
  ...['environ', 'mem', 'fd', 'maps', 'auxv', 'root', 'cwd', 'task'].flatMap((name) => [
    segmentsOf(`proc/*/${name}`, true),
    segmentsOf(`proc/*/${name}/**`, true),
  ]),
  segmentsOf('proc/kcore', true),
  segmentsOf('dev/mem', true),
];
