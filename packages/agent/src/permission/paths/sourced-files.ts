/**
 * Finds the files that the user's start-up files load: `source ~/ros2_ws/install/setup.bash` in `~/.bashrc`. A shell or an editor runs
 * them at its next start, so a change to one of them is a change to the start-up file.
 */
import { type Stats, statSync } from 'node:fs';
import path from 'node:path';
import { readBoundedFile } from '@heddle/tools/git';
import { type NamesInFile, namesInStartFile } from './start-file-names.ts';

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
    if (names.loaded.length + names.inLoadingLines.length > 0 && ++read > MOST_FILES) break;
    const loaded = [...names.loaded, ...names.inLoadingLines.filter((name) => kindOf(name) !== 'folder')];
    for (const name of loaded) {
      found.add(name);
      // A new element of a set is visited as well.
      if (name.startsWith(`${home}/`)) queue.add(name);
    }
    for (const name of names.other) if (kindOf(name) === 'file') found.add(name);
  }
  return [...found];
}

const known = new Map<string, { readonly stamp: string; readonly names: NamesInFile }>();

/** Remembers a file while it does not change, because each decision needs its names. */
function namesIn(file: string, environment: Environment): NamesInFile {
  const stamp = stampOf(file);
  if (stamp === undefined) return NO_NAMES;
  const key = `${environment['HOME']}\0${file}`;
  const earlier = known.get(key);
  if (earlier?.stamp === stamp) return earlier.names;
  const content = readBoundedFile(file, MOST_BYTES);
  const names =
    content.kind === 'read' ? namesInStartFile(content.bytes.toString('utf8'), environment) : NO_NAMES;
  known.set(key, { stamp, names });
  return names;
}

const NO_NAMES: NamesInFile = { loaded: [], inLoadingLines: [], other: [] };

function stampOf(file: string): string | undefined {
  const stats = statsOf(file);
  return stats?.isFile() === true
    ? `${stats.ino} ${stats.size} ${stats.mtimeMs} ${stats.ctimeMs}`
    : undefined;
}

function kindOf(file: string): 'file' | 'folder' | 'absent' {
  const stats = statsOf(file);
  if (stats === undefined) return 'absent';
  return stats.isDirectory() ? 'folder' : 'file';
}

function statsOf(file: string): Stats | undefined {
  try {
    return statSync(file, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
