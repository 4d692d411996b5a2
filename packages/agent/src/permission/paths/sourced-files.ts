/**
 * Finds the files that the user's start-up files load: `source ~/ros2_ws/install/setup.bash` in `~/.bashrc`. A shell or an editor runs
 * them at its next start, so a change to one of them is a change to the start-up file.
 */
import { readdirSync, realpathSync, type Stats, statSync } from 'node:fs';
import path from 'node:path';
import { readBoundedFile } from '@heddle/tools/git';
import { looksLikePlugin } from './plugin-folders.ts';
import { type NamesInFile, namesInStartFile, NO_NAMES } from './start-file-names.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const IN_HOME =
  '.bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .zshrc .zshenv .zprofile .zlogin .zlogout .kshrc .mkshrc .cshrc .tcshrc .login ' +
  '.xprofile .xinitrc .xsession .xsessionrc .inputrc .vimrc .gvimrc .vim/vimrc .exrc .emacs .emacs.d/init.el .tmux.conf .screenrc .gdbinit .lldbinit ' +
  '.ssh/config .psqlrc .sqliterc .muttrc .zsh_plugins.txt .zimrc .zpreztorc .ideavimrc .doom.d/init.el .doom.d/config.el .doom.d/packages.el ' +
  '.direnvrc .crontab .xbindkeysrc .wezterm.lua .hammerspoon/init.lua .pythonrc .pythonrc.py .pythonstartup .pdbrc .irbrc .pryrc .Rprofile .latexmkrc .procmailrc .forward .xmonad/xmonad.hs .bash_completion';
const IN_ZSH = '.zshrc .zshenv .zprofile .zlogin .zlogout';
const IN_CONFIG =
  'fish/config.fish nvim/init.vim nvim/init.lua vim/vimrc tmux/tmux.conf emacs/init.el zsh/.zshrc git/bashrc nushell/config.nu sheldon/plugins.toml doom/init.el doom/config.el doom/packages.el ' +
  'direnv/direnvrc i3/config sway/config hypr/hyprland.conf kitty/kitty.conf ghostty/config sxhkd/sxhkdrc bspwm/bspwmrc wezterm/wezterm.lua zellij/config.kdl elvish/rc.elv nushell/env.nu powershell/profile.ps1 crontab';

/** Folders from which shells, editors, sessions and ssh load every file, or those of which start-up files usually do so. */
const FOLDERS_IN_HOME =
  '.bashrc.d .bash.d .bash_profile.d .profile.d .bash_completion.d .zsh .zsh.d .zshrc.d .zshenv.d .zprofile.d .zfunc .oh-my-zsh/custom .oh-my-bash/custom ' +
  '.bash_it/custom .vim/plugin .vim/after/plugin .vim/ftplugin .vim/autoload .vim/vimrc.d .emacs.d/lisp .ssh/config.d .xprofile.d .xsessionrc.d .tmux .gdbinit.d';
const FOLDERS_IN_CONFIG =
  'fish/conf.d fish/functions fish/completions bash bash/bashrc.d bashrc.d zsh zsh/zshrc.d zsh/conf.d zsh/functions nvim nvim/plugin nvim/after/plugin nvim/ftplugin ' +
  'nvim/autoload nvim/lua tmux environment.d autostart autostart-scripts plasma-workspace/env systemd/user direnv/lib nushell/autoload emacs/lisp';
/** In these folders, the files of the folders directly in them count as well. */
const WITH_FOLDERS = /\/(?:nvim\/lua|\.oh-my-zsh\/custom|systemd\/user)$/;

/** Larger files, and more of them, are generated or contain no further names. */
const MOST_BYTES = 256 * 1024;
const MOST_FILES = 256;
/** Half a megabyte takes a few tenths of a second, once in a session. */
const MOST_BYTES_OF_ALL = 512 * 1024;
/** Names of files that may be missing or empty. */
const MOST_LOOKED_AT = 2000;
/** The entries of a folder that are looked at. */
const MOST_ENTRIES = 200;

