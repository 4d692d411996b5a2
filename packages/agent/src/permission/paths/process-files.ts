/**
 * Finds files and options of `ps` that show the environment, memory or open files of other processes. A key of the user may be
 * in any of them. So reading one asks, regardless of rules.
 */
import type { Concern, Part } from '../part.ts';
import type { Glob } from './glob.ts';
import { type FilePlace, isSink } from './places.ts';
import type { PermissionWorld } from '../world.ts';
import { segmentsMeet, type Segment, segmentsOf } from './segments.ts';

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
export function processConcern(reading: Reading): Concern | undefined {
  const { places, written = '', glob, deep } = reading;
  // A link among the matches of a pattern may lead there.
  const named = glob ? glob.unusual(glob.optioned) : places;
  const shows =
    places === undefined
      ? reading.ofProcess === true || /\/proc(?:\/|$)|\/dev\/k?mem/.test(written)
      : (glob !== undefined && mayShow(glob.shapes(true, deep))) ||
        (named ?? []).some((place) => [place.path, place.real].some((path) => isShowing(path, place, deep)));
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
): readonly Part[] {
  const isOpen = parts.some((part) => part.kind === 'read' && part.places === undefined);
  if (!isOpen) return parts;
  const isNamed =
    NAMES_PROCESS.test(text) ||
    values().some(mayNameProcess) ||
    searched().includes('/') ||
    parts.some(isLinkToProcesses);
  if (!isNamed) return parts;
  return parts.map((part) =>
    part.kind === 'read' && part.places === undefined && part.concern === undefined
      ? { ...part, concern: SHOWS_PROCESS }
      : part,
  );
}

/** The text `/` is often not a folder: `tr / _`. But a path through a link is one. */
function isLinkToProcesses(part: Part): boolean {
  return (
    part.kind === 'read' &&
    part.places?.some(({ path, real }) => path !== real && /^\/(?:proc(?:\/.*)?)?$/.test(real)) === true
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
  return world.passesProcess?.(link) === true || isShowing(real, { path: link, real }, 'all');
}

function isShowing(file: string, { path }: FilePlace, deep: Reading['deep']): boolean {
  // The standard streams of a command lead there as well, but they are its own.
  if (isSink(path, 'read')) return false;
  if (OF_MACHINE.test(file)) return true;
  const [, name] = OF_PROCESS.exec(file) ?? [];
  if (name !== undefined) return !HARMLESS_OF_PROCESS.has(name);
  return deep !== 'no' && /^\/(?:proc(?:\/(?:self|thread-self|\d+|\d+\/task.*))?)?$/.test(file);
}

/** Compares the possible paths of a pattern with the paths of such files, for any process id. */
function mayShow(shapes: readonly (readonly Segment[])[]): boolean {
  return shapes.some((shape) => SHOWN.some((shown) => segmentsMeet(shape, shown, true)));
}

const SHOWN: readonly (readonly Segment[])[] = [
  ...['environ', 'mem', 'fd', 'maps', 'auxv', 'root', 'cwd', 'task'].flatMap((name) => [
    segmentsOf(`proc/*/${name}`, true),
    segmentsOf(`proc/*/${name}/**`, true),
  ]),
  segmentsOf('proc/kcore', true),
  segmentsOf('dev/mem', true),
];
