/**
 * Finds scripts that read files whose names come from a text: `xargs cat < list`, `cat $(cat list)`. Such a text can name any
 * file, also one that shows another process. A program that lists the files of a folder prints only names in it.
 */
import path from 'node:path';
import type { ReadCommand, ShellRedirection, SimpleCommand } from '@heddle/tools/shell';
import type { Part } from '../part.ts';
import type { PermissionWorld } from '../world.ts';
import { buildsNames } from './built-names.ts';
import type { PlacedCommand } from './earlier-effects.ts';
import type { WordScope } from './possible-values.ts';
import { baseName, commandWords, feedersIn, unwrap } from './runners.ts';

type Script = Extract<ReadCommand, { ok: true }>;

/** Returns whether the name of a file that the script reads may come from the contents of a file, or be put together. */
export function readsListedNames(
  text: string,
  script: Script,
  parts: readonly Part[],
  placed: readonly PlacedCommand[],
  around: Omit<WordScope, 'folders'>,
): boolean {
  const { commands } = script;
  const unknown = parts.filter((part) => part.kind === 'read' && part.places === undefined && !part.stored);
  if (unknown.length === 0) return false;
  if (takesNamesFromText(script, unknown) || buildsNames(text, script, placed, around)) return true;
  const lists = listersIn(script);
  // With the view, the answer does not matter.
  const { world } = around;
  if (lists.length === 0 || endsAtZero(commands) || world.readOnlyView === true || !world.exists('/proc'))
    return false;
  const starts = placed.flatMap(({ folders }) => folders ?? [world.cwd]);
  return hasSplitFolder(lists, starts.length > 0 ? starts : [world.cwd], world);
}

/** Returns whether a name of an unknown file comes from a text that is more than a list of names. */
export function takesNamesFromText(script: Script, unknown: readonly Part[]): boolean {
  const { commands, redirections } = script;
  // A program that takes the names from a list, or computes them, has no such word.
  if (unknown.some(({ shown }) => LISTED.test(shown))) return true;
  if ([...commands.flatMap((command) => command.redirections), ...redirections].some(isText)) return true;
  return sourcesOfNames(script).some((command) => !printsNames(command));
}

/** Returns the commands that print names of files in folders for other commands. */
export function listersIn(script: Script): readonly SimpleCommand[] {
  return sourcesOfNames(script).filter((command) =>
    /^(?:ls|du|fd|fdfind|find|rg|grep|git)$/.test(programOf(command)),
  );
}

function sourcesOfNames({ commands }: Script): readonly SimpleCommand[] {
  const last = commands.findLastIndex(usesNames);
  return commands.filter((command, index) => {
    const isInside = command.inside.includes('substitution');
    const isBefore = index < last && command.inside.includes('pipeline');
    return isInside || isBefore;
  });
}

function programOf(command: SimpleCommand): string {
  return baseName(commandWords(command)[0]?.value ?? '');
}

/** Every reader of names gets them with a zero byte between them. */
function endsAtZero(commands: readonly SimpleCommand[]): boolean {
  const readers = commands.filter((command) => usesNames(command));
  return readers.every(
    (command) =>
      programOf(command) === 'xargs' &&
      commandWords(command).some(({ value }) => /^(?:-0|-[a-z]*0|--null)$/.test(value)),
  );
}

/** The number of entries that are looked at. Of a larger folder, the names are not known. */
const MOST_ENTRIES = 3_000;

/** A name is split at these. If it is that of a folder, a part may begin with a slash: `a /proc/1/environ`. */
const SPLITS = /[\s'"\\]/;

/** Returns whether a folder that is listed, or one below it, has a name that is split. */
function hasSplitFolder(
  lists: readonly SimpleCommand[],
  starts: readonly string[],
  world: PermissionWorld,
): boolean {
  const named = lists.flatMap((command) =>
    commandWords(command)
      .slice(1)
      .flatMap(({ value }) => starts.map((start) => path.posix.resolve(start, value)))
      .filter((place) => world.exists(`${place}/.`)),
  );
  const open = [...new Set([...starts, ...named])];
  let count = 0;
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const entries = world.entries(at);
    // A name that is not UTF-8 may be one of them.
    if (entries === undefined) return true;
    for (const { name, kind } of entries) {
      if (++count > MOST_ENTRIES || (kind !== 'file' && SPLITS.test(name))) return true;
      if (kind === 'folder') open.push(`${at}/${name}`);
    }
  }
  return false;
}

const LISTED = /^(?:the files of a list|the folders of a list|what the program (?:reads|loads))$/;

function isText(redirection: ShellRedirection): boolean {
  if (redirection.kind === 'file')
    return /^<>?$/.test(redirection.operator) && redirection.target.value !== '/dev/null';
  return redirection.kind === 'here_doc' || redirection.kind === 'here_string';
}

function usesNames(command: SimpleCommand): boolean {
  const words = commandWords(command);
  return (
    words.some(({ kind }) => kind === 'dynamic') ||
    unwrap(words).some(({ more }) => more) ||
    feedersIn(words).length > 0
  );
}

