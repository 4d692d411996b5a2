/** What a command's words and redirections do to files, as parts. */
import path from 'node:path';
import type { ShellRedirection, ShellWord } from '@heddle/tools/shell';
import type { Concern, FilePart, FilePlace } from '../../part.ts';
import { destructiveRemoval } from '../../paths/critical.ts';
import { isInside, isSink, placesOf, tildeExpanded } from '../../paths/places.ts';
import { type Glob, globOf } from '../../paths/glob.ts';
import { processConcern } from '../../paths/process-files.ts';
import { protectedMatch, protection } from '../../paths/protected.ts';
import type { PermissionWorld } from '../../world.ts';
import { literalWord, type Touch, unknownWord } from './touch.ts';
import type { Folders } from '../folders.ts';

export function touchPart(
  touch: Touch,
  by: 'command' | 'redirection',
  folders: Folders,
  world: PermissionWorld,
): FilePart[] {
  const { kind, word, within } = touch;
  // `{a,b}` is two words.
  if (word.kind === 'dynamic' && word.becomes?.every(({ exact }) => exact)) {
    const words = word.becomes.map(({ begins }) => literalWord(begins));
    return words.flatMap((each) => touchPart({ ...touch, word: each }, by, folders, world));
  }
  if (touch.stored) return storedPart(touch, touch.stored, folders, world);
  if (word.kind === 'literal' && word.value === '') return [];
  if (within && !isFolder(within, folders, world)) return [];
  const { places, pattern, glob } = meant(word, folders, world);
  if (kind !== 'remove' && places?.every((place) => isSink(place.path, kind))) return [];
  return [
    {
      kind,
      shown: word.value,
      tool: 'Bash',
      places,
      deep: touch.deep ?? 'no',
      knowledge: touch.knowledge ?? 'known',
      by,
      glob,
      concern:
        kind === 'read'
          ? (connection(touch, by, world) ??
            processConcern({ written: word.text, places, glob, deep: touch.deep ?? 'no' }))
          : concernOf(touch, { places: withFound(places, glob), pattern }, folders, world),
    },
  ];
}

/** The places of a pattern are its folder and what it finds now: a link among them may lead anywhere. */
function withFound(
  places: readonly FilePlace[] | undefined,
  glob: Glob | undefined,
): readonly FilePlace[] | undefined {
  if (glob === undefined || places === undefined) return places;
  const found = glob.found(true);
  return found && [...places, ...found];
}

/** What git stored of the files in some place, or of the whole repository around it. Nothing outside of a repository. */
function storedPart(
  { word, whole = false }: Touch,
  stored: NonNullable<Touch['stored']>,
  folders: Folders,
  world: PermissionWorld,
): FilePart[] {
  const { places } = meant(word, folders, world);
  const around = (places ?? []).map(({ real }) => world.repository(real));
  if (places !== undefined && around.every((repository) => repository === 'none')) return [];
  const found = around.filter((repository) => typeof repository === 'object');
  const isKnown = places !== undefined && found.length === around.length;
  const tops = found.map(({ top }): FilePlace => ({ path: top, real: world.realpath(top) }));
  const tracked = isKnown ? found.map((repository) => repository.tracked()) : [undefined];
  const someTracked = (fits: (path: string) => boolean): boolean =>
    tracked.some((files) => files?.some(fits) ?? true);
  return [
    {
      kind: 'read',
      shown: whole ? 'the contents that git stored' : word.value,
      tool: 'Bash',
      places: isKnown ? (whole ? tops : places) : undefined,
      deep: 'no',
      stored: { someTracked: stored === 'tracked' ? someTracked : undefined },
      knowledge: 'known',
      by: 'command',
      glob: undefined,
      concern: undefined,
    },
  ];
}

/** By its form, or because one stands there. */
function isFolder(word: ShellWord, folders: Folders, world: PermissionWorld): boolean {
  if (word.kind === 'dynamic') return false;
  if (/(^|\/)(\.{0,2})$/.test(word.value)) return true;
  return (meant(word, folders, world).places ?? []).some(({ path }) => world.exists(`${path}/.`));
}

