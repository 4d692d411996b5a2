/**
 * Effects of earlier commands of a script on later ones: symbolic links, files that are made and then run, a changed
 * HOME.
 *
 * Places are resolved before a script runs. After a command that may create or move a link, places there are unknown.
 * Only listed commands are known to make no links. Every other command may have put a link anywhere.
 */
import type { ReadCommand, ShellRedirection, ShellWord, SimpleCommand } from '@heddle/tools/shell';
import path from 'node:path';
import type { Concern, FilePart, Part } from '../part.ts';
import {
  type FilePlace,
  isAtOrBelowSome,
  isInside,
  isRelatedToSome,
  placesOf,
  tildeExpanded,
} from '../paths/places.ts';
import { mayContainLinks, someLinkBelow } from '../paths/walk-tree.ts';
import { hasOtherHome, type PermissionWorld } from '../world.ts';
import type { Around } from './command-part.ts';
import { isEditCommand } from './files/edits.ts';
import { filesOf, isProjectRunner } from './files/files-of.ts';
import { gitArguments } from './files/git-arguments.ts';
import { argumentsOf, expandBraces, hasOption } from './files/operands.ts';
import { partOfWord, unknownWord } from './files/touch.ts';
import { runsFiles } from './interpreters.ts';
import { baseName, commandWords, isRunner, unwrap } from './runners.ts';
import { type Folders, namesIn } from './shell-state.ts';

/** The paths at or below which new links may exist. */
export type MadeLinks = 'anywhere' | readonly string[];

export const NO_LINKS: MadeLinks = [];

/** They write plain files and folders, or remove files. */
const WRITE_NO_LINKS =
  /^(mkdir|touch|rm|rmdir|unlink|shred|tee|truncate|chmod|chown|chgrp|dd|gzip|gunzip|bzip2|bunzip2|xz|unxz|zstd|unzstd|split|curl|shopt|umask|ulimit|export|unset|kill|pkill|sleep|tsc|gofmt|rustfmt|clang-format|black|ruff|isort)$/;

/** Git commands that do not change the working tree. */
const GIT_KEEPS_TREE =
  /^(add|stage|commit|status|diff|log|show|blame|grep|push|fetch|branch|tag|remote|config|rev-parse|init|rm|notes|gc|describe)$/;

/**
 * A rule that allows such a program allows everything in the project's code. A question about a link from it would
 * protect nothing.
 */
export function runsProjectCode([name]: readonly ShellWord[], { folders, world }: Around): boolean {
  if (name?.kind !== 'literal') return false;
  if (isProjectRunner(name.value)) return true;
  if (!name.value.includes('/') || path.posix.isAbsolute(name.value) || folders === undefined) return false;
  return placesOf(name.value, folders, world).every((place) => isInside(place, world));
}

/** `parts` are those of the command, its own first. `before` are the links that other commands may have made. */
export function linksMadeBy(
  command: SimpleCommand,
  parts: readonly Part[],
  around: Around,
  before: MadeLinks,
): MadeLinks {
  const [own] = parts;
  if (own?.kind === 'command' && own.readOnly !== 'no') return NO_LINKS;
  const { words, more } = unwrap(commandWords(command)).at(-1) ?? { words: [], more: true };
  const [name, ...args] = words;
  if (around.shape === 'functions' || more || name?.kind !== 'literal') return 'anywhere';
  const base = baseName(name.value);
  if (base === 'cp' || base === 'mv' || base === 'ln' || (base === 'sed' && isEditCommand(words, around)))
    return transferredLinks(base, words, parts, around, before);
  if (WRITE_NO_LINKS.test(base) || runsProjectCode(words, around)) return NO_LINKS;
  if (base === 'git' && GIT_KEEPS_TREE.test(gitArguments(args).command)) return NO_LINKS;
  return 'anywhere';
}

/**
 * A copy or a move makes links only if its source contains some, on disk or made by another command. With a suffix, `sed -i` moves the old
 * file.
 */
function transferredLinks(
  base: 'cp' | 'mv' | 'ln' | 'sed',
  words: readonly ShellWord[],
  parts: readonly Part[],
  around: Around,
  before: MadeLinks,
): MadeLinks {
  const given = argumentsOf(words.slice(1).flatMap(expandBraces));
  const isKnown =
    base === 'ln'
      ? given.options.every((option) => /^-[sfnvrT]+$/.test(option))
      : isEditCommand(words, around);
  if (!isKnown) return 'anywhere';
  if (base === 'cp') {
    const keepsLinks = hasOption(given, 'rRaPdH', '--recursive', '--archive', '--no-dereference');
    // The last of these options wins, so one that follows links counts only without one that keeps them.
    const isForced = hasOption(given, 'aPdH', '--archive', '--no-dereference');
    if (!keepsLinks || (hasOption(given, 'L', '--dereference') && !isForced)) return NO_LINKS;
  }
  const files = parts.filter(isFile).filter(({ by }) => by === 'command');
  const sources = files.filter(({ kind }) => kind !== 'write');
  const carries =
    base === 'ln' ||
    sources.some(
      (part) =>
        (before.length > 0 && isMoved(part, before)) ||
        (placesIn(part)?.some((place) => mayContainLinks(place, around.world)) ?? true),
    );
  if (!carries) return NO_LINKS;
  const targets = files.filter(({ kind }) => kind === 'write');
  const paths = new Set<string>();
  for (const { places } of targets) {
    if (places === undefined) return 'anywhere';
    for (const place of places) paths.add(place.path).add(place.real);
  }
  // The target itself may become a link, also if it is a folder now: an earlier command may have removed it.
  return Array.from(paths);
}

