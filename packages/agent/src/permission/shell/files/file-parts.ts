/** Creates the parts for the files in the words and redirections of a command. */
import path from 'node:path';
import { omitUndefined } from '@heddle/core';
import type { ShellWord } from '@heddle/tools/shell';
import type { Concern, FilePart, PathsBelow } from '../../part.ts';
import { mayBecomeModule } from '../../paths/console-modules.ts';
import { destructiveRemoval } from '../../paths/destructive-removal.ts';
import {
  commandPlace,
  type FilePlace,
  isAtOrBelow,
  isInside,
  isRelatedToSome,
  isSink,
  once,
  tildeExpanded,
  workingFolders,
} from '../../paths/places.ts';
import type { Glob } from '../../paths/glob.ts';
import {
  placeInside,
  protectedBelow,
  protectedFromChange,
  spellings,
  withMadeFolders,
  writtenByCopy,
} from '../../paths/changed-places.ts';
import { mayContainLinks, pathsBelow, someLinkBelow } from '../../paths/walk-tree.ts';
import { specialConcern } from '../../paths/special-files.ts';
import { processConcern } from '../../paths/process-files.ts';
import { isHomeInWork } from '../../paths/home-places.ts';
import { isAboveSearched, mayFillSearched, programsInFolder } from '../../paths/program-places.ts';
import {
  canBeginProtected,
  isGitDataPath,
  mayChangeSubmodule,
  mayHoldProtected,
  protectedMatch,
} from '../../paths/protected.ts';
import type { PermissionWorld } from '../../world.ts';
import { addedPart } from './added-parts.ts';
import { besideFiles, besidePart } from './compressors.ts';
import { type Meant, meant, meantBy, withFound } from './meant-places.ts';
import { expandBraces } from './operands.ts';
import { storedBelow } from './git-data-below.ts';
import { areCommits, storedInData, storedPart } from './stored-parts.ts';
import type { ReplacedEnds, Touch } from './touch.ts';
import type { Folders } from '../shell-state.ts';

export function touchPart(
  touch: Touch,
  by: 'command' | 'redirection',
  folders: Folders,
  world: PermissionWorld,
): FilePart[] {
  const { kind, word, within } = touch;
  world.spend?.(1);
  const words = expandBraces(word);
  if (words.length !== 1 || words[0] !== word) {
    return words.flatMap((each) => touchPart({ ...touch, word: each }, by, folders, world));
  }
  if (touch.adds) return addedPart(touch, touch.adds, folders, world);
  if (touch.setting && !mayBeSet(touch, folders, world)) return [];
  if (touch.revisions && areCommits(touch, touch.revisions, meant(word, folders, world).places, world))
    return [];
  if (touch.stored && within && !isFolder(within, folders, world) && !mayBeRepository(within, folders, world))
    return [];
  if (touch.stored) return storedPart(touch, touch.stored, meant(word, folders, world).places, world);
  if (word.kind === 'literal' && word.value === '') return [];
  if (touch.unlessMatched && mayMatch(touch.unlessMatched, folders, world)) return [];
  const isMade = touch.makesWithin === true || world.foldersMayChange === true;
  if (within && !isMade && !isFolder(within, folders, world)) return [];
  const { places, pattern, glob, ofProcess } = meantBy(touch, folders, world);
  if (touch.submodule && !mayChangeSubmodule(places, meant(touch.submodule, folders, world), world))
    return [];
  if (kind !== 'remove' && !touch.replaces && places?.every((place) => isSink(place.path, kind))) return [];
  const deep: FilePart['deep'] = touch.deep ?? 'no';
  const { readsFolders = false } = touch;
  const mayBeFolder = (): boolean =>
    (readsFolders && word.kind === 'dynamic') || isFolder(word, folders, world);
  const isWalked = deep !== 'no' || (touch.deepIfFolder === true && mayBeFolder());
  // An unknown program may not read the files of a folder at all.
  const isKnown = touch.knowledge === undefined || readsFolders;
  const walked = isWalked && deep === 'no' && isKnown ? 'all' : deep;
  const { concern, gitData } =
    kind === 'read'
      ? {
          concern:
            connection(touch, by, world) ??
            processConcern({ written: word.text, places, glob, deep: walked, ofProcess }, world) ??
            (by === 'redirection' ? specialConcern({ places, glob, deep }, world) : undefined),
          gitData: NO_PATHS,
        }
      : changeConcern(touch, { places, pattern, glob }, folders, world);
  const shared = { shown: word.value, tool: 'Bash', places, deep, by, glob };
  // Under its new name, a file can be read although a rule asks about the old one. So a moved file counts as read, too.
  const moved: FilePart = {
    ...shared,
    kind: 'read',
    ...belowOf({ ...touch, staysInTree: true, isText: false }, places, glob, world),
    knowledge: 'known',
    concern: undefined,
  };
  const isRead = kind === 'read' || touch.moves === true;
  return [
    ...(touch.moves ? [moved] : []),
    ...(isRead ? storedInData(withFound(places, glob), isWalked || touch.moves === true, world) : []),
    {
      ...shared,
      kind,
      ...(kind === 'read' && isWalked ? belowOf(touch, places, glob, world) : {}),
      ...(touch.copyOf ? { below: once(() => copiedPaths(touch, places, folders, world)) } : {}),
      knowledge: touch.knowledge ?? 'known',
      ...(readsFolders ? { readsFolders } : {}),
      ...(gitData.length > 0 ? { copiedGitData: gitData } : {}),
      ...(touch.fills ? { fills: true } : {}),
      ...(touch.rewrites ? { rewrites: true } : {}),
      ...(kind === 'read' && climbsFromMovable(word, folders, world) ? { mayMove: true } : {}),
      concern,
    },
    ...(touch.replacedEnds ? besidePart(touch.replacedEnds, shared, world) : []),
  ];
}

