/**
 * The state of the shell while a script runs: its variables and its working directory.
 *
 * A variable has known values only if it occurs in plain assignments, loop headers and plain expansions, and nowhere
 * else. Any other occurrence may set it.
 */
import type { ShellWord, SimpleCommand } from '@heddle/tools/shell';
import path from 'node:path';
import { leadsAnywhere, once, placesOf, UNKNOWN_CHARACTER } from '../paths/places.ts';
import { hasOtherHome, type PermissionWorld } from '../world.ts';
import { commandWords, unwrap } from './runners.ts';

export interface PossibleValue {
  readonly text: string;
  /** The value is a glob, which the shell replaces by its matches. */
  readonly isGlob: boolean;
}

/** Returns every possible value of a variable when it is expanded. Undefined if unknown. */
export type Variables = (name: string) => readonly PossibleValue[] | undefined;

export const NO_VARIABLES: Variables = () => undefined;

/** The script may set IFS. So the shell may split every value without quotes, also a path: `IFS=/; make -C $PWD`. */
export const SPLIT_ANYWHERE: Variables = () => undefined;

/** Represents an unknown number in a value. No command contains this character. */
export const SOME_NUMBER = '\0';

/** The number of values per variable that are checked. */
const MOST_VALUES = 32;
/** Variables that the shell itself sets or changes. */
const OF_SHELL =
  /^(BASH.*|COMP.*|COPROC.*|DIRSTACK|EPOCH.*|EUID|FUNCNAME|GROUPS|HIST.*|HOST.*|IFS|LINENO|MACHTYPE|MAPFILE|OLDPWD|OPT.*|OSTYPE|PIPESTATUS|PPID|PS\d|PWD|RANDOM|READLINE.*|REPLY|SECONDS|SHELL.*|SHLVL|SRANDOM|UID|_)$/;
/** They run text or a file that may set any variable. */
const RUN_TEXT = /^(eval|source|\.|trap)$/;
/** They set variables whose names are among their words. */
const SETTERS =
  /^(read|mapfile|readarray|getopts|let|declare|typeset|local|export|readonly|unset|command|builtin)$/;
/** `for name in a *.b;` with plain words and globs. */
const LOOP_HEADER = /\bfor\s+(\w+)\s+in((?:[ \t]+[\w./:@%+,*?-]+)+)[ \t]*[;\n]/g;

type VariableWorld = Pick<PermissionWorld, 'environment' | 'home' | 'changesHome'>;

