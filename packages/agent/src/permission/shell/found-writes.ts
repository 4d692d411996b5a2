/**
 * Changes by the commands of `find` and `fd` to other files than the found ones: in a target folder, under names that
 * contain the found name, and behind links.
 */
import path from 'node:path';
import { omitUndefined } from '@heddle/core';
import { GIT_DATA_NAMES } from '@heddle/tools/git';
import type { ShellWord } from '@heddle/tools/shell';
import type { Concern, FilePart, PathsBelow } from '../part.ts';
import { commandPlaces, type FilePlace, isRelatedToSome, knownEntries, once } from '../paths/places.ts';
import { mayBeginProtection } from '../paths/changed-places.ts';
import { changedPrograms, configPlaces, gitSourcesIn } from '../paths/program-places.ts';
import {
  canCompleteProtected,
  canEndProtected,
  isGitDataPath,
  someProtectedName,
} from '../paths/protected.ts';
import { isHiddenFromSearch, pathsBelow, type Selection, someLinkBelow } from '../paths/walk-tree.ts';
import type { PermissionWorld } from '../world.ts';
import { concernOf, touchPart, UNKNOWN_CHANGE } from './files/file-parts.ts';
import { placesOfWord } from './files/meant-places.ts';
import { filesOf } from './files/files-of.ts';
import { literalWord, partOfWord, type Touch, touch, unknownWord } from './files/touch.ts';
import { commandTails, FOUND } from './runners.ts';
import type { Folders } from './shell-state.ts';

export interface Found {
  readonly start: ShellWord;
  readonly selects: Omit<Selection, 'withContents'>;
  /** The command runs in the folder of each file. */
  readonly isInFolders: boolean;
  /** A found file is never a link. */
  readonly isPlain: boolean;
}

/**
 * The found file, its path without the ending, other parts of it, and its folder. Such letters have no meaning in Unicode, and
 * hardly any name contains them.
 */
const [ITSELF, STEM, PART, FOLDER] = ['\ue001', '\ue002', '\ue003', '\ue004'];
const MARK = /[\ue001-\ue004]/;
/** A name beside the found file that begins with its name. */
const BESIDE = /^[\ue001\ue002]([^/\ue001-\ue004]+)$/;
/** The found name in a folder with a name beside the found file. */
const IN_BESIDE = /^[\ue001\ue002]([^/\ue001-\ue004]+)\/\ue001$/;
/** A file in a found folder. */
const WITHIN = /^\ue001\/([^/\ue001-\ue004]+)$/;
/** The found name in a folder. */
const INSIDE = /^([^\ue001-\ue004]*)\/\ue001$/;

/** Returns the accesses of a command to files that depend on the names that are found. */
export function touchesOfFound(command: readonly ShellWord[]): readonly Touch[] {
  const words = command.map((word) => (FOUND.test(word.value) ? marked(word) : word));
  return [words, ...commandTails(words)]
    .flatMap(filesOf)
    .filter(({ word, copyOf }) => [word, copyOf].some(isMarked));
}

function marked(word: ShellWord): ShellWord {
  const value = word.value.replace(new RegExp(FOUND, 'g'), (placeholder) =>
    placeholder === '{}' ? ITSELF : placeholder === '{.}' ? STEM : placeholder === '{//}' ? FOLDER : PART,
  );
  return word.kind === 'literal' ? literalWord(value) : unknownWord(value);
}

function isMarked(word: ShellWord | undefined): boolean {
  return word !== undefined && (MARK.test(word.value) || MARK.test(word.text));
}

/** Returns whether a change is one of the found file itself. */
export function isOfFound({ word }: Touch): boolean {
  return word.value === ITSELF;
}

/** A text before a mark, the mark, and a text after it. */
const ONE_MARK = /^([^\ue001-\ue004]*)([\ue001\ue002\ue004])([^\ue001-\ue004]*)$/;

/**
 * Returns the accesses to files with names that contain the found name, for one start folder: `{}v` for the start `.en`. All files
 * below a folder with such a name count, because each file below the start may be found. `isWhole`: a found path begins with the start.
 */