/** Returns whether `..` leads out of a subfolder, after a wait in which another call may move that folder. */
function climbsFromMovable({ value }: ShellWord, folders: Folders, world: PermissionWorld): boolean {
  if (world.takesLong !== true || !value.includes('..') || path.posix.isAbsolute(value)) return false;
  return folders?.every((folder) => workingFolders(world).includes(folder)) !== true;
}

/** Git completes the name, and follows a file that names a repository. */
function mayBeRepository(word: ShellWord, folders: Folders, world: PermissionWorld): boolean {
  const { places } = meant(word, folders, world);
  return places?.some((place) => (world.repositoriesAt?.(place.path) ?? []).length > 0) ?? true;
}

/** Returns whether a glob of the shell matches something now, or its matches are unknown. */
function mayMatch(word: ShellWord, folders: Folders, world: PermissionWorld): boolean {
  const { glob } = meant(word, folders, world);
  return glob?.found(glob.optioned)?.some((place) => world.exists(place.path)) !== false;
}

/** An unknown folder, or settings that cannot be read, may have any setting. */
function mayBeSet({ word, setting }: Touch, folders: Folders, world: PermissionWorld): boolean {
  const { places } = meant(word, folders, world);
  if (places === undefined || setting === undefined) return true;
  return places.some(({ real }) => {
    const enabled = world.gitSettings ? world.gitSettings(real) : NO_SETTINGS;
    return enabled?.has(setting) !== false;
  });
}

const NO_SETTINGS: ReadonlySet<string> = new Set();

/** Returns the paths of a deep read. They are looked up once, and only if a rule needs them. */
function belowOf(
  { staysInTree = false, deep, endings, selects, isText, skipsGit = false, skipsModules = false }: Touch,
  places: readonly FilePlace[] | undefined,
  glob: Glob | undefined,
  world: PermissionWorld,
): Pick<FilePart, 'below' | 'storedBelow' | 'followsLinks' | 'endings'> {
  const how = {
    follows: !staysInTree,
    hidden: deep !== 'visible',
    endings,
    opensIgnored: true,
    skipsModules,
  };
  const starts = (): readonly FilePlace[] | undefined => (glob ? glob.found(true) : places);
  const look = (): PathsBelow | undefined => {
    const from = starts();
    return from && pathsBelow(from, world, how);
  };
  // A program that is not known to read whole folders is not known to copy them either.
  const read = { ...how, selects, skipsGit, isText: isText ?? deep === undefined };
  return {
    followsLinks: !staysInTree,
    below: once(look),
    storedBelow: once(() => storedBelow(starts() ?? [], read, world)),
    ...omitUndefined({ endings }),
  };
}

