/**
 * Finds the files that the user's start-up files load: `source ~/ros2_ws/install/setup.bash` in `~/.bashrc`. A shell or an editor runs
 * them at its next start, so a change to one of them is a change to the start-up file.
 */
import { statSync } from 'node:fs';
import path from 'node:path';
import { readBoundedFile } from '@heddle/tools/git';
import { isAtOrBelow } from './places.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const IN_HOME =
  '.bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .zshrc .zshenv .zprofile .zlogin .zlogout .kshrc .mkshrc .cshrc .tcshrc .login ' +
  '.xprofile .xinitrc .xsession .xsessionrc .inputrc .vimrc .gvimrc .vim/vimrc .exrc .emacs .emacs.d/init.el .tmux.conf .screenrc .gdbinit .lldbinit ' +
  '.ssh/config .psqlrc .sqliterc .muttrc';
const IN_ZSH = '.zshrc .zshenv .zprofile .zlogin .zlogout';
const IN_CONFIG =
  'fish/config.fish nvim/init.vim nvim/init.lua vim/vimrc tmux/tmux.conf emacs/init.el zsh/.zshrc git/bashrc nushell/config.nu';

/** Larger files, and more of them, are generated or contain no further names. */
const MOST_BYTES = 256 * 1024;
const MOST_FILES = 64;
const MOST_LETTERS = 4096;
const MOST_NAME = 1024;

/** Returns the absolute names of loaded files and folders, also missing ones. A loaded file of the user may load others. */
export function sourcedFiles(home: string, environment: Environment): readonly string[] {
  const { ZDOTDIR: zsh = home, XDG_CONFIG_HOME: config = path.join(home, '.config') } = environment;
  const among = (folder: string, names: string): readonly string[] =>
    names.split(' ').map((name) => path.join(folder, name));
  const queue = new Set([...among(home, IN_HOME), ...among(zsh, IN_ZSH), ...among(config, IN_CONFIG)]);
  const found = new Set<string>();
  let read = 0;
  for (const file of queue) {
    const names = namesIn(file, { ...environment, HOME: home, ZDOTDIR: zsh, XDG_CONFIG_HOME: config });
    if (names.length > 0 && ++read > MOST_FILES) break;
    for (const name of names) {
      found.add(name);
      // A new element of a set is visited as well.
      if (name.startsWith(`${home}/`)) queue.add(name);
    }
  }
  return [...found];
}

const known = new Map<string, { readonly stamp: string; readonly names: readonly string[] }>();

/** Remembers a file while it does not change, because each decision needs its names. */
function namesIn(file: string, environment: Environment): readonly string[] {
  const stamp = stampOf(file);
  if (stamp === undefined) return [];
  const key = `${environment['HOME']}\0${file}`;
  const earlier = known.get(key);
  if (earlier?.stamp === stamp) return earlier.names;
  const content = readBoundedFile(file, MOST_BYTES);
  const names = content.kind === 'read' ? loadedNames(content.bytes.toString('utf8'), environment) : [];
  known.set(key, { stamp, names });
  return names;
}

function stampOf(file: string): string | undefined {
  try {
    const stats = statSync(file, { throwIfNoEntry: false });
    return stats?.isFile() === true
      ? `${stats.ino} ${stats.size} ${stats.mtimeMs} ${stats.ctimeMs}`
      : undefined;
  } catch {
    return undefined;
  }
}

const WORD = String.raw`((?:"[^"\n]*"|'[^'\n]*'|[^\s;&|()"'\x60])+)`;

/** The commands of shells, editors, terminals and debuggers that load a file. */
const LOADS = new RegExp(
  String.raw`(?:^|[\s;&|({!:\x60])(?:\\?\.|source(?:-file)?|so|load(?:-file|file)?|include|\$include|run(?:-shell)?|import|\\ir?|\.read|luafile|dofile|bash|zsh|sh)[\s(]+(?:-\S+\s+)*${WORD}`,
  'gim',
);
/** A started program: `eval "$(~/conda/bin/conda shell.bash hook)"`. */
const SUBSTITUTED = new RegExp(String.raw`(?:\$\(|\x60)[ \t]*${WORD}`, 'g');
const AT_START_OF_LINE = new RegExp(String.raw`^[ \t]*(?:exec[ \t]+)?${WORD}`, 'gm');
/** Folders of functions, and loops that load files: `for f in ~/dot/*.sh; do . $f; done`. */
const LISTS =
  /\bfpath\s*\+?=\s*\(([^)]*)\)|\bin[ \t]+([^;\n]*[*?[][^;\n]*)(?=[\s\S]{0,300}?(?:\bsource|[\s;&]\\?\.)[ \t]+["']?\$)/g;

function loadedNames(text: string, environment: Environment): readonly string[] {
  const lines = text
    .split('\n')
    .filter((line) => line.length <= MOST_LETTERS && !/^\s*#/.test(line))
    .join('\n')
    .replace(/\\\n/g, ' ');
  const assigned = new Map<string, string>();
  const valueOf = (name: string): string | undefined => assigned.get(name) ?? environment[name];
  for (const [, name = '', value = ''] of lines.matchAll(
    /(?:^|[\s;&])(?:export\s+|local\s+|typeset\s+|set\s+-gx?\s+)?(\w+)[= ]("[^"\n]*"|'[^'\n]*'|[^\s;&|()]+)/gm,
  )) {
    const filled = filledName(value.replace(/["']/g, ''), valueOf);
    if (path.isAbsolute(filled) && !assigned.has(name)) assigned.set(name, filled);
  }
  const words = [
    ...[LOADS, SUBSTITUTED, AT_START_OF_LINE].flatMap((form) =>
      Array.from(lines.matchAll(form), ([, word = '']) => word),
    ),
    ...[...lines.matchAll(LISTS)].flatMap(([, folders, files]) => (folders ?? files ?? '').split(/\s+/)),
  ];
  return [...new Set(words.flatMap((word) => expandedName(word, valueOf) ?? []))];
}

/** Returns the path that a word names, up to its first wildcard. Undefined if it is relative or cannot be known. */
function expandedName(word: string, valueOf: (name: string) => string | undefined): string | undefined {
  const home = valueOf('HOME') ?? '/';
  const filled = filledName(word.replace(/["']/g, ''), valueOf);
  const wildcard = filled.search(/[*?[]/);
  const name = wildcard < 0 ? filled : path.dirname(`${filled.slice(0, wildcard)}x`);
  const isKnown = path.isAbsolute(name) && !/[$\0\n]/.test(name) && name.length < MOST_NAME;
  const place = path.resolve(name);
  // The home folder as a whole is not a place of programs.
  return isKnown && !isAtOrBelow(home, place) ? place : undefined;
}

function filledName(word: string, valueOf: (name: string) => string | undefined): string {
  return word
    .replace(/^~(?=\/|$)/, valueOf('HOME') ?? '~')
    .replace(
      /\$(?:(\w+)|\{(\w+)(?::?-([^{}]*))?\})/g,
      (whole, plain: string | undefined, braced: string | undefined, usual: string | undefined) =>
        valueOf(plain ?? braced ?? '') ?? (usual === undefined ? whole : filledName(usual, valueOf)),
    );
}