export function knownVariables(
  text: string,
  commands: readonly SimpleCommand[],
  world: VariableWorld,
): Variables {
  if (!/[$`]/.test(text)) return NO_VARIABLES;
  const named = hiddenNames(commands);
  if (changesSplitting(text, commands, named)) return SPLIT_ANYWHERE;
  if (/\bIFS\b/.test(text) || commands.some(setsUnknown)) return NO_VARIABLES;
  const answers = new Map<string, readonly PossibleValue[] | undefined>();
  let uses: VariableUses | undefined;
  return (name) => {
    uses ??= usesIn(text, commands, hasOtherHome(world) ? undefined : world.home);
    // A quoted name is not a mention in the text: `read x\y` sets `xy`.
    if (named.has(name)) return undefined;
    if (!answers.has(name)) answers.set(name, valuesOf(name, uses, world.environment[name]));
    return answers.get(name);
  };
}

/** The state of the shell around a script that is among the words of a command. */
interface Surroundings {
  readonly variables: Variables;
  readonly mentions: Mentions;
  readonly world: PermissionWorld;
}

/** Returns how often a script mentions a name. Undefined if it may set any variable. */
export type Mentions = (name: string) => number | undefined;

/**
 * The variables of a script among the words of a command. Only those that the rest of the command does not mention are known.
 * The shell of the script may have the others from outside.
 */
export function variablesWithin(
  { text, read, isSeparate }: EmbeddedScript,
  { variables, mentions, world }: Surroundings,
): Variables {
  const own = knownVariables(text, read.commands, world);
  if (variables === SPLIT_ANYWHERE || own === SPLIT_ANYWHERE) return SPLIT_ANYWHERE;
  if (!isSeparate || own === NO_VARIABLES) return NO_VARIABLES;
  const within = mentionsIn(text, read.commands);
  return (name) => {
    const around = mentions(name);
    const here = within(name);
    return around === undefined || here === undefined || around > here ? undefined : own(name);
  };
}

interface EmbeddedScript {
  readonly text: string;
  readonly read: { readonly commands: readonly SimpleCommand[] };
  readonly isSeparate: boolean;
}

export function mentionsIn(text: string, commands: readonly SimpleCommand[]): Mentions {
  const count = once(() => {
    const written = countEach(text.match(/\w+/g) ?? []);
    const values = commands.flatMap(commandWords).flatMap(({ value }) => value.match(/\w+/g) ?? []);
    return { written, values: countEach(values), isOpen: commands.some(setsVariablesElsewhere) };
  });
  return (name) => {
    const { written, values, isOpen } = count();
    return isOpen ? undefined : Math.max(written.get(name) ?? 0, values.get(name) ?? 0);
  };
}

/** Returns whether a command may set variables that the text of its script does not mention. */
export function setsVariablesElsewhere(command: SimpleCommand): boolean {
  const words = commandWords(command);
  const isWrittenCode = words[0]?.value === 'eval' && words.every(({ kind }) => kind === 'literal');
  return setsUnknown(command) && !isWrittenCode;
}

/** Returns whether the shell may split words at other characters than blanks. `IFS=: read x` changes only that command. */
function changesSplitting(
  text: string,
  commands: readonly SimpleCommand[],
  named: ReadonlySet<string>,
): boolean {
  // A function with that name would run its commands with the other value.
  const isBuiltin = !commands.some(({ inside }) => inside.includes('function'));
  const assigned = commands.flatMap((command) =>
    command.assignments
      .filter(({ name }) => name === 'IFS')
      .map((assignment) => (isBuiltin && command.name?.value === 'read') || separatesAtBlanks(assignment)),
  );
  const mentions = text.match(/\bIFS\b/g)?.length ?? 0;
  const expansions = Array.from(text.matchAll(EXPANSION)).filter(
    ([, bare, braced]) => (bare ?? braced) === 'IFS',
  );
  return named.has('IFS') || assigned.includes(false) || mentions > assigned.length + expansions.length;
}

/** Returns whether a value of IFS contains only blanks, as by default. */
export function separatesAtBlanks({ value, append }: SimpleCommand['assignments'][number]): boolean {
  return !append && value?.kind === 'literal' && /^[ \t\n]*$/.test(value.value);
}

/** The mentions of variables in a script, by name. */
interface VariableUses {
  /** The number of words with that name. */
  readonly mentions: ReadonlyMap<string, number>;
  readonly expansions: ReadonlyMap<string, number>;
  /** The values of plain assignments. */
  readonly assigned: ReadonlyMap<string, readonly string[]>;
  /** The words of loop headers. */
  readonly loops: ReadonlyMap<string, readonly (readonly string[])[]>;
}

/** `$name` and `${name}`, but not `$name[`. */
const EXPANSION = /\$(?:(\w+)(?![\w[])|\{(\w+)\})/g;

/** The names in the words of commands that are not in their texts: `x\\y` is `xy`. */
function hiddenNames(commands: readonly SimpleCommand[]): ReadonlySet<string> {
  const hidden = new Set<string>();
  for (const command of commands)
    for (const { value, text } of commandWords(command)) {
      if (value === text) continue;
      const written = countEach(text.match(/\w+/g) ?? []);
      for (const [name, count] of countEach(value.match(/\w+/g) ?? []))
        if (count > (written.get(name) ?? 0)) hidden.add(name);
    }
  return hidden;
}

/** The names in the words of commands, as the shell sees them: without quotes. Plain expansions do not count. */
export function namesIn(commands: readonly SimpleCommand[]): ReadonlySet<string> {
  const names = new Set<string>();
  for (const command of commands)
    for (const { value } of commandWords(command))
      for (const name of value.replace(EXPANSION, ' ').match(/\w+/g) ?? []) names.add(name);
  return names;
}

/** Reads the text once, because a script may have many variables. */
function usesIn(text: string, commands: readonly SimpleCommand[], home: string | undefined): VariableUses {
  const assignments = commands.flatMap((command) => command.assignments);
  const assigned = assignments.flatMap(({ name, value, append }) => {
    if (value === undefined || append) return [];
    // `pid=$!`
    if (/^"?\$[?#$!]"?$/.test(value.text)) return [{ name, value: SOME_NUMBER }];
    const known = value.kind === 'literal' ? value.value : valueInHome(value, home);
    return known === undefined ? [] : [{ name, value: known }];
  });
  const loops = Array.from(text.matchAll(LOOP_HEADER), ([, name = '', words = '']) => ({
    name,
    value: words.trim().split(/[ \t]+/),
  }));
  return {
    mentions: countEach(text.match(/\w+/g) ?? []),
    expansions: countEach(Array.from(text.matchAll(EXPANSION), ([, bare, braced]) => bare ?? braced ?? '')),
    assigned: valuesByName(assigned),
    loops: valuesByName(loops),
  };
}

/** Plain text with the home folder, all in one pair of double quotes, or without quotes. */
const IN_HOME = /^(?:"((?:[^"\\$`]|\$HOME\b|\$\{HOME\})*)"|((?:[\w./@%+,-]|\$HOME\b|\$\{HOME\})*))$/;

function valueInHome({ text }: ShellWord, home: string | undefined): string | undefined {
  const [, quoted, bare] = IN_HOME.exec(text) ?? [];
  return home === undefined ? undefined : (quoted ?? bare)?.replaceAll(/\$HOME\b|\$\{HOME\}/g, () => home);
}

function countEach(names: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

function valuesByName<Value>(
  named: readonly { readonly name: string; readonly value: Value }[],
): ReadonlyMap<string, readonly Value[]> {
  const values = new Map<string, Value[]>();
  for (const { name, value } of named) {
    const known = values.get(name);
    if (known) known.push(value);
    else values.set(name, [value]);
  }
  return values;
}

function setsUnknown(command: SimpleCommand): boolean {
  const name = commandWords(command).find(isNoWrapper);
  return (name !== undefined && RUN_TEXT.test(name.value)) || setsUnknownName(command);
}

/** `command -p read x` and `builtin read x` set the same variable. */
function isNoWrapper({ value }: ShellWord): boolean {
  return !/^(?:command|builtin|-.*)$/.test(value);
}

/** Returns whether a builtin sets a variable whose name is known only when it runs: `export $x=y`. */
export function setsUnknownName(command: SimpleCommand): boolean {
  const words = commandWords(command);
  const at = words.findIndex(isNoWrapper);
  const [name, ...args] = words.slice(Math.max(at, 0));
  if (name === undefined) return false;
  const isUnknownName = ({ kind, prefix }: ShellWord): boolean =>
    (kind === 'dynamic' || kind === 'pattern') && !/^\w+\+?=/.test(prefix);
  if (name.value === 'printf') return args.slice(0, 2).some(isUnknownName) && !isFormat(args[0]);
  const isSetter = SETTERS.test(words[0]?.value ?? '') || SETTERS.test(name.value);
  return isSetter && args.some(isUnknownName);
}

/** The option `-v` is not a format: it sets a variable. */
function isFormat(word: ShellWord | undefined): boolean {
  return word?.kind === 'literal' && !word.value.startsWith('-');
}

function valuesOf(
  name: string,
  uses: VariableUses,
  inherited: string | undefined,
): readonly PossibleValue[] | undefined {
  if (OF_SHELL.test(name)) return undefined;
  const assigned = uses.assigned.get(name) ?? [];
  const loops = uses.loops.get(name) ?? [];
  const mentions = uses.mentions.get(name) ?? 0;
  const expansions = uses.expansions.get(name) ?? 0;
  if (mentions !== expansions + assigned.length + loops.length) return undefined;
  const given = inherited === undefined ? [] : [{ text: inherited, isGlob: false }];
  if (assigned.length + loops.length === 0) return inherited === undefined ? undefined : given;
  const listed = loops.flat().map((text) => ({ text, isGlob: /[*?]/.test(text) }));
  const values = [...new Set(assigned)].map((text) => ({ text, isGlob: false })).concat(listed);
  // An assignment may be skipped, or be made in a subshell. The value of `$!` may be empty.
  const mayBeEmpty = inherited === undefined || assigned.includes(SOME_NUMBER);
  const before = mayBeEmpty ? [{ text: '', isGlob: false }, ...given] : given;
  return values.length > MOST_VALUES ? undefined : [...values, ...before];
}

/** The possible working directories. A `cd` may fail, so each one adds a folder. Undefined means any folder. */
export type Folders = readonly string[] | undefined;

const MOST = 16;

const CHANGES_FOLDER = /^(cd|pushd|popd)$/;

export function changesFolder(command: SimpleCommand): boolean {
  const [word] = unwrap(commandWords(command)).at(-1)?.words ?? [];
  return word !== undefined && CHANGES_FOLDER.test(word.value);
}

export function foldersAfter(folders: Folders, command: SimpleCommand, world: PermissionWorld): Folders {
  const [word, ...args] = unwrap(commandWords(command)).at(-1)?.words ?? [];
  const name = word?.value;
  if (!changesFolder(command)) return folders;
  if (name === 'popd' || folders === undefined) return undefined;
  const [target, ...more] = args.filter(({ value }) => value !== '--' && !/^-[LPe@]+$/.test(value));
  if (target === undefined) return name === 'cd' ? [...folders, world.home] : undefined;
  if (more.length > 0 || target.value === '-' || (target.kind !== 'literal' && target.kind !== 'tilde'))
    return undefined;
  if (target.kind === 'tilde' && !/^~(\/|$)/.test(target.value)) return undefined;
  const written = target.kind === 'tilde' ? world.home + target.value.slice(1) : target.value;
  const repeats = command.inside.some((construct) => construct === 'loop' || construct === 'function');
  if (repeats && !path.posix.isAbsolute(written)) return undefined;
  // With CDPATH, a relative name may lead elsewhere, also `.name`.
  if (!/^(\/|\.\.?(\/|$))/.test(written) && world.environment['CDPATH']) return undefined;
  // `cd -P` resolves links before `..`.
  const ways = (folder: string) =>
    written.includes('..')
      ? placesOf(written, [folder], world).flatMap((place) => [place.path, place.real])
      : [path.posix.resolve(folder, written)];
  const moved = new Set([...folders, ...folders.flatMap(ways)]);
  const isUnknown = moved.size > MOST || [...moved].some((folder) => isUnknownFolder(folder, world));
  return isUnknown ? undefined : [...moved];
}

/** The path may mean any folder, or another one in the process of the shell than here. */
function isUnknownFolder(folder: string, world: PermissionWorld): boolean {
  return folder.includes(UNKNOWN_CHARACTER) || leadsAnywhere(folder, world);
}