/** Returns the paths that a copied or moved folder writes below its target. Undefined if they are unknown. */
function copiedPaths(
  { copyOf: source, staysInTree }: Touch,
  targets: readonly FilePlace[] | undefined,
  folders: Folders,
  world: PermissionWorld,
): PathsBelow | undefined {
  if (source === undefined || targets === undefined) return undefined;
  const { places, glob } = meant(source, folders, world);
  const sources = glob ? glob.found(true) : places;
  if (sources?.every((from) => isKnownSource(from, world)) !== true) return undefined;
  if (staysInTree === false && sources.some((from) => mayContainLinks(from, world))) return undefined;
  const paths: string[] = [];
  for (const from of sources) {
    const { paths: names, isComplete } = pathsBelow([from], world, { follows: false, hidden: true });
    if (!isComplete) return undefined;
    const into = targets.flatMap((target) => copyRoots(from, target, world)).flatMap(spellings);
    for (const folder of new Set(into))
      paths.push(...names.map((name) => folder + name.slice(from.real.length)));
  }
  return { paths, isComplete: true, mayGrow: false };
}

/** Returns the folders in which a copy may write the content of its source: the target, or a new folder in it. */
function copyRoots(from: FilePlace, target: FilePlace, world: PermissionWorld): readonly FilePlace[] {
  return [target, placeInside(target, path.posix.basename(from.path), world)];
}

interface Change {
  /** The reason why the change asks, because of the place itself or of a place below it. */
  readonly concern: Concern | undefined;
  /** The paths of a copy whose names git looks for. */
  readonly gitData: readonly string[];
}

function changeConcern(
  touch: Touch,
  { places, pattern, glob }: Meant,
  folders: Folders,
  world: PermissionWorld,
): Change {
  const copied = copiedNames(touch, folders, world);
  // In the target of a copy, a pattern represents the names of its sources. The hidden ones among them are known.
  const isCopy = touch.namesOf !== undefined && copied !== undefined;
  const mayFindMore = world.foldersMayChange === true || world.createsFiles === true;
  const current = withFound(places, glob, !isCopy || mayFindMore);
  const found = current && copied && [...current, ...copied];
  const gitData = (copied ?? []).flatMap(gitDataPaths);
  const concern = concernOf(touch, { places: found, pattern, starts: places }, folders, world);
  if (found === undefined || (concern !== undefined && concern.level !== 'outside'))
    return { concern, gitData };
  if (touch.copyOf) {
    const tree = copyConcern(touch, touch.copyOf, found, folders, world);
    return { concern: tree.concern ?? concern, gitData: [...gitData, ...tree.gitData] };
  }
  // Names that are added to a folder are no change of those in it.
  const isTree = touch.selects !== undefined || (touch.deep === 'all' && touch.fills === undefined);
  if (touch.replacedEnds) {
    // Another command of the script may add names that a glob or a deep access finds.
    const isOpen =
      (glob !== undefined || touch.replacedEnds.isDeep) &&
      found.some(({ path: at, real }) =>
        [at, real].some((file) => isRelatedToSome(file, world.changedPaths ?? NO_PATHS)),
      );
    const beside = isOpen ? UNKNOWN_CHANGE : besideConcern(touch.replacedEnds, found, folders, world);
    return { concern: beside ?? concern, gitData };
  }
  const tree = isTree ? treeConcern(glob ? (glob.found(true) ?? []) : found, touch, world) : undefined;
  const filled = touch.fills ? filledConcern(found, folders, world) : undefined;
  return { concern: tree ?? filled ?? concern, gitData };
}

