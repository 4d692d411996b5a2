/**
 * The scripts in which acceptEdits allows edits. This is a closed grammar: a script with anything else asks as in the
 * default mode. It consists of simple commands in a list, each of which is one of these:
 * - an edit whose words and options are all known, see `isEditCommand`;
 * - a program that prints its words or the contents of files, and has no other effect;
 * - `cd` to a folder of the project, as the first command.
 *
 * No edit creates a link, because a copied or moved source contains none, and `sed -i.bak` renames none. A command with several sources means the same
 * places for each of them, see `isPlainTransfer`.
 *
 * No command before an edit may wait, see `mayWait`.
 *
 * If only one command changes files, no command sees a change of another. Otherwise these hold, in any order:
 * - No path of an edit leads through a link, so it means the place that is written.
 * - A copied or moved folder contains the same names as now, and a file stays a file.
 */
import path from 'node:path';
import type { ReadCommand, ShellRedirection, ShellWord, SimpleCommand } from '@heddle/tools/shell';
import {
  type FilePlace,
  isAtOrBelow,
  isInside,
  isRelatedToSome,
  isSink,
  namedFolders,
  placesOf,
} from '../paths/places.ts';
import { mayReadPipe } from '../paths/special-files.ts';
import { mayContainLinks } from '../paths/walk-tree.ts';
import type { FolderEntry, PermissionWorld } from '../world.ts';
import { type FileEdit, folded, mayWriteElsewhere, namesOf, placesIn, someMerged } from './edits-in-place.ts';
import { isEditCommand } from './files/edits.ts';
import { meant } from './files/meant-places.ts';
import { filesOf } from './files/files-of.ts';
import { argumentsOf, expandBraces } from './files/operands.ts';
import type { Touch } from './files/touch.ts';
import { commandWords } from './runners.ts';
import { foldersAfter, NO_VARIABLES } from './shell-state.ts';
import { shortOption } from './short-options.ts';

type Script = Extract<ReadCommand, { ok: true }>;

/** They open files only for reading, with every option. */
const READERS = /^(ls|cat|head|tail|wc|grep)$/;
/** Some of these also write with some options, but not with those that are proven to read. */
const OPENS_FILES = /^(?:ls|cat|head|tail|wc|grep|cut|sort|uniq|cp|mv)$/;
const PRINTERS = /^(echo|pwd|true|:)$/;

const PLAIN_FORMAT = /^(?!-)(?:[^%]|%%|%-?\d*(?:\.\d+)?[sdiuxXcbqf])*$/;

/** One command that changes files. Redirections are a change of their own. */
interface Change extends FileEdit {
  /** All words of the command. A glob among them may match a name that another command creates. */
  readonly words: readonly ShellWord[];
  readonly read: readonly ShellWord[];
  /** It changes the contents of files, and a file stays a file. */
  readonly keepsFiles: boolean;
}

export function isPlainEditScript(script: Script, world: PermissionWorld): boolean {
  const { commands, constructs, redirections, strange } = script;
  const isList = [...constructs].every((construct) => construct === 'list');
  if (!isList || strange !== undefined || redirections.length > 0) return false;
  const [first, ...rest] = commands;
  const entered = first?.name?.value === 'cd' ? first : undefined;
  const folders = entered ? foldersEntered(entered, world) : [world.cwd];
  if (folders === undefined) return false;
  const steps = entered ? rest : commands;
  const made = steps.map((command) => changesOf(command, folders, world));
  if (!made.every((known) => known !== undefined)) return false;
  const last = made.findLastIndex((known) => known.length > 0);
  if (steps.slice(0, Math.max(last, 0)).some((command) => mayWait(command, folders, world))) return false;
  const changes = made.flat();
  const read = changes.flatMap((change) => change.read).filter(({ value }) => value !== '/dev/null');
  const used = [...read, ...changes.flatMap((change) => change.changed)];
  if (used.some((word) => mayBeSpecial(word, folders, world))) return false;
  if (mayWriteElsewhere(changes, folders, world)) return false;
  if (!changes.every((change) => isPlainTransfer(change, folders, world))) return false;
  return changes.length < 2 || areIndependent(changes, folders, world);
}

/** A `cd` may fail, so the folder before it counts, too. */
function foldersEntered(command: SimpleCommand, world: PermissionWorld): readonly string[] | undefined {
  const { args, assignments, redirections } = command;
  const [target, ...others] = args;
  const isPlain = target?.kind === 'literal' && /^[^-]/.test(target.value);
  if (!isPlain || others.length + assignments.length + redirections.length > 0) return undefined;
  const folders = foldersAfter([world.cwd], command, world);
  const isKnown = placesIn([target], [world.cwd], world).every(
    (place) => isInside(place, world) && isStraight(place, world),
  );
  return isKnown ? folders : undefined;
}