/** Tests and options of `find` that print names, or nothing. Others print more: `-ls` and `-printf` print the texts of links. */
const FIND_WORDS = new RegExp(
  '^-(?:[LHPado]|O\\d|\\d+[a-zA-Z]?|[ugoa]*[-+=,rwxXst]+|print0?|and|or|not|true|false|prune|quit|depth|follow|mount|xdev|' +
    'noleaf|daystart|(?:no)?warn|(?:no)?ignore_readdir_race|m(?:ax|in)depth|i?name|i?path|i?wholename|i?regex|regextype|i?lname|' +
    'x?type|[acm](?:time|min)|anewer|cnewer|newer\\w*|used|size|empty|perm|user|group|uid|gid|nouser|nogroup|readable|writable|' +
    'executable|links|inum|samefile|fstype)$',
);
/** A letter with a value is the last one. Without `-l`, which prints the texts of links. */
const FD_WORDS =
  /^(?:-[HIuLapsiFg01]*(?:[cdeEjoSt].*)?|--(?:hidden|no-ignore(?:-\w+)*|unrestricted|glob|regex|fixed-strings|absolute-path|follow|full-path|prune|print0|(?:case-sensitive|ignore-case)|(?:max-|min-|exact-)?depth(?:=.*)?|(?:type|extension|exclude|size|owner|changed-\w+|max-results|threads|and)(?:=.*)?))$/s;

/** They print names of existing files, or numbers, with these options. With others they print other texts. */
const LISTERS: ReadonlyMap<string, RegExp> = new Map([
  ['ls', /^-[1aAdRStrhpFUXv]+$/],
  ['du', /^-[^-]/],
  ['fd', FD_WORDS],
  ['fdfind', FD_WORDS],
  ['find', FIND_WORDS],
  ['pwd', /^/],
  ['seq', /^-(?:w|\d+)$/],
  ['nproc', /^/],
  // A name without a folder.
  ['basename', /^[^-]/],
]);
/** They print the name that they are given, or names below it. */
const LIST_GIVEN = /^(?:ls|find|basename)$/;
const WHOLE = /^"?\$\{?\w+\}?"?\/?$/;
/** They pass on whole lines of their input. */
const FILTERS = /^(?:sort|uniq|head|tail)$/;
const SHELL_WORDS = /^(?:read|test|\[|true|false|:|cd)$/;

function printsNames(command: SimpleCommand): boolean {
  const words = commandWords(command);
  const [name, ...args] = words;
  if (name === undefined) return true;
  const program = baseName(name.value);
  if (words.some(({ kind, text }) => kind === 'dynamic' && !(LIST_GIVEN.test(program) && WHOLE.test(text))))
    return false;
  const values = args.map(({ value }) => value);
  if (SHELL_WORDS.test(program)) return true;
  const listing = LISTERS.get(program);
  if (listing) return values.every((value) => !value.startsWith('-') || listing.test(value));
  // The names of `du`.
  if (program === 'cut') return values.length === 1 && values[0] === '-f2';
  if (program === 'wc') return values.every((value) => value.startsWith('-') && !value.includes('='));
  if (program === 'git') return listsTracked(values);
  if (/^(?:rg|grep)$/.test(program)) return listsMatches(program, values) || isSelection(values);
  if (FILTERS.test(program))
    return values.every(
      (value, index) =>
        (/^-[\w=]*$/.test(value) && !isCut(program, value)) ||
        (/^\d+$/.test(value) && /^-[nck]$/.test(values[index - 1] ?? '')),
    );
  // Its words are checked for such names as they are.
  return program === 'echo' && values.every((value) => !/\\|^-/.test(value));
}

/** The end of a name may be the name of another file: `a/proc/1/environ`. */
function isCut(program: string, option: string): boolean {
  return /^(?:head|tail)$/.test(program) && option.includes('c');
}

/** Only the first word is certainly an option. */
function listsMatches(program: string, [first = '', ...others]: readonly string[]): boolean {
  const lists =
    program === 'rg' ? /^(?:-[ivwFsu]*l|--files|--files-with-matches)$/ : /^-[rRivwEFsz]*[lL][rR]?$/;
  return (
    lists.test(first) &&
    !others.some((value) => /^--(?!$|(?:include|exclude|exclude-dir|glob|type|hidden)(?:=|$))/.test(value))
  );
}

/** `… | grep -v test`: one pattern, and no file. */
function isSelection(values: readonly string[]): boolean {
  return (
    values.filter((value) => !value.startsWith('-')).length === 1 &&
    values.every((value) => !/^-(?!-).*[ofer]|^--/is.test(value) || value === '-E')
  );
}

const TRACKED_OPTIONS =
  /^(?:-[comdz]+|--|--(?:name-only|cached|staged|others|modified|deleted|exclude-standard|diff-filter=\w+))$/;

function listsTracked(values: readonly string[]): boolean {
  const [verb, ...rest] = values;
  if (verb === 'rev-parse') return rest.every((value) => /^--show-(?:toplevel|prefix|cdup)$/.test(value));
  // Other options may print texts around the names: `--line-prefix=/pr`.
  const isPlain = rest.every((value) => !value.startsWith('-') || TRACKED_OPTIONS.test(value));
  return isPlain && (verb === 'ls-files' || (verb === 'diff' && rest.includes('--name-only')));
}
