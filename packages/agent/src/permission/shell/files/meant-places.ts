/** Finds the places that a word of a command may mean. */
import path from 'node:path';
import type { ShellWord } from '@heddle/tools/shell';
import { type Glob, globOf } from '../../paths/glob.ts';
import { type FilePlace, isKnownPlace, isSink, placesOf } from '../../paths/places.ts';
import type { PermissionWorld } from '../../world.ts';
import type { Folders } from '../shell-state.ts';
import type { Touch } from './touch.ts';

export interface Meant {
  readonly places: readonly FilePlace[] | undefined;
  /** The rest of a glob after the place, as written. */
  readonly pattern: string | undefined;
  readonly glob: Glob | undefined;
  /** The path leads through a link of a process. */
  readonly ofProcess?: boolean;
}

const NOTHING_KNOWN: Meant = { places: undefined, pattern: undefined, glob: undefined };
const OF_ANOTHER_PROCESS: Meant = { ...NOTHING_KNOWN, ofProcess: true };

const OF_PROCESS = /^\/+proc\/[^/]+\/(cwd|root|fd|task)(\/|$)/;

/** Returns the places that the program takes the word for. */
export function meantBy(
  { word, fromTopOf, decodes }: Touch,
  folders: Folders,
  world: PermissionWorld,
): Meant {
  if (fromTopOf) return meantFromTop(word, fromTopOf, folders, world);
  const found = meant(word, folders, world);
  if (!decodes) return found;
  const matches = found.glob ? found.glob.found(true) : [];
  const isPlain =
    !word.value.includes('\\') && matches?.every(({ path: file }) => !file.includes('\\')) === true;
  return isPlain ? found : NOTHING_KNOWN;
}

/** `HEAD:a/b` starts at the top of the repository, `HEAD:./a` in the folder. Both are checked. */
function meantFromTop(word: ShellWord, folder: ShellWord, folders: Folders, world: PermissionWorld): Meant {
  const { places: starts } = meant(folder, folders, world);
  const tops = starts?.map(({ real }) => world.repository(real));
  if (starts === undefined || tops === undefined || tops.includes('unknown')) return NOTHING_KNOWN;
  const from = tops.flatMap((top) =>
    typeof top === 'object' ? [top.top].concat(top.otherTops?.() ?? []) : [],
  );
  return meant(word, [...new Set([...starts.map(({ path: at }) => at), ...from])], world);
}

/** The places of a pattern are its folder and its current matches. A link among them may lead anywhere. */
export function withFound(
  places: readonly FilePlace[] | undefined,
  glob: Glob | undefined,
  hidden = true,
): readonly FilePlace[] | undefined {
  if (glob === undefined || places === undefined) return places;
  const found = glob.found(hidden);
  return found && [...places, ...found];
}

/** Returns the places that a word of a command may mean. */
export function meant(word: ShellWord, folders: Folders, world: PermissionWorld): Meant {
  const unknown = NOTHING_KNOWN;
  if (word.kind === 'dynamic') return unknown;
  const tilde = word.text.startsWith('~') && word.kind !== 'literal';
  if (tilde && !/^~(\/|$)/.test(word.value)) return unknown;
  const written = tilde ? world.home + word.value.slice(1) : word.value;
  if (folders === undefined && !path.posix.isAbsolute(written)) return unknown;
  // These paths mean other files for the command's process than for this one.
  if (OF_PROCESS.test(path.posix.normalize(written))) return unknown;
  const from = folders ?? [world.cwd];
  if (word.kind !== 'pattern') {
    const places = placesOf(written, from, world);
    const known = places.every(isKnownPlace) ? { ...unknown, places } : unknown;
    return meantAnywhere(written, from, world) ?? known;
  }
  const at = written.search(/[*?[(+@!]/);
  const folder = written.slice(0, written.lastIndexOf('/', at) + 1);
  // After the wildcard, the path may climb to any folder.
  if (written.slice(at).includes('..')) return unknown;
  const pattern = written.slice(folder.length);
  const anywhere = meantAnywhere(folder, from, world);
  if (anywhere !== undefined) return anywhere;
  const places = placesOf(folder === '' ? '.' : folder, from, world);
  if (!places.every(isKnownPlace)) return unknown;
  const glob = globOf(pattern, places, world);
  const open = glob.found(true)?.find((place) => !isKnownPlace(place));
  if (open === undefined) return { places, pattern, glob };
  return world.passesProcess?.(open.path) === true ? OF_ANOTHER_PROCESS : unknown;
}

/** Returns the places that a word means. Undefined if they are not known. */
export function placesOfWord(
  word: ShellWord,
  folders: Folders,
  world: PermissionWorld,
): readonly FilePlace[] | undefined {
  const { places, glob } = meant(word, folders, world);
  return withFound(places, glob);
}

/** Returns what a path means that may lead anywhere. The standard streams belong to the command itself. */
function meantAnywhere(written: string, from: readonly string[], world: PermissionWorld): Meant | undefined {
  if (isSink(written, 'read')) return undefined;
  const files = path.posix.isAbsolute(written) ? [written] : from.map((at) => `${at}/${written}`);
  if (files.some((file) => world.passesProcess?.(file) === true)) return OF_ANOTHER_PROCESS;
  return files.some((file) => world.isUnclear?.(file) === true) ? NOTHING_KNOWN : undefined;
}