/** An archive can contain names behind a link of the folder. Of a folder with very many entries, the links are not known. */
function filledConcern(
  targets: readonly FilePlace[],
  folders: Folders,
  world: PermissionWorld,
): Concern | undefined {
  const isBad = (_: string, real: string): boolean => {
    const places = [{ path: real, real }];
    return concernOf({ kind: 'write' }, { places, pattern: undefined }, folders, world) !== undefined;
  };
  return someLinkBelow(targets, world, 'stay', isBad) === true
    ? {
        level: 'unless bypassed',
        reason: 'A link in the folder leads outside or to a protected place, and unknown names are written.',
      }
    : undefined;
}

function gitDataPaths({ path: at, real }: FilePlace): string[] {
  return [at, real].filter(isGitDataPath);
}

/** Returns the places of names that a source glob matches, in the target folder. Undefined if they are unknown. */
function copiedNames(
  { namesOf, within }: Touch,
  folders: Folders,
  world: PermissionWorld,
): readonly FilePlace[] | undefined {
  if (namesOf === undefined || within === undefined) return [];
  const names = meant(namesOf, folders, world).glob?.found(true);
  const targets = meant(within, folders, world).places;
  if (names === undefined || targets === undefined) return undefined;
  // An earlier command may create more names for the glob to match.
  const isOpen = ({ path: at }: FilePlace): boolean =>
    at.split('/').slice(-2).some(canBeginProtected) ||
    isHomeInWork({ path: at, real: at }, world) ||
    (at !== world.root && programsInFolder(at, world).length > 0);
  if (world.foldersMayChange === true && targets.some(isOpen)) return undefined;
  const bases = new Set(names.map(({ path: from }) => path.posix.basename(from)));
  return targets.flatMap((target) => Array.from(bases, (base) => placeInside(target, base, world)));
}

function besideConcern(
  ends: ReplacedEnds,
  places: readonly FilePlace[],
  folders: Folders,
  world: PermissionWorld,
): Concern | undefined {
  const { paths, isComplete } = besideFiles(ends, places, world);
  if (!isComplete) return TOO_MANY_BELOW;
  for (const written of paths) {
    const place = commandPlace(written, world);
    const concern = concernOf({ kind: 'write' }, { places: [place], pattern: undefined }, folders, world);
    if (concern !== undefined) return concern;
  }
  return undefined;
}

function treeConcern(
  places: readonly FilePlace[],
  { kind, moves, selects }: Touch,
  world: PermissionWorld,
): Concern | undefined {
  for (const place of places) {
    // A link to a folder below it shows nothing new.
    const isOut = (_: string, real: string): boolean => !isAtOrBelow(real, place.real);
    const way = selects?.followsLinks ? someLinkBelow([place], world, 'stay', isOut) : undefined;
    if (way === 'too many') return TOO_MANY_BELOW;
    if (way === true)
      return {
        level: 'unless bypassed',
        reason: `A link below ${place.path} leads out of it, and it is followed.`,
      };
    const isRemoved = kind === 'remove' && !moves;
    const what = protectedBelow(place, world, isRemoved ? 'removed' : 'moved', selects);
    if (what === 'too many') return TOO_MANY_BELOW;
    if (what !== undefined)
      return { level: 'unless bypassed', reason: `${place.path} contains ${what}, which is protected.` };
  }
  return undefined;
}

/**
 * Checks the names that a copied folder writes below its target: a protected place, or a path through an existing link.
 */
