/**
 * The folders of a session. Folders of the recording machine are replaced by those of this machine in the
 * model's output, so that its calls find their files.
 */
import { realpathSync } from 'node:fs';
import os from 'node:os';
import { patternOfAny, replaceSpans, type TextSpan, withoutOverlaps } from './chunks.ts';

export interface MachinePlace {
  readonly name: 'cwd' | 'config' | 'home' | 'temp';
  readonly path: string;
}

/** The most specific name comes first, because one folder may have two roles. */
export function findMachinePlaces(configDir: string, cwd: string = process.cwd()): MachinePlace[] {
  const named: MachinePlace[] = [
    { name: 'cwd', path: cwd },
    { name: 'config', path: configDir },
    { name: 'home', path: os.homedir() },
    { name: 'temp', path: os.tmpdir() },
  ];
  const known = new Set<string>();
  return named
    .flatMap((place) => [place, { ...place, path: real(place.path) }])
    .filter(({ path }) => path.length > 1 && !known.has(path) && known.add(path));
}

function real(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/** Finds folders in a text, the longest first and only whole names, with their replacements. */
function replacing(
  places: readonly MachinePlace[],
  by: (place: MachinePlace) => string,
): (text: string) => readonly TextSpan[] {
  const any = patternOfAny(places.map(({ path }) => path));
  if (any === undefined) return () => [];
  const finder = new RegExp(String.raw`(?<![\w.-])(?:${any})(?![\w-]|\.\w)`, 'g');
  const replacements = new Map(places.map((place) => [place.path, by(place)]));
  return (text) =>
    [...text.matchAll(finder)].map(({ index, 0: path }) => ({
      start: index,
      end: index + path.length,
      by: replacements.get(path) ?? path,
    }));
}

function placeNames(places: readonly MachinePlace[]): (text: string) => readonly TextSpan[] {
  return replacing(places, ({ name }) => `<${name}>`);
}

/**
 * Returns the mapping from the folders of one machine to those of another. Undefined: they are the same.
 */
export function findRelocations(
  from: readonly MachinePlace[],
  to: readonly MachinePlace[],
): ((text: string) => readonly TextSpan[]) | undefined {
  const here = ({ name, path }: MachinePlace): string => {
    const same = to.filter((place) => place.name === name).map((place) => place.path);
    return same.includes(path) ? path : (same[0] ?? path);
  };
  return from.every((place) => here(place) === place.path) ? undefined : replacing(from, here);
}

// Differences between two runs of the same session without meaning: folders, day, machine, random ids. A
// comparison replaces them by names on both sides.

/**
 * Replaces everything that may differ by a name. The folders of the text's own machine come first. Those
 * of the other machine follow, because files on both may contain them.
 */
export function createNamer(
  own: readonly MachinePlace[],
  other: readonly MachinePlace[],
  days: readonly number[],
): (text: string) => string {
  const passes = [placeNames(own), placeNames(other), datesOf(days)];
  return (text) => {
    let named = isAboutTheMachine(text) ? text.replaceAll(MACHINE, '') : text;
    for (const pass of passes) named = replaceSpans(named, pass(named));
    return named.replaceAll(PROJECT_FOLDER, '<config>/projects/<project>').replaceAll(UUID, '<uuid>');
  };
}

/**
 * The lines of the prompt about the machine and the day of the session's start. A resumed session has a
 * third day. The lines may be missing on the other side.
 */
const MACHINE =
  /^(?:(?:Platform|The user's shell|Git repository): .*|# Git when the session began\n.*|# Today's date\n.*)(?:\n|$)/gm;

function isAboutTheMachine(text: string): boolean {
  return text.startsWith('<system-reminder>') || /^Working directory: /m.test(text);
}

const UUID = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi;
/** The name of a project's session folder contains the working folder. */
const PROJECT_FOLDER = /<config>\/projects\/[^/\s"]+/g;

/** The days of the recording and of the replay, in all formats that a prompt may use. */
function datesOf(days: readonly number[]): (text: string) => readonly TextSpan[] {
  const any = patternOfAny(days.filter(Number.isFinite).flatMap(waysToWrite));
  if (any === undefined) return () => [];
  const finder = new RegExp(String.raw`(?<!\w)(?:${any})(?!\d)`, 'g');
  return (text) =>
    withoutOverlaps(
      [...text.matchAll(finder)].map(({ index, 0: date }) => ({
        start: index,
        end: index + date.length,
        by: '<today>',
      })),
    );
}

// Not `toLocaleDateString`: its first call takes 40 ms.
const MONTHS = 'January February March April May June July August September October November December'.split(
  ' ',
);
const WEEKDAYS = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ');

function waysToWrite(day: number): string[] {
  const date = new Date(day);
  const year = date.getFullYear();
  const month = MONTHS[date.getMonth()] ?? '';
  const american = `${month} ${date.getDate()}, ${year}`;
  return [
    date.toISOString().slice(0, 10),
    `${year}-${two(date.getMonth() + 1)}-${two(date.getDate())}`,
    date.toDateString(),
    `${WEEKDAYS[date.getDay()] ?? ''}, ${american}`,
    american,
    `${date.getDate()} ${month} ${year}`,
  ];
}

function two(value: number): string {
  return String(value).padStart(2, '0');
}