/** Returns what a command changes. Undefined if it is not a command of the grammar. */
function changesOf(
  command: SimpleCommand,
  folders: readonly string[],
  world: PermissionWorld,
): readonly Change[] | undefined {
  const { name, assignments, redirections } = command;
  const words = commandWords(command);
  if (assignments.length > 0 || !redirections.every(isPlainRedirection)) return undefined;
  const targets = redirections.flatMap((redirection) =>
    redirection.kind === 'file' && redirection.operator !== '<' ? [redirection.target] : [],
  );
  const redirected = targets
    .filter(({ value }) => !isSink(value, 'write'))
    .map(
      (target): Change => ({
        words: [target],
        changed: [target],
        read: [],
        sources: [],
        keepsFiles: true,
        writesInto: true,
        renamed: [],
      }),
    );
  if (name === undefined || (words.every(isLiteral) && changesNothing(words))) return redirected;
  if (!isEditCommand(words, { variables: NO_VARIABLES, folders, world })) return undefined;
  if (words.some(({ kind }) => kind === 'tilde')) return undefined;
  const expanded = words.flatMap(expandBraces);
  const touches = filesOf(expanded);
  const isTransfer = /^(cp|mv)$/.test(name.value);
  const read = touches.filter(({ kind }) => kind !== 'write').map(({ word }) => word);
  const target = isTransfer ? argumentsOf(expanded.slice(1)).operands.at(-1) : undefined;
  const change: Change = {
    words: expanded,
    changed: touches.filter(({ kind }) => kind !== 'read').map(({ word }) => word),
    read,
    sources: isTransfer ? read : [],
    target,
    keepsFiles: /^(touch|sed)$/.test(name.value),
    writesInto: !/^(rm|rmdir|unlink|mkdir|mv|sed)$/.test(name.value),
    renamed: name.value === 'mv' && target ? read.map((from) => ({ from, to: target })) : keptBySed(touches),
  };
  return [...redirected, change];
}

/** With a suffix, sed renames the old file: `sed -i.bak` moves `a` to `a.bak`. */
function keptBySed(touches: readonly Touch[]): Change['renamed'] {
  const written = touches.filter(({ kind }) => kind === 'write');
  const kept = written.filter(({ moves }) => moves === true);
  return kept.flatMap(({ word: from }) =>
    written
      .filter(({ word: to }) => to.value.startsWith(`${from.value}.`))
      .map(({ word: to }) => ({ from, to })),
  );
}

/** Its options with which it waits for more content, or for the end of a process. */
const TAIL_WAITS = new RegExp(`^(?:${shortOption('fFs')}|--[frps]|\\+\\d*[bcl]?f)`);

/**
 * Returns whether a command before an edit may take long. Then the edit would run when other calls may have changed what its
 * path means. Readers of expected files end soon.
 */
export function mayWait(
  command: SimpleCommand,
  folders: readonly string[],
  world: PermissionWorld,
  expected: 'in the project' | 'anywhere' = 'in the project',
): boolean {
  const words = commandWords(command);
  const [name, ...args] = words;
  if (name?.value === 'tail' && args.some(({ value }) => TAIL_WAITS.test(value))) return true;
  const inputs = command.redirections.flatMap((each) =>
    each.kind === 'file' && each.operator === '<' ? [each.target] : [],
  );
  const isReader = OPENS_FILES.test(name?.value ?? '');
  const files = [...(isReader ? filesOf(words).map(({ word }) => word) : []), ...inputs];
  const isSoon = (place: FilePlace): boolean =>
    place.path === '/dev/null' ||
    ((expected === 'anywhere' ? !isDevice(place) : isInside(place, world)) &&
      world.isPipe?.(place.real) !== true &&
      world.isLarge?.(place.real) !== true);
  return !files.every((word) => isLiteral(word) && placesOf(word.value, folders, world).every(isSoon));
}

function isLiteral({ kind }: ShellWord): boolean {
  return kind === 'literal';
}

function changesNothing([name, ...args]: readonly ShellWord[]): boolean {
  if (name === undefined) return false;
  // Other formats and options set variables.
  if (name.value === 'printf') return PLAIN_FORMAT.test(args[0]?.value ?? '');
  return READERS.test(name.value) || PRINTERS.test(name.value);
}

