/**
 * The words of make, as GNU make and BSD make read them. Each word with a `=` may set a variable, also after an option that
 * takes no value. Its name can contain blanks around it and almost any character, and make expands it. So only plain names and
 * values are accepted, and everything else counts as a word with which make runs a command.
 */
import type { ShellWord } from '@heddle/tools/shell';
import { readToolWords, type ToolOption } from '../rules/make-options.ts';
import { mayContainCode } from './code-variables.ts';
import { partOfWord } from './files/touch.ts';

const MAKE = /^(?:[bdfgnps]|bsd|re|color|(?:[\w.]+-)*mingw(?:32|64)-)?make(?:-?\d[\d.]*)?(?:\.exe)?$/;
/** They expand variables in all of their words. */
const BSD_MAKE = /^(?:b|f|p|bsd)make(?:-?\d[\d.]*)?$/;

/** Returns whether a program reads makefiles, and its words as make does. */
export function isMake(program: string): boolean {
  return MAKE.test(program);
}

/** Returns the words that make gets: all of its own, and those of `cmake --build x` after two dashes. */
export function wordsForMake(program: string, args: readonly ShellWord[]): readonly ShellWord[] | undefined {
  if (isMake(program)) return args;
  const end = program === 'cmake' ? args.findIndex(({ value }) => value === '--') : -1;
  return end < 0 ? undefined : args.slice(end + 1);
}

/** Variables with which make runs another shell, reads other makefiles, or gets more options. */
const MAKE_SETTING =
  /^(?:SHELL(?:FLAGS)?|COMSPEC|MAKE|MAKE_COMMAND|MAKESHELL|(?:GNU)?MAKEFLAGS|MFLAGS|MAKEFILES|MAKEFILE_LIST|MAKEOVERRIDES|MAKESYSPATH)$/;
/** Make has special variables that begin with a dot. */
const PLAIN_NAME = /^\w[\w.-]*$/;

interface Definition {
  readonly name: string;
  /** `!=` runs its value. */
  readonly operator: string;
  readonly value: string;
}

function definitionIn(word: string): Definition | undefined {
  const at = word.indexOf('=');
  if (at < 0) return undefined;
  const [, name = '', operator = ''] = /^(.*?)(:{1,3}|[+?!])?$/s.exec(word.slice(0, at)) ?? [];
  return { name: name.trim(), operator: `${operator}=`, value: word.slice(at + 1).trim() };
}

/** Returns a word that sets a variable in its shortest form: `CC=x` for ` CC := x`. Other words stay the same. */
export function plainDefinition(word: string): string {
  const { name, value } = definitionIn(word) ?? {};
  return name === undefined || word.startsWith('-') ? word : `${name}=${value}`;
}

/** In a word with an unknown value, `$` may belong to the shell. */
function setsCommand({ kind, value: word }: ShellWord): boolean {
  const definition = definitionIn(word);
  if (definition === undefined) return false;
  const { name, operator, value } = definition;
  if (!PLAIN_NAME.test(name) || operator === '!=' || MAKE_SETTING.test(name)) return true;
  if (kind === 'literal' ? /[$`]/.test(value) : /\$[({]|`/.test(value)) return true;
  // The commands of a makefile get the variable in their environment.
  return mayContainCode(name, kind === 'literal' ? value : undefined);
}

/** Returns a word with which make runs a command: `--eval=…`, or a variable that is run or expanded. */
export function findMakeCommand(program: string, args: readonly ShellWord[]): ShellWord | undefined {
  const end = args.findIndex(({ value }) => value === '--');
  const evaluated = new Set(optionsOf(args, 'E').map(({ at }) => at));
  return args.find((word, index) => {
    if (BSD_MAKE.test(program) && word.kind === 'literal' && /[$`]/.test(word.value)) return true;
    const isOption = word.value.startsWith('-') && (end < 0 || index <= end);
    return isOption ? evaluated.has(index) : setsCommand(word);
  });
}

/** Returns the makefiles that options name. */
export function makefilesOf(args: readonly ShellWord[]): readonly ShellWord[] {
  return optionsOf(args, 'f').flatMap(({ at, value, valueAt }): readonly ShellWord[] => {
    const word = args[valueAt];
    if (word === undefined || value === undefined) return [];
    return [at === valueAt ? partOfWord(word, value) : word];
  });
}

function optionsOf(args: readonly ShellWord[], name: string): readonly ToolOption[] {
  const words = readToolWords(
    'make',
    args.map(({ value }) => value),
  );
  return words?.options.filter((option) => option.name === name) ?? [];
}
