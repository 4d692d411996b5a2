/**
 * Finds the places that `find` and `fd` give to a command whose effect on them is not known. Each file or folder that may be
 * found counts as if it were written in the command, and a folder in which the command runs like one that it names.
 */
import path from 'node:path';
import { GIT_DATA_NAMES } from '@heddle/tools/git';
import type { ShellWord } from '@heddle/tools/shell';
import type { Concern, FilePart, PathsBelow } from '../part.ts';
import { commandPlace, type FilePlace, isAtOrBelow, isInside, once } from '../paths/places.ts';
import { mayBeginProtection, protectedFromChange } from '../paths/changed-places.ts';
import { programFolder } from '../paths/program-places.ts';
import {
  canCompleteProtected,
  isGitData,
  protectedPlaceName,
  someProtectedName,
} from '../paths/protected.ts';
import { isFile, isFolderOfObjects, isHiddenFromSearch, objectNames, walk } from '../paths/walk-tree.ts';
import type { FolderEntry, PermissionWorld } from '../world.ts';
import type { Around } from './command-part.ts';
import { certainWords } from './files/certain-words.ts';
import { UNKNOWN_CHANGE } from './files/file-parts.ts';
import { filesOf, isProjectRunner } from './files/files-of.ts';
import { hostWords, namesContainerPlaces } from './files/host-words.ts';
import { placesOfWord } from './files/meant-places.ts';
import { type NamedPlace, namedPlaces } from './files/named-places.ts';
import { literalWord } from './files/touch.ts';
import type { Found } from './found-writes.ts';
import { possibleValues } from './possible-values.ts';
import { baseName, FOUND, type FindRun } from './runners.ts';

/** The number of entries that are visited. */
const MOST_ENTRIES = 3_000;
/** The number of entries of packages that are visited as well. An installation restores them, so more of them do not ask. */
const MOST_IN_PACKAGES = 300;
/** The number of found files from which a name is built. */
const MOST_BUILT = 64;
/** The number of found places that are protected or outside, and that are looked at. */
const MOST_NOTABLE = 16;
/** The number of found files that are compared with protected places in one step. */
const FILES_PER_STEP = 4;

/** If no protected place has such a name, a rule for all commands settles it. */
function tooMany(isNameSafe: boolean): Concern {
  return {
    level: isNameSafe ? 'unless covered' : 'unless bypassed',
    reason: 'It may find more files than can be looked at, and the command may change protected ones.',
  };
}

const FOLLOWED: Concern = {
  level: 'unless bypassed',
  reason: 'A link leads out of the folder that it searches, and it is followed.',
};

/** One file or folder that may be found. */
interface FoundEntry {
  /** The path as the search prints it. */
  readonly written: string;
  readonly place: FilePlace;
  readonly kind: FolderEntry['kind'];
}

interface FoundEntries {
  readonly entries: readonly FoundEntry[];
  /** The contents of found folders. A program may read all of them. */
  readonly contents: readonly string[];
  /** Folders with git's data. */
  readonly gitData: readonly string[];
  /** Folders of packages that were not entered. */
  readonly packages: readonly FilePlace[];
  readonly isComplete: boolean;
  /** A link is followed out of the start folder. */
  readonly leadsOut: boolean;
}

/** The words of a command that depend on the search. */
interface GivenWords {
  readonly words: readonly ShellWord[];
  /** Words with the whole found path. */
  readonly whole: ReadonlySet<ShellWord>;
  /** Words with a name that is built from the found path. */
  readonly built: ReadonlySet<ShellWord>;
  /** Other words that begin in the folder of a found file. */
  readonly relative: readonly ShellWord[];
}

/** Returns the parts for one start folder of the search. */
export function foundWords(run: FindRun, found: Found, around: Around): FilePart[] {
  const given = givenWords(run, around.world);
  if (given.whole.size + given.built.size === 0 && !run.isInFolders) return [];
  return startsOf(found.start, around).flatMap((start) => {
    const places = placesOfWord(start, around.folders, around.world);
    if (places === undefined || start.kind === 'dynamic') return [unknownPart(start)];
    const search = { ...found, start, selects: withRelative(found.selects, given) };
    const seen = entriesOf(places, search, MOST_ENTRIES, around.world);
    const changes = changeParts(places, search, given, seen, around);
    return readParts(start, places, seen, run, around).concat(changes);
  });
}

/** An unknown start with known values is each of them. */
function startsOf(start: ShellWord, around: Around): readonly ShellWord[] {
  if (start.kind !== 'dynamic') return [start];
  const values = possibleValues(start, around);
  return values === undefined || values.some(({ isGlob }) => isGlob)
    ? [start]
    : values.map(({ text }) => literalWord(text));
}