function isPlainRedirection(redirection: ShellRedirection): boolean {
  const { kind, descriptor } = redirection;
  const isOutput = descriptor === undefined || descriptor === 1 || descriptor === 2;
  const isInput = descriptor === undefined || descriptor === 0;
  switch (kind) {
    case 'here_doc':
      return isInput && !(redirection.expands && /[$`]/.test(redirection.body));
    case 'here_string':
      return isInput && isLiteral(redirection.target);
    case 'duplicate':
      return redirection.operator === '>&' && isOutput && /^[12]$/.test(redirection.target.value);
    case 'file':
      if (redirection.operator === '<>' || !isLiteral(redirection.target)) return false;
      return redirection.operator === '<' ? isInput : isOutput;
  }
}

/**
 * Returns whether a copy or move creates no link. With several sources, an earlier one must not change the place of a later
 * one, and no two may merge in the target.
 */
function isPlainTransfer(
  { sources, target, changed, renamed }: Change,
  folders: readonly string[],
  world: PermissionWorld,
): boolean {
  if (target === undefined) {
    const kept = renamed.map(({ from }) => namesOf(from, folders, world));
    const isLinkFree = (name: string): boolean =>
      !placesOf(name, folders, world).some((place) => mayContainLinks(place, world));
    return kept.every((names) => names?.every(isLinkFree) === true);
  }
  const found = sources.map((word) => namesOf(word, folders, world));
  if (!found.every((known) => known !== undefined)) return false;
  const names = found.flat();
  const places = names.flatMap((name) => placesOf(name, folders, world));
  if (places.some((place) => mayContainLinks(place, world))) return false;
  const filled = placesIn(changed, folders, world);
  if (places.some((place) => someMerged(place, filled, world, (file) => world.isPipe?.(file) === true)))
    return false;
  const targets = placesIn([target], folders, world);
  if (renamed.length > 0 && places.some((place) => mayChangeRepository(place, targets, world))) return false;
  if (names.length < 2) return true;
  const bases = names.map((name) => folded(path.posix.basename(name), world));
  if (new Set(bases).size < bases.length || bases.some((base) => /^\.{0,2}$/.test(base))) return false;
  const written = targets.flatMap(({ real }) =>
    bases.map((base) => path.posix.join(folded(real, world), base)),
  );
  return (
    [...places, ...targets].every((place) => isStraight(place, world)) &&
    places.every(
      (source) => !isAround(source, folders, world) && !isRelatedToSome(folded(source.real, world), written),
    )
  );
}

/**
 * Returns whether a move takes a folder into another repository of git. A command that runs in the folder would then use settings that
 * were not looked at.
 */
function mayChangeRepository(
  source: FilePlace,
  targets: readonly FilePlace[],
  world: PermissionWorld,
): boolean {
  if (!mayBeFolder(source, world)) return false;
  const around = topAround(path.posix.dirname(source.real), world);
  const isSame = (folder: string): boolean => around !== 'unknown' && topAround(folder, world) === around;
  return !targets.every(({ real }) => isSame(real));
}

function topAround(folder: string, world: PermissionWorld): string {
  const found = world.repository(folder);
  return typeof found === 'string' ? found : found.top;
}

/** Returns whether each command means the same places, before and after the others. */
function areIndependent(
  changes: readonly Change[],
  folders: readonly string[],
  world: PermissionWorld,
): boolean {
  const isKnown = ({ words, changed, sources }: Change): boolean =>
    [...words, ...changed, ...sources].every(isLiteral);
  if (!changes.every(isKnown)) return false;
  const known = changes.map(({ changed, sources, keepsFiles }) => {
    const places = placesIn(changed, folders, world);
    return {
      changed: places,
      paths: places.map(({ real }) => folded(real, world)),
      sources: placesIn(sources, folders, world),
      keepsFiles,
    };
  });
  const isStable = (source: FilePlace, own: (typeof known)[number]): boolean => {
    const isFolder = mayBeFolder(source, world);
    return known.every(
      (other) =>
        other === own ||
        (other.keepsFiles && !isFolder) ||
        !isRelatedToSome(folded(source.real, world), other.paths),
    );
  };
  return known.every(
    (own) =>
      [...own.changed, ...own.sources].every((place) => isStraight(place, world)) &&
      own.sources.every((source) => isStable(source, own) && !isAround(source, folders, world)),
  );
}

/** Returns whether a move of the place moves the shell's own folder. Afterwards, `..` leads elsewhere. */
function isAround({ path: written }: FilePlace, folders: readonly string[], world: PermissionWorld): boolean {
  return folders.some((folder) => isAtOrBelow(folded(folder, world), folded(written, world)));
}

/** Returns whether a path passes no link. The links that lead to a working directory itself do not count. */
function isStraight({ path: written, real }: FilePlace, world: PermissionWorld): boolean {
  if (written === real) return true;
  return namedFolders(world).some(
    (folder) =>
      isAtOrBelow(written, folder) &&
      real === path.posix.join(world.realpath(folder), written.slice(folder.length)),
  );
}

function mayBeFolder({ real }: FilePlace, world: PermissionWorld): boolean {
  const name = folded(path.posix.basename(real), world);
  const entries = world.entries(path.posix.dirname(real));
  const isNamed = (entry: FolderEntry): boolean => folded(entry.name, world) === name;
  return entries?.some((entry) => isNamed(entry) && entry.kind !== 'file') ?? true;
}

/** Returns whether a word may name a named pipe or a device, also as a match of a glob. An unknown file may be one. */
function mayBeSpecial(word: ShellWord, folders: readonly string[], world: PermissionWorld): boolean {
  const { places, glob } = meant(word, folders, world);
  const files = glob ? glob.found(true) : places;
  return files === undefined || files.some(isDevice) || mayReadPipe({ places, glob }, world);
}

/** A copy of a device can be a device, and an edit may replace a device or change its mode. */
function isDevice({ path: written, real }: FilePlace): boolean {
  return [written, real].some((file) => /^\/(dev|proc|sys)(\/|$)/.test(file));
}