/** Returns the absolute names of loaded files and folders, also missing ones. A loaded file of the user may load others. */
export function sourcedFiles(home: string, environment: Environment): readonly string[] {
  const { ZDOTDIR: zsh = home, XDG_CONFIG_HOME: config = path.join(home, '.config') } = environment;
  const among = (folder: string, names: string): readonly string[] =>
    names.split(' ').map((name) => path.join(folder, name));
  const known = { ...environment, HOME: home, ZDOTDIR: zsh, XDG_CONFIG_HOME: config };
  const found = new Set<string>();
  const seen = new Set<string>();
  let files = 0;
  let bytes = 0;
  const visit = (starts: readonly string[]): void => {
    const queue = new Set(starts);
    for (const file of queue) {
      if (seen.has(file)) continue;
      seen.add(file);
      if (files > MOST_FILES || bytes > MOST_BYTES_OF_ALL || seen.size > MOST_LOOKED_AT) return;
      // A new element of a set is visited as well.
      if (found.has(file))
        for (const inner of filesIn(file)) if (LOADABLE.test(path.basename(inner))) queue.add(inner);
      const { names, size } = namesIn(file, known);
      bytes += size;
      if (names.loaded.length + names.inLoadingLines.length > 0) files++;
      const loaded = [...names.loaded, ...names.inLoadingLines.filter((name) => kindOf(name) !== 'folder')];
      for (const name of [...loaded, ...pluginsOf(file, names)]) {
        found.add(name);
        if (name.startsWith(`${home}/`)) queue.add(name);
      }
      for (const name of [
        ...names.other.filter((one) => kindOf(one) === 'file'),
        ...ownNames(file, names, home),
        ...names.partly.flatMap(filesIn).filter((one) => SHELL_FILE.test(one)),
      ]) {
        found.add(name);
        if (name.startsWith(`${home}/`) && SHELL_FILE.test(name)) queue.add(name);
      }
    }
  };
  // The limits count first for the start-up files and what they load.
  visit([...among(home, IN_HOME), ...among(zsh, IN_ZSH), ...among(config, IN_CONFIG)]);
  visit([...among(home, FOLDERS_IN_HOME), ...among(config, FOLDERS_IN_CONFIG)].flatMap(filesIn));
  return [...found];
}

/** Returns the files of a folder, and nothing for a file. */
function filesIn(folder: string): readonly string[] {
  const placed = (at: string): readonly string[] =>
    [...entriesOf(at)].slice(0, MOST_ENTRIES).map((name) => path.join(at, name));
  const inner = placed(folder);
  const deeper = WITH_FOLDERS.test(folder) ? inner.flatMap(placed) : [];
  return [...inner, ...deeper].filter((file) => kindOf(file) === 'file');
}

/** Returns the existing folders of plugins that a file names. */
function pluginsOf(file: string, names: NamesInFile): readonly string[] {
  const inner = names.around
    .slice(0, MOST_AROUND)
    .flatMap((folder) =>
      [...entriesOf(folder)].slice(0, MOST_ENTRIES).map((name) => path.join(folder, name)),
    );
  const mentioned = [...names.other, ...names.inLoadingLines, ...names.around, ...inner];
  return [
    ...names.plugins.filter((name) => kindOf(name) === 'folder'),
    ...mentioned.filter((name) => !OF_SYSTEM.test(name) && looksLikePlugin(entriesOf(name), file)),
  ];
}

/** The folders whose own folders are looked at. */
const MOST_AROUND = 20;
/** Folders of the system are large, and protected if they are in a working directory. */
const OF_SYSTEM = /^\/(?:usr|etc|bin|sbin|lib\w*|nix|gnu|snap|proc|sys|dev)(?:\/|$)/;

/** The other files of a loaded folder are not read: documentation, packages, and code in other languages. */
const LOADABLE =
  /^(?!README|LICENSE|COPYING|CHANGES|Makefile|Dockerfile)[^.]*$|(?:^\.|\.)(?:sh|bash|zsh|fish|ksh|csh|vim|lua|el|conf|rc|inc|env|local|zsh-theme)$/;
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

interface ReadFile {
  readonly names: NamesInFile;
  readonly size: number;
}

const readFiles = new Map<string, ReadFile & { readonly stamp: string }>();

/** Remembers a file while it does not change, because each decision needs its names. */
function namesIn(file: string, environment: Environment): ReadFile {
  const stamp = stampOf(file);
  if (stamp === undefined) return { names: NO_NAMES, size: 0 };
  const key = `${environment['HOME']}\0${file}`;
  const earlier = readFiles.get(key);
  if (earlier?.stamp === stamp) return earlier;
  const content = readBoundedFile(file, MOST_BYTES);
  const names =
    content.kind === 'read'
      ? namesInStartFile(content.bytes.toString('utf8'), ownFilesOf(file), environment)
      : NO_NAMES;
  const size = content.kind === 'read' ? content.bytes.length : 0;
  readFiles.set(key, { stamp, names, size });
  return { names, size };
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
