/**
 * Files that show what other processes hold: their environment, their memory, what they have open. A key of the user may be
 * in any of them, so reading one asks, whatever rules say.
 */
import type { Concern } from '../part.ts';
import type { Glob } from './glob.ts';
import { type FilePlace, isSink } from './places.ts';
import { meet, type Segment, segmentsOf } from './segments.ts';

/** Everything of a process but what only counts and names. An allow-list: kernels add files. */
const HARMLESS_OF_PROCESS: ReadonlySet<string> = new Set(
  (
    'status stat statm comm cmdline limits cgroup io loadavg mounts mountinfo mountstats oom_score oom_score_adj sched ' +
    'schedstat sessionid uid_map gid_map wchan net ns attr'
  ).split(' '),
);

const OF_MACHINE = /^\/(?:proc\/(?:kcore|kmem|vmcore|keys|key-users)|dev\/(?:mem|kmem|port))(?:\/|$)/;
const OF_PROCESS = /^\/proc\/(?:self|thread-self|\d+)(?:\/task\/\d+)?\/([^/]+)/;

interface Reading {
  /** As it was written, if its places are not known. */
  readonly written?: string;
  readonly places: readonly FilePlace[] | undefined;
  readonly glob: Glob | undefined;
  readonly deep: 'no' | 'all' | 'visible';
}

/** Why reading this asks; undefined: it shows no other process. */
export function processConcern(reading: Reading): Concern | undefined {
  const { places, written = '', glob, deep } = reading;
  // Among what a pattern finds, a link may lead there.
  const named = glob ? (glob.found(true) ?? []) : places;
  const shows =
    places === undefined
      ? /\/proc(?:\/|$)|\/dev\/k?mem/.test(written)
      : (glob !== undefined && mayShow(glob.shapes(true, deep))) ||
        (named ?? []).some((place) => [place.path, place.real].some((path) => isShowing(path, place, deep)));
  if (!shows) return undefined;
  return { level: 'unless bypassed', reason: 'It may show the environment or memory of other processes.' };
}

function isShowing(file: string, { path }: FilePlace, deep: Reading['deep']): boolean {
  // The standard streams of a command lead there, too, and are its own.
  if (isSink(path, 'read')) return false;
  if (OF_MACHINE.test(file)) return true;
  const [, name] = OF_PROCESS.exec(file) ?? [];
  if (name !== undefined) return !HARMLESS_OF_PROCESS.has(name);
  return deep !== 'no' && /^\/(?:proc(?:\/(?:self|thread-self|\d+|\d+\/task.*))?)?$/.test(file);
}

/** What a pattern may become is compared with the paths of such files; which processes there are does not matter. */
function mayShow(shapes: readonly (readonly Segment[])[]): boolean {
  return shapes.some((shape) => SHOWN.some((shown) => meet(shape, shown, true)));
}

const SHOWN: readonly (readonly Segment[])[] = [
  ...['environ', 'mem', 'fd', 'maps', 'auxv', 'root', 'cwd', 'task'].flatMap((name) => [
    segmentsOf(`proc/*/${name}`, true),
    segmentsOf(`proc/*/${name}/**`, true),
  ]),
  segmentsOf('proc/kcore', true),
  segmentsOf('dev/mem', true),
];