function copyConcern(
  { staysInTree = true, keepsName = false }: Touch,
  source: ShellWord,
  targets: readonly FilePlace[],
  folders: Folders,
  world: PermissionWorld,
): Change {
  const gitData: string[] = [];
  const unknown = { concern: UNKNOWN_CHANGE, gitData };
  let outside: Concern | undefined;
  const { places, glob, pattern } = meant(source, folders, world);
  const sources = glob ? glob.found(true) : places;
  if (sources === undefined) return unknown;
  // The copy contains the names behind the links.
  if (!staysInTree && sources.some((from) => mayContainLinks(from, world))) return unknown;
  const mayChange = world.foldersMayChange === true;
  if (mayChange && pattern !== undefined && targets.some((target) => mayFillSearched(target, pattern, world)))
    return unknown;
  for (const from of sources) {
    const isKnown = isKnownSource(from, world);
    for (const target of targets) {
      const roots = copyRoots(from, target, world);
      const written = roots.flatMap(spellings);
      const mayHold = (): boolean =>
        written.some((at) => mayHoldProtected(at, world) || mayBecomeModule(at, world));
      const hasLinks = (): boolean => mayChange && mayContainLinks(target, world);
      if (!isKnown && (mayHold() || hasLinks())) return unknown;
      if (mayChange && written.some((into) => isAboveSearched(into, world))) return unknown;
      // A working directory exists.
      const isInside = keepsName && workingFolders(world).includes(target.path);
      for (const into of isInside ? roots.slice(1) : roots) {
        const concern = writtenByCopy(from, into, world, (place) => {
          gitData.push(...gitDataPaths(place));
          const found = concernOf({ kind: 'write' }, { places: [place], pattern: undefined }, folders, world);
          if (found?.level !== 'outside') return found;
          // A rule may settle it, but not a protected place behind it.
          outside ??= found;
          return undefined;
        });
        if (concern !== undefined)
          return { concern: concern === 'too many' ? TOO_MANY_BELOW : concern, gitData };
      }
    }
  }
  return { concern: outside, gitData };
}

/** It exists, and no other command of the script changes what it contains. */
function isKnownSource({ path: written, real }: FilePlace, world: PermissionWorld): boolean {
  if (!world.exists(real) && !world.exists(`${real}/.`)) return false;
  return ![written, real].some((folder) => isRelatedToSome(folder, world.changedPaths ?? NO_PATHS));
}

const NO_PATHS: readonly string[] = [];

const TOO_MANY_BELOW: Concern = {
  level: 'unless covered',
  reason: 'It contains more files than can be looked at, and some of them may be protected.',
};

export const UNKNOWN_CHANGE: Concern = {
  level: 'unless bypassed',
  reason: 'It is not known which file it would change before it runs.',
};

/** Returns whether a word is a folder, by its form or because the folder exists. */
function isFolder(word: ShellWord, folders: Folders, world: PermissionWorld): boolean {
  if (word.kind === 'dynamic') return false;
  if (/(^|\/)(\.{0,2})$/.test(word.value)) return true;
  return (meant(word, folders, world).places ?? []).some(({ path }) => world.exists(`${path}/.`));
}

/** Returns the part for a network connection that the shell opens for such a name. An unknown name may be one. */
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

/**
 * Returns why a change to these places asks regardless of rules. `starts` are the folders of the pattern, if its matches are among
 * the places.
 */
export function concernOf(
  { kind, word, picks = false }: Pick<Touch, 'kind' | 'picks'> & { readonly word?: ShellWord },
  {
    places,
    pattern,
    starts = places,
  }: Pick<Meant, 'places' | 'pattern'> & { readonly starts?: Meant['places'] },
  folders: Folders,
  world: PermissionWorld,
): Concern | undefined {
  const lost =
    kind === 'remove' && word ? destructiveRemoval(word, folders ?? [world.cwd], world) : undefined;
  // Removing some files of the project is acceptable. Removing some files of the whole disk is not.
  const isSpared = picks && places?.every((place) => isInside(place, world)) === true;
  if (lost !== undefined && !isSpared)
    return { level: 'always', reason: `Removing it would be a disaster: ${lost}.` };
  if (places === undefined) return UNKNOWN_CHANGE;
  const changed = kind === 'write' ? places.flatMap((place) => withMadeFolders(place, world)) : places;
  for (const place of changed) {
    const matched = pattern !== undefined && starts?.includes(place) ? pattern : undefined;
    const what =
      protectedFromChange(place, world) ??
      (matched === undefined ? undefined : protectedMatch(place, matched, world));
    if (what !== undefined)
      return { level: 'unless bypassed', reason: `${what} is protected: a change to it always asks.` };
  }
  const outside = places.find((place) => !isInside(place, world));
  return outside && { level: 'outside', reason: `${outside.real} lies outside the working directories.` };
}