/** The whole path is a word, the value of an option, or between characters that separate paths. */
const WHOLE = /(?<=^|[=:,@\s'"`(]|^-[A-Za-z])\{\}(?=$|[:,@\s'"`)])/;

/** A name beside the found file: `--html={}.html`. */
const BESIDE = /^(?:[^{}]*[=:,@]|-[A-Za-z])?\{\}([^/{}\s'"]+)$/;

/** With most endings, a found file does not get a protected name. */
function isPlainBeside({ value }: ShellWord): boolean {
  const [, end] = BESIDE.exec(value) ?? [];
  return (
    end !== undefined && !canCompleteProtected(end) && !GIT_DATA_NAMES.some((name) => name.endsWith(end))
  );
}

function givenWords({ command, isInFolders }: FindRun, world: PermissionWorld): GivenWords {
  const [name, ...args] = command;
  const program = baseName(name?.value ?? '');
  // The placeholder itself is not a part of a name.
  const samples = command.map((word) => (FOUND.test(word.value) ? withFile(word, 'x') : word));
  const known = certainWords(samples, filesOf(samples), world);
  const own = new Set(namesContainerPlaces(program) ? hostWords(program, args) : args);
  const open = args.filter((word, index) => own.has(word) && !known.has(samples[index + 1] ?? word));
  const marked = open.filter(({ value }) => FOUND.test(value));
  return {
    words: command,
    whole: new Set(marked.filter((word) => WHOLE.test(word.value) || isPlainBeside(word))),
    built: new Set(
      marked.filter(
        (word) => !isPlainBeside(word) && FOUND.test(word.value.replace(new RegExp(WHOLE, 'g'), '')),
      ),
    ),
    relative: isInFolders ? open.filter((word) => !marked.includes(word) && isName(word)) : [],
  };
}

function isName({ kind, value }: ShellWord): boolean {
  return kind !== 'dynamic' && !/^([-/]|$)/.test(value);
}

/** A relative name counts in every folder. */
function withRelative(selects: Found['selects'], { relative }: GivenWords): Found['selects'] {
  if (relative.length === 0) return selects;
  const names = new Set(relative.map(({ value }) => path.posix.basename(value)));
  const isAny = relative.some(({ kind }) => kind === 'pattern');
  return { ...selects, mayMatch: (name) => isAny || names.has(name) || selects.mayMatch(name) };
}

/** Deny and ask rules about files are compared with everything that may be found. */
function readParts(
  start: ShellWord,
  places: readonly FilePlace[],
  seen: FoundEntries,
  { command }: FindRun,
  { world }: Around,
): FilePart[] {
  const isDeep = !isProjectRunner(baseName(command[0]?.value ?? ''));
  const below = once((): PathsBelow => {
    const { entries, contents, isComplete, leadsOut } = seen;
    const paths = entries.flatMap(({ place }) => [place.path, place.real]);
    const mayGrow = world.foldersMayChange === true;
    return {
      paths: isDeep ? [...paths, ...contents] : paths,
      isComplete: isComplete && !leadsOut,
      mayGrow,
    };
  });
  const unseen: PathsBelow = { paths: [], isComplete: false, mayGrow: false };
  return [
    { ...namedRead(start.value, places), below },
    ...(seen.packages.length > 0 ? [{ ...namedRead(start.value, seen.packages), below: () => unseen }] : []),
  ];
}

function namedRead(shown: string, places: readonly FilePlace[] | undefined): FilePart {
  return {
    kind: 'read',
    shown,
    tool: 'Bash',
    places,
    deep: 'no',
    by: 'command',
    glob: undefined,
    knowledge: 'named',
    concern: undefined,
  };
}

function concernedPart(shown: string, places: readonly FilePlace[] | undefined, concern: Concern): FilePart {
  return { ...namedRead(shown, places), namedBy: [], concern };
}

function unknownPart({ text }: ShellWord): FilePart {
  return concernedPart(text, undefined, UNKNOWN_CHANGE);
}

/** Returns the parts for places that the command may change, although a rule covers it. */
function changeParts(
  places: readonly FilePlace[],
  found: Found,
  given: GivenWords,
  seen: FoundEntries,
  around: Around,
): FilePart[] {
  const { world } = around;
  const { start, isInFolders, selects } = found;
  const shown = start.value;
  const outside = places.find((place) => !isInside(place, world));
  const protectedStart = places.find((place) => protectedFromChange(place, world) !== undefined);
  if (isInFolders) {
    const concern = folderConcern(outside ?? protectedStart, world);
    if (concern) return [concernedPart(shown, places, concern)];
  }
  const whole = (entry: FoundEntry): FilePart[] => namedAs(entry, given.whole, given, found, around);
  // If the start is outside or protected, so is everything below.
  const known = [outside, protectedStart].flatMap((place) => (place ? whole(someEntry(shown, place)) : []));
  const { entries, leadsOut } = seen;
  if (leadsOut) return [...known, concernedPart(shown, places, FOLLOWED)];
  const isNameSafe = !someProtectedName(selects.mayMatchSome ?? (() => true));
  const packed = inPackages(found, seen, world);
  const notable = [seen, packed].flatMap((one) => notableEntries(one, places, world));
  const isTooMany =
    !seen.isComplete ||
    notable.length > MOST_NOTABLE ||
    (given.built.size > 0 && entries.length > MOST_BUILT);
  const built = isTooMany ? [] : entries;
  return [
    ...known,
    ...(isTooMany ? [concernedPart(shown, places, tooMany(isNameSafe))] : []),
    ...(isInFolders ? inFolders(seen, given, world) : []),
    ...notable.slice(0, MOST_NOTABLE).flatMap(whole),
    ...built.flatMap((entry) => namedAs(entry, given.built, given, found, around)),
  ];
}

const NOTHING: FoundEntries = {
  entries: [],
  contents: [],
  gitData: [],
  packages: [],
  isComplete: true,
  leadsOut: false,
};

/** Returns a file of any name below a start folder. */
function someEntry(written: string, place: FilePlace): FoundEntry {
  // A file directly in the root folder is unusual, and counts only if it exists.
  const name = place.path === '/' ? 'etc/x' : 'x/y';
  const inside = (folder: string): string => path.posix.join(folder, name);
  return {
    written: inside(written),
    kind: 'file',
    place: { path: inside(place.path), real: inside(place.real) },
  };
}

/** Returns the protected files among the found ones, and those outside. One protected file is enough. */
function notableEntries(
  seen: FoundEntries,
  starts: readonly FilePlace[],
  world: PermissionWorld,
): readonly FoundEntry[] {
  world.spend?.(Math.ceil(seen.entries.length / FILES_PER_STEP));
  const isProtected = protectionIn(seen, world);
  const first = seen.entries.find(isProtected);
  // Below a start that is outside, only links lead to other places.
  const outside = seen.entries.filter(
    ({ place, kind }) => (kind === 'link' || starts.includes(place)) && !isInside(place, world),
  );
  return [...(first ? [first] : []), ...outside];
}

/** Returns the check whether a found file is protected. Each folder is looked at once. */
function protectionIn({ gitData }: FoundEntries, world: PermissionWorld): (entry: FoundEntry) => boolean {
  const folders = new Map<string, boolean>();
  const isName = (place: FilePlace): boolean =>
    (protectedPlaceName(place, world) ?? programFolder(place, world)) !== undefined;
  const isFolderProtected = (place: FilePlace): boolean => {
    const known =
      folders.get(place.path) ?? (isName(place) || gitData.some((folder) => isAtOrBelow(place.real, folder)));
    folders.set(place.path, known);
    return known;
  };
  return ({ place, kind }) => {
    if (kind === 'link') return protectedFromChange(place, world) !== undefined;
    if (kind === 'folder') return isFolderProtected(place);
    const [folder, real] = [path.posix.dirname(place.path), path.posix.dirname(place.real)];
    if (isFolderProtected({ path: folder, real })) return true;
    // Most files need no look at the disk.
    const isNotable =
      mayBeginProtection(place.path, world) ||
      (place.real !== place.path && mayBeginProtection(place.real, world));
    return isNotable && protectedFromChange(place, world) !== undefined;
  };
}

/** Checks the folders in which the command runs, and its relative words there. */
function inFolders(seen: FoundEntries, { relative }: GivenWords, world: PermissionWorld): FilePart[] {
  const { entries } = seen;
  const isProtected = protectionIn(seen, world);
  const folders = new Map(entries.map(({ place }) => [path.posix.dirname(place.path), place]));
  for (const [folder, { path: file, real }] of folders) {
    const place = { path: folder, real: file === real ? folder : world.realpath(folder) };
    const isNotable = !isInside(place, world) || isProtected({ written: folder, place, kind: 'folder' });
    const concern = isNotable ? folderConcern(place, world) : undefined;
    if (concern) return [concernedPart(folder, [place], concern)];
  }
  const names = new Set(relative.map(({ value }) => path.posix.basename(value)));
  const isAny = relative.some(({ kind }) => kind === 'pattern');
  for (const { place, written } of entries) {
    if (!isAny && !names.has(path.posix.basename(place.path))) continue;
    const what = protectedFromChange(place, world);
    const reason = `${what} is protected, and the command may change it.`;
    if (what !== undefined) return [concernedPart(written, [place], { level: 'unless bypassed', reason })];
  }
  return [];
}

function folderConcern(place: FilePlace | undefined, world: PermissionWorld): Concern | undefined {
  if (place === undefined) return undefined;
  if (isInside(place, world))
    return { level: 'unless bypassed', reason: `It runs in ${place.path}, which is protected.` };
  return { level: 'outside', reason: `It runs in ${place.path}, outside the working directories.` };
}

/** Returns the parts for the places that some words name with a found file. */
function namedAs(
  entry: FoundEntry,
  counting: ReadonlySet<ShellWord>,
  { words }: GivenWords,
  { isInFolders }: Found,
  around: Around,
): FilePart[] {
  if (counting.size === 0) return [];
  const { written, place } = entry;
  const name = path.posix.basename(place.path);
  const others = new Set(words.filter((word) => !counting.has(word)));
  // The command gets `./name` in the folder of the file. Some versions leave out the dot.
  const forms = isInFolders ? [`./${name}`, name] : [written, written.replace(/^\.\/+/, '')];
  const folders = isInFolders ? [path.posix.dirname(place.path)] : around.folders;
  return [...new Set(forms)].flatMap((form) => {
    const substituted = words.map((word) => (counting.has(word) ? withFile(word, form) : word));
    return namedPlaces(substituted, others, { ...around, folders }).flatMap(namedPart);
  });
}

function namedPart({ written, places, concern }: NamedPlace): FilePart[] {
  return concern ? [concernedPart(written, places, concern)] : [];
}

/** Replaces the placeholder for the found file, or for a part of its path. */
function withFile(word: ShellWord, file: string): ShellWord {
  const stem = (text: string): string => text.replace(/(?<=[^/])\.[^./]*$/, '');
  const value = word.value.replace(new RegExp(FOUND, 'g'), (placeholder) => {
    if (placeholder === '{//}') return path.posix.dirname(file);
    if (placeholder === '{/}') return path.posix.basename(file);
    if (placeholder === '{/.}') return stem(path.posix.basename(file));
    return placeholder === '{.}' ? stem(file) : file;
  });
  return literalWord(value);
}

/** Packages of other authors. There may be too many files for a look at each. */
const PACKAGES = 'node_modules';

function inPackages(found: Found, { packages }: FoundEntries, world: PermissionWorld): FoundEntries {
  return packages.length === 0 ? NOTHING : entriesOf(packages, found, MOST_IN_PACKAGES, world, true);
}

/** Visits everything that the search may find. */
function entriesOf(
  places: readonly FilePlace[],
  { start, selects }: Found,
  most: number,
  world: PermissionWorld,
  entersPackages = false,
): FoundEntries {
  const { mayMatch, mayMatchSome = () => true, skipsHidden, followsLinks } = selects;
  const entries: FoundEntry[] = [];
  const contents: string[] = [];
  const gitData: string[] = [];
  const packages: FilePlace[] = [];
  let [visited, isComplete, leadsOut] = [0, true, false];
  const isSkipped = (file: string, isFolder: boolean): boolean =>
    skipsHidden === true && isHiddenFromSearch(file, isFolder, world);
  for (const place of places) {
    const within = (file: string): string => file.slice(place.real === '/' ? 0 : place.real.length);
    const placeAt = (file: string): FilePlace => ({
      path: (place.path === '/' ? '' : place.path) + within(file),
      real: file,
    });
    const inside = new Set<string>();
    if ([place.path, start.value].some((file) => mayMatch(path.posix.basename(file)))) {
      entries.push({ written: start.value, place, kind: 'folder' });
      inside.add(place.real);
    }
    if (isFile(place.real, world)) continue;
    const look = (file: string, { name, kind }: FolderEntry): undefined => {
      visited++;
      const folder = path.posix.dirname(file);
      if (inside.has(folder)) contents.push(file);
      const isFound = !isSkipped(file, kind === 'folder' || kind === 'link') && mayMatch(name);
      if (kind === 'folder' && (isFound || inside.has(folder))) inside.add(file);
      if (name === 'HEAD' && isGitData(folder, world)) gitData.push(folder);
      const here = placeAt(file);
      const target = kind === 'link' ? { ...here, real: commandPlace(file, world).real } : here;
      const isObject = isFolderOfObjects(file) && objectNames().some((one) => mayMatchSome(one));
      const written = start.value.replace(/(?<!\/)\/+$/, '') + within(file);
      if (isFound || isObject) entries.push({ written, place: target, kind });
      if (kind === 'link' && followsLinks && !isAtOrBelow(target.real, place.real)) leadsOut = true;
    };
    const enter = ({ name }: FolderEntry, file: string): boolean => {
      if (isFolderOfObjects(file) || isSkipped(file, true)) return false;
      if (name !== PACKAGES || entersPackages) return true;
      packages.push(placeAt(file));
      return false;
    };
    if (walk(place.real, world, look, enter, most - visited) !== undefined) isComplete = false;
  }
  return { entries, contents, gitData, packages, isComplete, leadsOut };
}
