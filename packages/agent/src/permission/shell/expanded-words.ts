/** Replaces the words of a command by the words that the shell expands them to, as far as these are known. */
import type { ShellWord } from '@heddle/tools/shell';
import { expandBraces } from './files/operands.ts';
import { literalWord, unknownWord } from './files/touch.ts';
import { namesFoundBy, possibleValues, type WordScope } from './possible-values.ts';

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

/**
 * Returns the words with each combination of values that variables, globs and braces may have. A word with an unknown value
 * stays as it is. If there are too many combinations, each value is in one of them.
 */
export function wordVariants(
  words: readonly ShellWord[],
  scope: WordScope,
): readonly (readonly ShellWord[])[] {
  if (words.every(({ kind }) => kind === 'literal' || kind === 'tilde')) return [words];
  const choices = words.map((word) => choicesFor(word, scope));
  const count = choices.reduce((product, { length }) => product * length, 1);
  scope.world.spend?.(Math.min(count, MOST_VARIANTS));
  const first = choices.map(([choice = []]) => choice);
  if (count > MOST_VARIANTS)
    return choices.flatMap((each, at) => each.map((choice) => first.with(at, choice).flat()));
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
  const found = (possibleValues(word, scope) ?? []).map(({ text, isGlob }) =>
    (isGlob ? (namesFoundBy(text, scope) ?? []) : [text]).map(literalWord),
  );
  const known = found.filter(({ length }) => length > 0);
  return known.length > 0 ? known : [[word]];
}
