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
