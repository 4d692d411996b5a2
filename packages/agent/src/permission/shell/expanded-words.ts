/** Replaces the words of a command by the words that the shell expands them to, as far as these are known. */
import type { ShellWord } from '@heddle/tools/shell';
import { expandBraces } from './files/operands.ts';
import { literalWord, unknownWord } from './files/touch.ts';
import { namesFoundBy, possibleValues, type WordScope } from './possible-values.ts';
import { SOME_NUMBER } from './shell-state.ts';

/** Returns the same list if there is nothing to replace, because results are cached by list. */
export function expandedWords(words: readonly ShellWord[], scope: WordScope): readonly ShellWord[] {
  if (words.every(({ kind }) => kind === 'literal' || kind === 'tilde')) return words;
  const end = words.findIndex(({ value }) => value === '--');
  const expanded = words.flatMap((word, index): readonly ShellWord[] => {
    if (word.kind === 'pattern' && (end < 0 || index < end)) return [...optionsFoundBy(word, scope), word];
    return expandBraces(word);
  });
  return expanded.length === words.length && expanded.every((word, index) => word === words[index])
    ? words
    : expanded;
}

/** A file with the name of an option becomes an option of the command: `grep x *` with a file `-r`. */
function optionsFoundBy(word: ShellWord, scope: WordScope): readonly ShellWord[] {
  if (word.becomes?.every(({ begins }) => /^[^-]/.test(begins))) return [];
  const names = possibleValues(word, scope)?.map(({ text, isGlob }) =>
    isGlob ? namesFoundBy(text, scope) : [text],
  );
  return (
    names?.flatMap((found) =>
      found === undefined
        ? [unknownWord(word.text)]
        : found.filter((name) => name.startsWith('-')).map(literalWord),
    ) ?? [unknownWord(word.text)]
  );
}

/** The number of combinations of values for one command. */
const MOST_VARIANTS = 256;
/** Each combination is looked at as a command of its own. */
const WORDS_PER_STEP = 16;

type WordLists = readonly (readonly ShellWord[])[];

/**
 * Returns the words with each combination of values that variables, globs and braces may have. A word with an unknown value
 * stays as it is. If there are too many combinations, each value is in one of them.
 */
export function wordVariants(words: readonly ShellWord[], scope: WordScope): WordLists {
  if (isPlain(words)) return [words];
  const choices = words.map((word) => choicesFor(word, scope));
  const combinations = combinationsOf(choices, scope);
  if (combinations !== undefined) return combinations;
  const first = choices.map(([choice = []]) => choice);
  const count = choices.reduce((sum, { length }) => sum + length, 0);
  scope.world.spend?.(Math.floor((count * words.length) / WORDS_PER_STEP));
  return choices.flatMap((each, at) => each.map((choice) => first.with(at, choice).flat()));
}

function isPlain(words: readonly ShellWord[]): boolean {
  return words.every(({ kind }) => kind === 'literal' || kind === 'tilde');
}

/** Returns each list with one choice for each word. Undefined if there are too many. */
export function combinationsOf(choices: readonly WordLists[], { world }: WordScope): WordLists | undefined {
  const count = choices.reduce((product, { length }) => product * length, 1);
  world.spend?.(Math.min(count, MOST_VARIANTS));
  if (count > MOST_VARIANTS) return undefined;
  world.spend?.(Math.floor((count * choices.length) / WORDS_PER_STEP));
  return choices
    .reduce<readonly (readonly ShellWord[])[][]>(
      (made, each) => made.flatMap((before) => each.map((choice) => [...before, choice])),
      [[]],
    )
    .map((lists) => lists.flat());
}

/** Returns the lists of words that a word may become. */
function choicesFor(word: ShellWord, scope: WordScope): readonly (readonly ShellWord[])[] {
  if (word.kind === 'literal' || word.kind === 'tilde') return [[word]];
  const braces = expandBraces(word);
  if (braces.length !== 1 || braces[0] !== word) return [braces];
  const found = (possibleValues(word, scope) ?? []).map(({ text, isGlob }) => {
    const names = isGlob ? (namesFoundBy(text, scope) ?? []) : [text];
    // The shell passes a glob without matches as it is.
    return (names.length > 0 ? names : [text]).map(literalWord);
  });
  const known = found.filter(({ length }) => length > 0);
  return known.length > 0 ? known : [[word]];
}

/** The number of commands that one command with variables may become. */
const MOST_COMMANDS = 32;

/**
 * Returns the words that the program may get: each variable with each of its values, each glob with its matches. Options and
 * names of commands may be among them: `o=-exec; find . $o x`, `git p?sh`. Values that can only be names of files are
 * represented by one of them. Undefined if there are too many combinations.
 */
export function commandsByValue(
  words: readonly ShellWord[],
  scope: WordScope,
): readonly (readonly ShellWord[])[] | undefined {
  if (words.every(({ kind }) => kind === 'literal' || kind === 'tilde')) return [];
  let made: readonly (readonly ShellWord[])[] = [[]];
  for (const word of words) {
    const choices = valuesFor(word, scope);
    made = made.flatMap((before) => choices.map((choice) => before.concat(choice)));
    if (made.length > MOST_COMMANDS) return undefined;
  }
  return made;
}

function valuesFor(word: ShellWord, scope: WordScope): readonly (readonly ShellWord[])[] {
  if (word.kind === 'literal' || word.kind === 'tilde') return [[word]];
  const braces = expandBraces(word);
  if (braces.length !== 1 || braces[0] !== word) return [braces];
  const values = possibleValues(word, scope);
  if (values === undefined) return [[word]];
  const lists = values.map(({ text, isGlob }) => {
    const found = isGlob ? namesFoundBy(text, scope) : [text];
    if (found === undefined) return [word];
    // The shell passes a glob without a match as it is.
    if (found.length === 0) return [word.kind === 'dynamic' ? valueWord(text) : word];
    return fewNames(found).map(valueWord);
  });
  const isQuoted = /["']/.test(word.text);
  const given = lists.map((list) => list.filter(({ value }) => value !== '' || isQuoted));
  const [plain, other] = [given.filter(isPlainFile), given.filter((list) => !isPlainFile(list))];
  return [...plain.slice(0, 1), ...other];
}

function valueWord(text: string): ShellWord {
  return literalWord(text.replaceAll(SOME_NUMBER, '1'));
}

/** A name with a dot or a slash, which is not an option, a setting, or the name of a command. */
const FILE_NAME = /^(?:\.\/)?\w[\w-]*[./][\w./-]*$/;

function isPlainFile([word, ...rest]: readonly ShellWord[]): boolean {
  return rest.length === 0 && word !== undefined && FILE_NAME.test(word.value);
}

/** Sorts the matches of a glob as the shell does, and leaves out names of files after the first one. */
function fewNames(names: readonly string[]): readonly string[] {
  return names.toSorted().filter((name, index) => index === 0 || !FILE_NAME.test(name));
}
