/**
 * Finds the files that the user's start-up files load: `source ~/ros2_ws/install/setup.bash` in `~/.bashrc`. A shell or an editor runs
 * them at its next start, so a change to one of them is a change to the start-up file.
 */
import { readdirSync, realpathSync, type Stats, statSync } from 'node:fs';
import path from 'node:path';
import { readBoundedFile } from '@heddle/tools/git';
import { type NamesInFile, namesInStartFile, NO_NAMES } from './start-file-names.ts';

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
    for (const name of [
      ...names.other.filter((one) => kindOf(one) === 'file'),
      ...ownNames(file, names, home),
    ]) {
      found.add(name);
      if (name.startsWith(`${home}/`) && SHELL_FILE.test(name)) queue.add(name);
    }
  }
  return [...found];
}

const SHELL_FILE = /\.(?:sh|bash|zsh|fish|ksh)$/;
const EDITOR_FILE = /\.(?:vim|lua|el)$/;

/** Returns the existing files in the own folder of a file that it may load. */
function ownNames(
  file: string,
  { inOwnFolder, loadsOwnFolder }: NamesInFile,
  home: string,
): readonly string[] {
  if (inOwnFolder.length === 0 && !loadsOwnFolder) return [];
  const ending = EDITOR_FILE.test(file) ? EDITOR_FILE : SHELL_FILE;
  return [...new Set(ownFilesOf(file).map((own) => path.dirname(own)))].flatMap((folder) => {
    const entries = entriesOf(folder);
    const named = inOwnFolder.filter((name) => entries.has(name.split('/', 1)[0] ?? ''));
    // Most files in the home folder are not part of the start-up files there.
    const all = loadsOwnFolder && folder !== home ? [...entries].filter((name) => ending.test(name)) : [];
    return [...named, ...all]
      .map((name) => path.join(folder, name))
      .filter((name) => kindOf(name) === 'file');
  });
}

function ownFilesOf(file: string): readonly string[] {
  try {
    return [...new Set([file, realpathSync(file)])];
  } catch {
    return [file];
  }
}

const listed = new Map<string, { readonly stamp: string; readonly names: ReadonlySet<string> }>();

/** Remembers the names in a folder while it does not change. */
function entriesOf(folder: string): ReadonlySet<string> {
  const stats = statsOf(folder);
  if (stats?.isDirectory() !== true) return new Set();
  const stamp = `${stats.ino} ${stats.mtimeMs} ${stats.ctimeMs}`;
  const earlier = listed.get(folder);
  if (earlier?.stamp === stamp) return earlier.names;
  let names: ReadonlySet<string> = new Set();
  try {
    names = new Set(readdirSync(folder));
  } catch {
    // A folder that cannot be listed has no files to load.
  }
  listed.set(folder, { stamp, names });
  return names;
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
    content.kind === 'read'
      ? namesInStartFile(content.bytes.toString('utf8'), ownFilesOf(file), environment)
      : NO_NAMES;
  known.set(key, { stamp, names });
  return names;
}

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