export function builtTouches(
  one: Touch,
  { start, selects }: Pick<Found, 'start' | 'selects'>,
  isWhole: boolean,
): readonly Touch[] {
  const { kind, word } = one;
  if (!isMarked(word) || isOfFound(one)) return [];
  const more = omitUndefined({ knowledge: one.knowledge });
  const unknown = kind === 'read' ? [touch('read', unknownWord(NAME_OF_FOUND), undefined, more)] : [];
  const [, beside] = IN_BESIDE.exec(word.value) ?? [];
  if (kind === 'write' && beside !== undefined)
    return [touch('write', partOfWord(start, `${start.value + beside}/${path.posix.basename(start.value)}`))];
  const [isOne, before = '', mark, after = ''] = ONE_MARK.exec(word.value) ?? [];
  const isKnown = before === '' || (isWhole && start.kind === 'literal');
  if (isOne === undefined || !isKnown || start.kind === 'dynamic' || /(^|\/)\.\.(\/|$)/.test(after))
    return unknown;
  const beginning = before + start.value;
  const complete = partOfWord(start, beginning + after);
  const found = kind === 'read' ? [touch('read', partOfWord(start, beginning), 'all', more)] : [];
  const isFound = start.kind !== 'literal' || selects.mayMatch(path.posix.basename(start.value));
  // The start itself has no name without an ending.
  return mark === STEM || (mark === ITSELF && !isFound)
    ? found
    : [...found, touch(kind, complete, one.deep, { ...more, deepIfFolder: true })];
}

const NAME_OF_FOUND = 'a name that depends on what it finds';

/** Returns the parts for a change. If its names are not understood, the file is unknown. */
export function foundWrites(one: Touch, found: Found, folders: Folders, world: PermissionWorld): FilePart[] {
  const { kind, word, copyOf, within } = one;
  if (isOfFound(one)) return kind === 'write' ? behindLinks(one, found, folders, world) : [];
  const [, end] = BESIDE.exec(word.value) ?? [];
  // Files in the folders that are found count as found ones.
  const isStem = word.value.startsWith(STEM);
  if (end !== undefined && !mayCompleteProtected(end, isStem, found, folders, world))
    return behindLinks(touch(kind, word), { ...found, selects: besideSelection(found, end) }, folders, world);
  const [, beside] = IN_BESIDE.exec(word.value) ?? [];
  if (beside !== undefined && within && !mayBeFolder(beside, found, folders, world)) return [];
  const [, name] = WITHIN.exec(word.value) ?? [];
  if (name !== undefined && within && !canEndProtected(name) && !isGitDataPath(name)) return [];
  const [, folder = isMarked(word) ? undefined : word.value] = INSIDE.exec(word.value) ?? [];
  const isRelative = folder !== undefined && !path.posix.isAbsolute(folder);
  if (folder === undefined || kind !== 'write' || (found.isInFolders && isRelative))
    return unknownChange(kind, folders, world);
  const target = literalWord(folder === '' ? '/' : folder);
  // `cp --parents` writes the whole path.
  return insideFolder(target, found, copyOf !== undefined || within === undefined, folders, world);
}

/** Returns whether a folder may have a name with this end, and a protected name may be written in it. */
function mayBeFolder(
  end: string,
  { start, selects: { mayMatchSome = () => true } }: Found,
  folders: Folders,
  world: PermissionWorld,
): boolean {
  if (!someProtectedName(mayMatchSome)) return false;
  const places = placesOfWord(start, folders, world);
  if (places === undefined || world.foldersMayChange === true) return true;
  const { paths, isComplete } = pathsBelow(places, world, { follows: false, hidden: true });
  return !isComplete || paths.some((file) => file.endsWith(end));
}

/** Returns whether a found name may become a protected one with this end. `isStem`: the end replaces its ending. */
function mayCompleteProtected(
  end: string,
  isStem: boolean,
  { start, selects }: Found,
  folders: Folders,
  world: PermissionWorld,
): boolean {
  if (!canCompleteProtected(end) && !GIT_DATA_NAMES.some((name) => name.endsWith(end))) return false;
  const places = placesOfWord(start, folders, world);
  if (places === undefined || places.some((place) => isChanged(place, world))) return true;
  const { paths, isComplete } = pathsBelow(places, world, { follows: false, hidden: true });
  const names = [...places.map(({ path: at }) => at), ...paths].map((file) => path.posix.basename(file));
  return (
    !isComplete ||
    names.some((name) => {
      const whole = (isStem ? name.replace(/(?!^)\.[^.]*$/, '') : name) + end;
      return selects.mayMatch(name) && (canEndProtected(whole) || isGitDataPath(whole));
    })
  );
}

function besideSelection({ selects }: Found, end: string): Found['selects'] {
  return { ...selects, mayMatch: (name) => name.endsWith(end) };
}

/** The number of links that are looked at. */
const MOST_LINKS = 200;

/** Programs open the file behind a link that is found. */
function behindLinks(
  one: Touch,
  { start, selects, isPlain }: Found,
  folders: Folders,
  world: PermissionWorld,
): FilePart[] {
  if (isPlain) return [];
  const places = placesOfWord(start, folders, world);
  // Unknown starts ask anyway.
  if (places === undefined) return [];
  const links: string[] = [];
  const note = (link: string): boolean => {
    const isSkipped = selects.skipsHidden === true && isHiddenFromSearch(link, true, world);
    if (!isSkipped && selects.mayMatch(path.posix.basename(link))) links.push(link);
    return links.length > MOST_LINKS;
  };
  const isOpen = someLinkBelow(places, world, 'stay', note) !== undefined;
  const words = isOpen ? [unknownWord('what links lead to')] : links.map((link) => literalWord(link));
  return words.flatMap((word) => touchPart({ ...one, word }, 'command', folders, world));
}

