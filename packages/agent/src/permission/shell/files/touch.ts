/** What a command does to one file. */
import type { ShellWord } from '@heddle/tools/shell';

export interface Touch {
  readonly kind: 'read' | 'write' | 'remove';
  readonly word: ShellWord;
  readonly deep?: 'all' | 'visible';
  /** Of all that lies below only what some test picks. */
  readonly picks?: boolean;
  readonly knowledge?: 'named' | 'mentioned';
  /** Git shows what it stored of the files below: of those that are tracked now, or ever were. */
  readonly stored?: 'tracked' | 'history';
  /** Of the whole repository around it. */
  readonly whole?: boolean;
  /** It is touched only where this is a folder. */
  readonly within?: ShellWord;
}

export function touch(kind: Touch['kind'], word: ShellWord, deep?: Touch['deep']): Touch {
  return deep === undefined ? { kind, word } : { kind, word, deep };
}

/** `cp a b` writes `b/a` where `b` is a folder. */
export function writeInside(target: ShellWord, source: ShellWord): Touch {
  return { kind: 'write', word: wordInside(target, source), within: target };
}

/** A word that nobody wrote. */
export function literalWord(value: string): ShellWord {
  return { text: value, kind: 'literal', value, prefix: value, plain: true, single: true, begins: value };
}

/** A word that nobody can know before it is there. */
export function unknownWord(text: string): ShellWord {
  return { text, kind: 'dynamic', value: text, prefix: '', plain: false, single: false, begins: '' };
}

/** A part of a word, as if it stood alone. */
export function partOfWord(word: ShellWord, value: string): ShellWord {
  const kind = word.kind === 'literal' && /^~(\/|$)/.test(value) ? 'tilde' : word.kind;
  return { ...word, kind, value, text: value, prefix: value, becomes: undefined };
}

/** The name that `source` gets in the folder `target`. What a folder holds (`a/.`) brings names that nobody sees here. */
export function wordInside(target: ShellWord, source: ShellWord): ShellWord {
  if (target.kind === 'dynamic' || source.kind === 'dynamic' || /(^|\/)\.$/.test(source.value))
    return unknownWord(`${target.text}/${source.text}`);
  const name = source.value.replace(/\/+$/, '');
  const value = `${target.value.replace(/\/+$/, '') || '/'}/${name.slice(name.lastIndexOf('/') + 1)}`;
  const kind = source.kind === 'pattern' ? 'pattern' : target.kind;
  return { ...partOfWord(target, value), kind };
}

/** Where a program works that is not told where. */
export const HERE: ShellWord = literalWord('.');