function placesIn({ places, glob }: FilePart): readonly FilePlace[] | undefined {
  return glob ? glob.found(true) : places;
}

function isFile(part: Part): part is FilePart {
  return part.kind === 'read' || part.kind === 'write' || part.kind === 'remove';
}

export function joinLinks(all: readonly MadeLinks[]): MadeLinks {
  const paths: string[] = [];
  for (const links of all) {
    if (links === 'anywhere') return links;
    paths.push(...links);
  }
  return paths;
}

/** Returns whether a path may lead through a new link. */
export function isBehindLink(file: string, links: MadeLinks): boolean {
  return links === 'anywhere' || isAtOrBelowSome(file, links);
}

const LINK_MADE: Concern = {
  level: 'unless bypassed',
  reason: 'An earlier command may put a link in its place, so it is not known which file it would change.',
};

/** Returns the parts of a command after others that may have made links. `isFree`: its arguments need not be known. */
export function partsBehindLinks(parts: readonly Part[], links: MadeLinks, isFree = false): readonly Part[] {
  if (links.length === 0) return parts;
  const isSpared = ({ knowledge, by }: FilePart): boolean =>
    isFree && links === 'anywhere' && knowledge === 'named' && by === 'command';
  const moved = new Set(parts.filter((part) => isFile(part) && !isSpared(part) && isMoved(part, links)));
  // A copy writes the names that its source contains. If these are unknown, so are its targets.
  const isSourceUnknown = [...moved].some(
    (part) => part.kind !== 'write' && 'deep' in part && part.deep !== 'no',
  );
  return parts.map((part) => {
    if (!isFile(part)) return part;
    const isUnknown = moved.has(part) || (isSourceUnknown && part.kind === 'write' && part.by === 'command');
    return isUnknown ? unsettled(part) : part;
  });
}

function isMoved(
  { places, shown, knowledge, deep, glob, below, stored, namedBy }: FilePart,
  links: MadeLinks,
): boolean {
  if (places === undefined || stored !== undefined || namedBy !== undefined || knowledge === 'mentioned')
    return false;
  if (links === 'anywhere') return true;
  // After a link, `..` leads elsewhere.
  if (shown.includes('..')) return true;
  // The text of an existing link can lead through the new one: `k -> new/../../f`.
  if (places.some((place) => place.path !== place.real)) return true;
  const isWide = deep !== 'no' || below !== undefined || glob !== undefined;
  return places
    .flatMap((place) => [place.path, place.real])
    .some((file) => (isWide ? isRelatedToSome(file, links) : isBehindLink(file, links)));
}

/** The paths that commands write or remove. A name at or below one may become a folder, or another file. */
export type ChangedPaths = 'anywhere' | readonly string[];

export function pathsChangedBy(parts: readonly Part[], world: PermissionWorld): ChangedPaths {
  const paths = new Set<string>();
  for (const part of parts) {
    if (!isFile(part) || part.kind === 'read') continue;
    if (part.places === undefined) return 'anywhere';
    for (const { path: written, real } of part.places) {
      // A link itself is removed in its real folder.
      const entry = path.posix.join(
        world.realpath(path.posix.dirname(written)),
        path.posix.basename(written),
      );
      for (const file of [written, real, entry]) paths.add(folded(file, world));
    }
  }
  return [...paths];
}

/**
 * Returns the parts of a command after others that changed paths. A link to `a/../b` leads elsewhere if `a` was a link and is a
 * folder now. Such links are rare, so the changed paths are looked up only for them.
 */
export function partsBehindChanges(
  parts: readonly Part[],
  changed: () => ChangedPaths,
  world: PermissionWorld,
): readonly Part[] {
  const isLed = (file: string): boolean =>
    (world.leftByLinks?.(file) ?? []).some((place) => isBehindLink(folded(place, world), changed()));
  return parts.map((part) => {
    if (!isFile(part) || part.places === undefined || part.knowledge === 'mentioned') return part;
    const places = [...part.places, ...(part.glob?.found(true) ?? [])];
    if (places.some((place) => isLed(place.path))) return unsettled(part);
    const { below, followsLinks } = part;
    if (below === undefined || followsLinks !== true) return part;
    const isLedBelow = (): boolean => someLinkBelow(places, world, 'follow', isLed) === true;
    return { ...part, below: () => (isLedBelow() ? undefined : below()) };
  });
}