/** The shell opens a network connection for such a name, and may for one that nobody can tell. */
function connection(
  { word }: Touch,
  by: 'command' | 'redirection',
  { home }: PermissionWorld,
): Concern | undefined {
  if (by !== 'redirection') return undefined;
  if (word.kind !== 'dynamic' && !/^\/dev\/(tcp|udp)\//.test(tildeExpanded(word.value, home)))
    return undefined;
  return { level: 'unless covered', reason: `Reading from ${word.text} may open a network connection.` };
}

/** A redirection to a file; none for pipes between descriptors and for here-documents. */
export function redirectionParts(
  redirection: ShellRedirection,
  folders: Folders,
  world: PermissionWorld,
): FilePart[] {
  if (redirection.kind === 'here_doc' || redirection.kind === 'here_string') return [];
  const { operator, target: word } = redirection;
  if (redirection.kind === 'duplicate' && /^(\d+-?|-)$/.test(word.value)) return [];
  const read = () => touchPart({ kind: 'read', word }, 'redirection', folders, world);
  if (operator === '<' || operator === '<&') return read();
  // The shell replaces a pattern by the one file that it finds, which may be a link to anywhere.
  const target = word.kind === 'pattern' ? unknownWord(word.text) : word;
  const write = touchPart({ kind: 'write', word: target }, 'redirection', folders, world);
  return operator === '<>' ? [...read(), ...write] : write;
}

/** Why changing these places is asked about whatever rules say. */
export function concernOf(
  { kind, word, picks = false }: Pick<Touch, 'kind' | 'picks'> & { readonly word?: ShellWord },
  { places, pattern }: Pick<Meant, 'places' | 'pattern'>,
  folders: Folders,
  world: PermissionWorld,
): Concern | undefined {
  const lost =
    kind === 'remove' && word ? destructiveRemoval(word, folders ?? [world.cwd], world) : undefined;
  // Some files of the project are no disaster, some files of the whole disk are.
  const isSpared = picks && places?.every((place) => isInside(place, world)) === true;
  if (lost !== undefined && !isSpared)
    return { level: 'always', reason: `Removing it would be a disaster: ${lost}.` };
  if (places === undefined) {
    return { level: 'unless bypassed', reason: 'Nobody can tell which file it would change before it runs.' };
  }
  for (const place of places) {
    const what =
      protection(place, world) ?? (pattern === undefined ? undefined : protectedMatch(place, pattern, world));
    if (what !== undefined)
      return { level: 'unless bypassed', reason: `${what} is protected: a change to it always asks.` };
  }
  const outside = places.find((place) => !isInside(place, world));
  return outside && { level: 'outside', reason: `${outside.real} lies outside the working directories.` };
}

interface Meant {
  readonly places: readonly FilePlace[] | undefined;
  /** What follows the place in a glob, as it was written. */
  readonly pattern: string | undefined;
  readonly glob: Glob | undefined;
}

const OF_PROCESS = /^\/+proc\/[^/]+\/(cwd|root|fd|task)(\/|$)/;

function meant(word: ShellWord, folders: Folders, world: PermissionWorld): Meant {
  const unknown: Meant = { places: undefined, pattern: undefined, glob: undefined };
  if (word.kind === 'dynamic') return unknown;
  const tilde = word.text.startsWith('~') && word.kind !== 'literal';
  if (tilde && !/^~(\/|$)/.test(word.value)) return unknown;
  const written = tilde ? world.home + word.value.slice(1) : word.value;
  if (folders === undefined && !path.posix.isAbsolute(written)) return unknown;
  // For the process that will ask they lead elsewhere than for this one.
  if (OF_PROCESS.test(path.posix.normalize(written))) return unknown;
  const from = folders ?? [world.cwd];
  if (word.kind !== 'pattern') return { ...unknown, places: placesOf(written, from, world) };
  const at = written.search(/[*?[(+@!]/);
  const folder = written.slice(0, written.lastIndexOf('/', at) + 1);
  // Behind the wildcard a path may climb anywhere.
  if (written.slice(at).includes('..')) return unknown;
  const pattern = written.slice(folder.length);
  const places = placesOf(folder === '' ? '.' : folder, from, world);
  return { places, pattern, glob: globOf(pattern, places, world) };
}