/** Files with found names are written in a folder. `isWhole`: also what is in found folders, or the whole path. */
function insideFolder(
  target: ShellWord,
  { start, selects }: Found,
  isWhole: boolean,
  folders: Folders,
  world: PermissionWorld,
): FilePart[] {
  const sources = placesOfWord(start, folders, world);
  const targets = placesOfWord(target, folders, world);
  if (sources === undefined || targets === undefined) return unknownChange('write', folders, world);
  const written = once((): PathsBelow | undefined => {
    const hidden = selects.skipsHidden !== true;
    const { paths, isComplete } = pathsBelow(sources, world, { follows: false, hidden });
    if (!isComplete || sources.some((source) => isChanged(source, world))) return undefined;
    world.spend?.(Math.ceil(paths.length / PATHS_PER_STEP));
    const names = [...sources.map(({ path: at }) => at), ...paths].flatMap((file) =>
      isWhole ? suffixesOf(file) : [path.posix.basename(file)].filter(selects.mayMatch),
    );
    const all = targets.flatMap((folder) =>
      Array.from(new Set(names)).flatMap((name) =>
        Array.from(new Set([folder.path, folder.real]), (at) => path.posix.join(at, name)),
      ),
    );
    return { paths: all, isComplete: true, mayGrow: false };
  });
  const mayBeAny = isWhole || mayNameProtected(targets, selects, world);
  const concern = mayBeAny ? writtenConcern(written(), folders, world) : undefined;
  // Links in the folder lead elsewhere. With unknown names, all of them count.
  const links = targets.flatMap(({ path: at }) =>
    knownEntries(at, world)
      .filter(({ name, kind }) => kind === 'link' && selects.mayMatch(name))
      .map(({ name }) => touch('write', literalWord(path.posix.join(at, name)))),
  );
  const filled = touch('write', target, 'all', { fills: true });
  return [
    ...touchPart(isWhole ? filled : touch('write', target), 'command', folders, world).map((part) =>
      withWritten(part, written, concern),
    ),
    ...links.flatMap((one) => touchPart(one, 'command', folders, world)),
  ];
}

function withWritten(
  part: FilePart,
  below: () => PathsBelow | undefined,
  concern: Concern | undefined,
): FilePart {
  return { ...part, below, concern: part.concern ?? concern };
}

const PATHS_PER_STEP = 12;

function suffixesOf(file: string): readonly string[] {
  const names = file.split('/').filter((name) => name !== '');
  return names.map((_, at) => names.slice(at).join('/'));
}

function isChanged({ path: written, real }: FilePlace, world: PermissionWorld): boolean {
  return [written, real].some((file) => isRelatedToSome(file, world.changedPaths ?? []));
}

/** Returns whether a selected name may be protected in one of the folders. */
function mayNameProtected(
  targets: readonly FilePlace[],
  { mayMatch, mayMatchSome = () => true }: Found['selects'],
  world: PermissionWorld,
): boolean {
  if (someProtectedName(mayMatchSome)) return true;
  return targets.some(({ path: at, real }) =>
    [at, real].some((folder) =>
      searchedPlaces(folder, world).some(
        (place) =>
          place.startsWith(`${folder}/`) && mayMatch(place.slice(folder.length + 1).split('/', 1)[0] ?? ''),
      ),
    ),
  );
}

/** Returns the places whose files other programs run or read, as far as they are known for a folder. */
function searchedPlaces(folder: string, world: PermissionWorld): readonly string[] {
  return [...changedPrograms(world), ...configPlaces(world), ...gitSourcesIn(folder, world)];
}

function writtenConcern(
  written: PathsBelow | undefined,
  folders: Folders,
  world: PermissionWorld,
): Concern | undefined {
  if (written === undefined) return UNKNOWN_CHANGE;
  for (const file of written.paths) {
    if (!mayBeginProtection(file, world) && !isGitDataPath(file)) continue;
    const places = commandPlaces(file, world);
    const concern = concernOf({ kind: 'write' }, { places, pattern: undefined }, folders, world);
    if (concern !== undefined) return concern;
  }
  return undefined;
}

function unknownChange(kind: Touch['kind'], folders: Folders, world: PermissionWorld): FilePart[] {
  const word = unknownWord(NAME_OF_FOUND);
  return touchPart(touch(kind, word), 'command', folders, world);
}
