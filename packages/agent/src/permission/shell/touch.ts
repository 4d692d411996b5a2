/** What a command does to one file. */
import type { ShellWord } from '@heddle/tools/shell';

export interface Touch {
  readonly kind: 'read' | 'write' | 'remove';
  readonly word: ShellWord;
  readonly deep?: 'all' | 'visible';
  readonly knowledge?: 'named' | 'mentioned';
}

export function touch(kind: Touch['kind'], word: ShellWord, deep?: Touch['deep']): Touch {
  return deep === undefined ? { kind, word } : { kind, word, deep };
}

/** A word that nobody wrote. */
export function literalWord(value: string): ShellWord {
  return { text: value, kind: 'literal', value, prefix: value, plain: true };
}

/** A part of a word, as if it stood alone. */
export function partOfWord(word: ShellWord, value: string): ShellWord {
  const kind = word.kind === 'literal' && /^~(\/|$)/.test(value) ? 'tilde' : word.kind;
  return { ...word, kind, value, text: value, prefix: value };
}

/** Where a program works that is not told where. */
export const HERE: ShellWord = literalWord('.');
