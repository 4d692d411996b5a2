/**
 * Finds scripts whose words may become the name of a file that shows another process, or of a device, although no word is that
 * name: `x=/p; cat ${x}roc/1/e*n`. A word that can be computed is checked as the path that it becomes. Any other word must
 * be one unknown text with a plain rest: `$f`, `"$dir"/name`, `src/$f`, `$f.ts`.
 */
import type { ReadCommand, ShellWord, SimpleCommand } from '@heddle/tools/shell';
import { GLOB_OPTIONS } from '../paths/glob.ts';
import { isSink, placesOf, tildeExpanded } from '../paths/places.ts';
import { literalSegments, segmentsMeet, segmentsOf } from '../paths/segments.ts';
import type { PlacedCommand } from './earlier-effects.ts';
import { possibleValues, type WordScope } from './possible-values.ts';
import { baseName, commandWords, inputPlaceholders } from './runners.ts';
import { changesFolder, separatesAtBlanks, SOME_NUMBER, type Variables } from './shell-state.ts';

type Script = Extract<ReadCommand, { ok: true }>;

/** Returns whether a word of the script may be, or begin, such a name. */
export function buildsNames(
  text: string,
  script: Script,
  placed: readonly PlacedCommand[],
  { variables, world }: Omit<WordScope, 'folders'>,
): boolean {
  const { commands, loopWords } = script;
  if (commands.some(setsUnseen)) return true;
  const looped = loopAround(text);
  const known: Variables = (name) => {
    const values = variables(name);
    return name === looped ? values?.filter((value) => value.text !== '') : values;
  };
  const all = [...new Set([world.cwd, ...placed.flatMap(({ folders }) => folders ?? ['/'])])];
  const scope: WordScope = { variables: known, world, folders: all };
  return (
    placed.some(({ command, folders = ['/'] }) => {
      const placeholders = placeholdersIn(command);
      // The values of other words may be used in any folder. One that is not known may be the root folder.
      const there = changesFolder(command) ? { ...scope, folders } : scope;
      return wordsOf(command).some((word) => mayBuild(word, placeholders, there));
    }) || [...redirected(script), ...loopWords].some((word) => mayBuild(word, [], scope))
  );
}

