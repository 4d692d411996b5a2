/** One access of a command to a file. */
import type { ShellWord } from '@heddle/tools/shell';
import type { PrintingSetting } from '../../git-printing.ts';
import type { Selection } from '../../paths/walk-tree.ts';
import { omitUndefined } from '@heddle/core';

export interface Touch {
  readonly kind: 'read' | 'write' | 'remove';
  readonly word: ShellWord;
  readonly deep?: 'all' | 'visible';
  /** For a deep read: only files whose names end so are read, also hidden ones. */
  readonly endings?: readonly string[];
  /** A test selects some of the files below. */
  readonly picks?: boolean;
  /** For a change that `find` makes. */
  readonly selects?: Selection;
  readonly knowledge?: 'named' | 'mentioned';
  /** Git shows stored versions of the files below: of the tracked ones, or of all that were ever tracked. */
  readonly stored?: 'tracked' | 'history';
  /** Git replaces the files instead of showing them. Only rules about edits concern it. */
  readonly rewrites?: boolean;
  /** The access happens only if this setting of git is on there. */
  readonly setting?: PrintingSetting;
  /** The access happens unless git takes each of these names for a commit. Paths in a tree of files start elsewhere. */
  readonly revisions?: readonly string[];
  /** A name that exists as a file is not a revision. */
  readonly prefersPaths?: boolean;
  /** Git reads the tracked files in the working tree, also through links above them. */
  readonly readsTree?: boolean;
  /** The access concerns the whole repository around it. */
  readonly whole?: boolean;
  /** The access happens only if this is a folder. */
  readonly within?: ShellWord;
  /** The program makes that folder if it is missing. */
  readonly makesWithin?: boolean;
  /** If it is a folder, existing files below it may also be read. */
  readonly deepIfFolder?: boolean;
  /** With `deepIfFolder`: the program is known to read the files of a folder, also if it is not known whether the word names one. */
  readonly readsFolders?: boolean;
  /** For a deep read or a copy: links below are not followed. Every other deep read may follow them. */
  readonly staysInTree?: boolean;
  /** For a read: only lines of text are shown, and nothing of compressed files. */
  readonly isText?: boolean;
  /** For a deep read: folders with the name `.git` are left out. */
  readonly skipsGit?: boolean;
  /** For a deep read: folders with the name `node_modules` are left out. */
  readonly skipsModules?: boolean;
  /** For a removal: the file is written elsewhere. */
  readonly moves?: boolean;
  /** For a write: the names that this glob matches are written in the folder `within`. */
  readonly namesOf?: ShellWord;
  /** For a write: the file is replaced, not opened. A device is replaced, too. */
  readonly replaces?: boolean;
  /** The access happens only if this glob of the shell matches nothing. */
  readonly unlessMatched?: ShellWord;
  /** For a write: files with unknown names are added to the folder. */
  readonly fills?: boolean;
  /** For a write: the whole content of this folder is copied there. */
  readonly copyOf?: ShellWord;
  /** For such a copy: in an existing folder, it gets the name of the source. Otherwise the content may be merged. */
  readonly keepsName?: boolean;
  /** For a write: a file beside it is written, or beside each file below it. */
  readonly replacedEnds?: ReplacedEnds;
  /** The access happens only if this is, or contains, a submodule. */
  readonly submodule?: ShellWord;
  /** The program decodes backslash codes in the name, so a name with one may mean any file. */
  readonly decodes?: boolean;
  /** Git stores files of the working tree around the word, and does not read the word itself. */
  readonly adds?: Addition;
  /** A relative path starts at the top of the repository around this folder. */
  readonly fromTopOf?: ShellWord;
}

/** The files of the working tree that git stores. */
export interface Addition {
  /** The files besides tracked ones: none, those that git does not ignore, or all. */
  readonly untracked: 'none' | 'shown' | 'all';
  /** Undefined: all files of the repository. */
  readonly pathspecs: readonly ShellWord[] | undefined;
  /** Names match in any case. */
  readonly ignoresCase: boolean;
}

/** Returns the accesses of a program with these arguments. */
export type FilesOfProgram = (args: readonly ShellWord[]) => Touch[];

/** The name of a written file is that of an existing one with another end: `gunzip a.gz` writes `a`. */
export interface ReplacedEnds {
  readonly dropped: readonly string[];
  readonly added: readonly string[];
  /** The ends that the program adds by default. No protected place has one of them. */
  readonly usual: readonly string[];
  /** It applies to all files below a folder. */
  readonly isDeep: boolean;
  /** It applies to those of the files below that a search selects. */
  readonly selects?: Pick<Selection, 'mayMatch' | 'skipsHidden'>;
  /** Files without one of the dropped ends stay as they are. */
  readonly keepsOthers: boolean;
}

export function touch(
  kind: Touch['kind'],
  word: ShellWord,
  deep?: Touch['deep'],
  more: Omit<Touch, 'kind' | 'word' | 'deep'> = {},
): Touch {
  return { kind, word, ...omitUndefined({ deep }), ...more };
}

/** `cp a b` writes `b/a` if `b` is a folder. */
export function writeInside(target: ShellWord, source: ShellWord): Touch {
  const names = source.kind === 'pattern' ? { namesOf: source } : {};
  return { kind: 'write', word: wordInside(target, source), within: target, ...names };
}

/** Returns the whole path of `source` below the folder `target`, as `cp --parents` writes it. */
export function pathInside(target: ShellWord, source: ShellWord): ShellWord {
  if (target.kind === 'dynamic' || source.kind === 'dynamic')
    return unknownWord(`${target.text}/${source.text}`);
  const value = `${target.value.replace(/(?<!\/)\/+$/, '')}/${source.value.replace(/^~?\/+/, '')}`;
  return { ...partOfWord(target, value), kind: source.kind === 'pattern' ? 'pattern' : target.kind };
}

/** Creates a word that is not in the script. */
export function literalWord(value: string): ShellWord {
  return { text: value, kind: 'literal', value, prefix: value, plain: true, single: true, begins: value };
}

/** Creates a word with an unknown value. */
export function unknownWord(text: string): ShellWord {
  return { text, kind: 'dynamic', value: text, prefix: '', plain: false, single: false, begins: '' };
}

/** Returns a part of a word as a separate word. */
export function partOfWord(word: ShellWord, value: string): ShellWord {
  const kind = word.kind === 'literal' && /^~(\/|$)/.test(value) ? 'tilde' : word.kind;
  return { ...word, kind, value, text: value, prefix: value, becomes: undefined };
}

/** Returns the word with an end that a program adds to a name. */
export function completedWord(word: ShellWord, end: string): ShellWord {
  return word.kind === 'dynamic' ? word : partOfWord(word, word.value + end);
}

/** Returns the path of `source` in the folder `target`. The contents of a folder (`a/.`) have unknown names. */
export function wordInside(target: ShellWord, source: ShellWord): ShellWord {
  if (target.kind === 'dynamic' || source.kind === 'dynamic' || /(^|\/)\.$/.test(source.value))
    return unknownWord(`${target.text}/${source.text}`);
  const name = source.value.replace(/(?<!\/)\/+$/, '');
  const value = `${target.value.replace(/(?<!\/)\/+$/, '') || '/'}/${name.slice(name.lastIndexOf('/') + 1)}`;
  const kind = source.kind === 'pattern' ? 'pattern' : target.kind;
  return { ...partOfWord(target, value), kind };
}

/** The default folder of a program without a path. */
export const HERE: ShellWord = literalWord('.');
