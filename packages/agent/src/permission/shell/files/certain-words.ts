/** Finds the words of a command whose effect is known. All its other words may name a place that it changes. */
import { areReadOnlyWords, type ShellWord } from '@heddle/tools/shell';
import type { PermissionWorld } from '../../world.ts';
import { baseName } from '../runners.ts';
import { readsOperands } from './files-of.ts';
import { isOneKnownWord, isUnderstood } from './option-tables.ts';
import type { Touch } from './touch.ts';

/** Signs between names in one word: `-o type=local,dest=x`, `-c 'w x'`. */
const SEPARATOR = /[\s=:,@|;'"()[\]{}<>]/;

/**
 * Returns the files that a command changes, which are checked as such, and those that it certainly only reads. A word with
 * spaces may be a text with more names.
 */
export function certainWords(
  words: readonly ShellWord[],
  touches: readonly Touch[],
  world: Pick<PermissionWorld, 'environment'>,
): ReadonlySet<ShellWord> {
  const certain = touches.filter(({ knowledge }) => knowledge === undefined);
  const isRead = readsWith(words, world);
  return new Set(
    certain
      .filter(({ kind, word }) =>
        kind === 'read'
          ? isRead(word) && !/\s/.test(word.value)
          : !word.value.startsWith('-') && !SEPARATOR.test(word.value),
      )
      .map(({ word }) => word),
  );
}

/** Returns the check whether a word that the command seems to read has certainly this meaning. */
export function readsWith(
  words: readonly ShellWord[],
  { environment }: Pick<PermissionWorld, 'environment'>,
): (word: ShellWord) => boolean {
  const [name, ...args] = words;
  const program = baseName(name?.value ?? '');
  if (program === 'find') {
    const end = args.findIndex(({ value }) => /^[-(!]/.test(value));
    const folders = end < 0 ? args : args.slice(0, end);
    return (word) => folders.includes(word);
  }
  const isCertain =
    (environment['POSIXLY_CORRECT'] === undefined && isUnderstood(program, args)) ||
    isArchiveModule(program, args) ||
    (readsOperands(program) &&
      args.every((word) => isOneKnownWord(word) && /^([^-+]|\+[FG\d]*$)/.test(word.value))) ||
    // Docker reads no file here, whichever service it asks.
    areReadOnlyWords(words, { environment, isDockerLocal: () => true });
  return () => isCertain;
}

/** `python3 -m zipfile -c a.zip folder`. */
function isArchiveModule(program: string, args: readonly ShellWord[]): boolean {
  const [flag, module = '', option, ...operands] = args.map(({ value }) => value);
  const isModule = /^(python|pypy)[\d.]*$/.test(program) && flag === '-m' && /^(zip|tar)file$/.test(module);
  return isModule && option === '-c' && operands.every((value) => !value.startsWith('-'));
}