/** `for x in a *; do … done`, with nothing around it. There the variable is never empty. */
const WHOLE_LOOP =
  /^\s*for\s+(\w+)\s+in[ \t]+[\w./*][^;\n]*[;\n]\s*do\b(?:(?!\bdone\b).)*(?:[;\s]*\bdone\b)+\s*$/s;

function loopAround(text: string): string | undefined {
  return GLOB_OPTIONS.test(text) ? undefined : WHOLE_LOOP.exec(text)?.[1];
}

/** The texts that `find` and `xargs` replace by names: `{}`, and the value of `xargs -I`. */
export function placeholdersIn(command: SimpleCommand): readonly string[] {
  const words = commandWords(command);
  const isFed = words.some(({ value }) => baseName(value) === 'xargs');
  return isFed ? ['{}', ...inputPlaceholders(words)] : ['{}'];
}

/** It sets an array, adds to a value, or splits values at characters other than spaces. */
export function setsUnseen({ assignments }: SimpleCommand): boolean {
  return assignments.some(
    (each) => each.append || each.value === undefined || (each.name === 'IFS' && !separatesAtBlanks(each)),
  );
}

export function wordsOf(command: SimpleCommand): readonly ShellWord[] {
  return [...commandWords(command), ...command.assignments.flatMap(({ value }) => value ?? [])];
}

export function redirected({ commands, redirections }: Script): readonly ShellWord[] {
  return [...commands.flatMap((command) => command.redirections), ...redirections].flatMap((redirection) =>
    'target' in redirection ? [redirection.target] : [],
  );
}

function mayBuild(word: ShellWord, placeholders: readonly string[], scope: WordScope): boolean {
  if (placeholders.some((one) => word.value.includes(one))) {
    const text = placeholders.reduce((left, one) => left.replaceAll(one, UNKNOWN), word.value);
    // The placeholder itself, after its option.
    return text !== UNKNOWN && textsIn(withoutValues(text)).some((one) => mayComplete(one, scope));
  }
  const values = possibleValues(word, scope, 'any star');
  if (values !== undefined)
    return values.some(({ text }) => textsIn(text).some((one) => mayLead(one, scope)));
  return textsIn(withoutValues(word.text)).some((text) => mayComplete(text, scope));
}

/** Without quotes, the shell splits a value at blanks. */
export function textsIn(text: string): readonly string[] {
  return text.split(/\s+/).filter((one) => one !== '');
}

/** Expansions that may be any text: a variable or a substitution. */
const EXPANSION = /\$\(\([^()]*\)\)|[$<]\([^()]*\)|`[^`]*`|\$\{(?!_\})\w+\}|\$(?!_\b)\w+|\$[?#!@*-]/g;
/** A character that no shell word contains. */
export const UNKNOWN = '\uffff';

/** Returns a text without quotes, and with one character for each expansion. */
export function withoutValues(text: string): string {
  let bare = text;
  for (let before = ''; bare !== before; ) {
    before = bare;
    bare = bare.replace(EXPANSION, UNKNOWN);
  }
  return bare.replace(/["'\\]/g, '');
}

/** Names before the unknown text, the text, and the rest, which begins a new name or cannot complete one. */
const ONE_UNKNOWN = /^([^\uffff]*)\uffff((?:[/.:,@=+%)-][^\uffff]*)?)$/;

/** Returns whether a text with unknown parts may complete such a name. An unknown part is not `..`, unless a word is. */
function mayComplete(text: string, scope: WordScope): boolean {
  // A changed value, another folder than the home folder, or a choice of texts around an unknown one.
  if (/[$`]|^~[^/]/.test(text)) return true;
  if (!text.includes(UNKNOWN)) return mayLead(text.replace(/\{[^{}]*\}/g, '*'), scope);
  const [whole, before = '', rest = ''] = ONE_UNKNOWN.exec(text) ?? [];
  if (whole === undefined || /\{[^}]/.test(text)) return true;
  // `/$x` is in the root folder, and `.$x` may be `..`.
  if (/^\/+[^/]*$/.test(before.replace(/\/\.?(?=\/)/g, '')) || UPWARD.test(before)) return true;
  if (/^\.(?:\/|$)/.test(rest) || UPWARD.test(rest)) return true;
  return mayLead(before, scope) || mayLead(before + rest, scope);
}

const UPWARD = /(?:^|[/=:,])(?:\.\.(?:\/|$)|\.$)/;

/** Files of processes and of the kernel, and devices. Without those of `/sys` that have plain contents. */
const SHOWING = 'proc/** dev/** sys sys/kernel/** sys/fs/** sys/firmware/** sys/power/** sys/hypervisor/**'
  .split(' ')
  .map((pattern) => segmentsOf(pattern, true));

/** Returns whether a text, read as a path or as a glob, leads to such files. The value of an option is such a text, too. */
function mayLead(text: string, scope: WordScope): boolean {
  const [, value = ''] = /^-[^/=]*?=?((?:\/|\.\.).*)$/s.exec(text) ?? [];
  return leads(text, scope) || (value !== '' && leads(value, scope));
}

function leads(text: string, { folders = [], world }: WordScope): boolean {
  const written = tildeExpanded(text.replaceAll(SOME_NUMBER, '*'), world.home);
  if (written === '' || isSink(written, 'read')) return false;
  const at = written.search(/[*?[(+@!]/);
  const end = at < 0 ? written.length : written.lastIndexOf('/', at) + 1;
  const [start, rest] = [written.slice(0, end), written.slice(end)];
  if (/(?:^|\/)\.\.(?:\/|$)/.test(rest)) return true;
  if (rest === '' && !start.includes('/') && folders.every((folder) => folder !== '/')) return false;
  // A path that climbs may begin in any folder.
  const from = start.includes('..') ? [...folders, '/'] : folders;
  return placesOf(start === '' ? '.' : start, from, world).some((place) =>
    [place.path, place.real].some((path) => {
      const segments = [...literalSegments(path), ...segmentsOf(rest)];
      return segments.length > 0 && SHOWING.some((showing) => segmentsMeet(segments, showing, true));
    }),
  );
}
