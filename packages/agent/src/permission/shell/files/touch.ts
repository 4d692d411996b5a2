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
  /** If it is a folder, files below it may be read, too. Only those that exist count. */
  readonly deepIfFolder?: boolean;
  /** Of a deep read: links below are not followed. Every other deep read may follow them. */
  readonly staysInTree?: boolean;
  /** Of a removal: the same is written elsewhere. */
  readonly moves?: boolean;
  /** Of a write: everything in this folder is copied there. */
  readonly copyOf?: ShellWord;
  /** A relative path counts from the top of the repository around this folder. */
  readonly fromTopOf?: ShellWord;
}

export function touch(
  kind: Touch['kind'],
  word: ShellWord,
  deep?: Touch['deep'],
  more: Omit<Touch, 'kind' | 'word' | 'deep'> = {},
): Touch {
  return { kind, word, ...(deep === undefined ? {} : { deep }), ...more };
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

/** `--files0-from=list`: the files whose names are in the list, and the list itself. Beginnings of the option count. */
export function listedFiles(args: readonly ShellWord[]): Touch[] {
  return args.flatMap((word, index) => {
    const [option, attached] = /^--fil[\w-]*(?:=(.*))?$/s.exec(word.value) ?? [];
    if (option === undefined) return [];
    const list = attached === undefined ? args[index + 1] : partOfWord(word, attached);
    return [...(list ? [touch('read', list)] : []), touch('read', unknownWord('the files of a list'))];
  });
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