function folded(file: string, { foldsCase }: PermissionWorld): string {
  return foldsCase ? file.normalize('NFC').toLowerCase() : file;
}

/** Rules about the current places still apply. */
function unsettled(part: FilePart): FilePart {
  const keeps = part.kind === 'read' || part.concern?.level === 'always';
  return { ...part, isUnsettled: true, concern: keeps ? part.concern : LINK_MADE };
}

/** They write a text of the command's choice, or another program, into a file. Compilers are not included. */
const MAKERS = /^(tee|cp|mv|ln|install|dd|curl|wget|rsync|scp|sed|base64|xxd|split|patch)$/;

export interface PlacedCommand {
  readonly command: SimpleCommand;
  readonly folders: Folders;
}

/** Returns the commands that run a file which the same script makes. Rules cannot match the content of such a file. */
export function runsMadeFile(
  commands: readonly PlacedCommand[],
  redirections: readonly ShellRedirection[],
  world: PermissionWorld,
): SimpleCommand[] {
  const pathsOf = (words: readonly ShellWord[], folders: Folders): string[] =>
    words
      .filter(({ kind }) => kind !== 'dynamic')
      .flatMap(({ value }) => placesOf(tildeExpanded(value, world.home), folders ?? [world.cwd], world))
      .flatMap(({ path, real }) => [path, real]);
  const made = new Set([
    ...commands.flatMap(({ command, folders }) => pathsOf(madeBy(command), folders)),
    ...pathsOf(targetsOf(redirections), commands.at(-1)?.folders),
  ]);
  if (made.size === 0) return [];
  return commands
    .filter(({ command, folders }) => pathsOf(runBy(command), folders).some((path) => made.has(path)))
    .map(({ command }) => command);
}

function madeBy(command: SimpleCommand): readonly ShellWord[] {
  const redirected = targetsOf(command.redirections);
  const words = unwrap(commandWords(command)).at(-1)?.words ?? [];
  if (!MAKERS.test(baseName(words[0]?.value ?? ''))) return redirected;
  return [...redirected, ...filesOf(words).flatMap(({ kind, word }) => (kind === 'write' ? [word] : []))];
}

function targetsOf(redirections: readonly ShellRedirection[]): readonly ShellWord[] {
  return redirections.flatMap((redirection) =>
    redirection.kind === 'file' && redirection.operator !== '<' ? [redirection.target] : [],
  );
}

/** Returns the program itself, if it is a path, and the files for an interpreter. */
function runBy(command: SimpleCommand): readonly ShellWord[] {
  const [name, ...args] = unwrap(commandWords(command)).at(-1)?.words ?? [];
  if (name === undefined) return [];
  const base = baseName(name.value);
  const takesFiles = isRunner(base) || isProjectRunner(base) || runsFiles(base);
  const attached = args.flatMap((word) => {
    const [, value] = /^(?:-[a-zA-Z]|--?[\w-]+=|\w+=)(.+)$/s.exec(word.value) ?? [];
    return value === undefined ? [] : [partOfWord(word, value)];
  });
  return [...(name.value.includes('/') ? [name] : []), ...(takesFiles ? [...args, ...attached] : [])];
}

type Read = Extract<ReadCommand, { ok: true }>;

/** Returns whether a script may set HOME. */
export function mayChangeHome(text: string, { commands }: Read): boolean {
  const isMentioned = /\bHOME\b/.test(text.replace(/\$\{?HOME\b/g, ''));
  // A quoted name is not a mention in the text: `export HO\ME=x`.
  return isMentioned || namesIn(commands).has('HOME');
}

/** Returns the script with unknown words for `~` and `$HOME` if it may set HOME, or if commands have another HOME. */
export function withoutHome(read: Read, world: PermissionWorld): Read {
  if (!hasOtherHome(world)) return read;
  return {
    ...read,
    commands: read.commands.map(homeless),
    redirections: read.redirections.map(redirected),
  };
}

function homeless(command: SimpleCommand): SimpleCommand {
  const { name, args, assignments, redirections } = command;
  const isBare = args.length === 0 && name?.value === 'cd';
  return {
    ...command,
    name: name && unknownHome(name),
    args: isBare ? [unknownWord('~')] : args.map(unknownHome),
    assignments: assignments.map((each) =>
      Object.assign({}, each, { value: each.value && unknownHome(each.value) }),
    ),
    redirections: redirections.map(redirected),
  };
}

function redirected(redirection: ShellRedirection): ShellRedirection {
  if (redirection.kind === 'here_doc') return redirection;
  return { ...redirection, target: unknownHome(redirection.target) };
}

function unknownHome(word: ShellWord): ShellWord {
  const isOfHome = word.text.startsWith('~') || /\$\{?HOME\b/.test(word.text);
  return word.kind !== 'literal' && isOfHome ? unknownWord(word.text) : word;
}
