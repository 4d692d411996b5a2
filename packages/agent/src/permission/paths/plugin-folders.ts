/**
 * Finds the folders from which editors and plugin managers load code, in the text of their settings: `set rtp^=~/x`, `zinit light ~/x`,
 * `dir = "~/x"`.
 */
import path from 'node:path';

export interface PluginFolders {
  /** Folders of plugins, or with plugins of which every one is loaded. */
  readonly plugins: readonly string[];
  /** Folders in which some folders may be plugins: `dev = { path = "~/src" }`. */
  readonly around: readonly string[];
}

/** Options and commands of editors and plugin managers, in any file. */
const NAMES_PLUGINS =
  /\b(?:runtimepath|rtp|packpath|fpath|FPATH|load-path|local-repo|plug_home|Plug|Plugin|Bundle|NeoBundle\w*|zinit|zplugin|zplug|zmodule|antigen|antibody|antidote|zgen|zgenom|znap|zpm|zcomet|sheldon|fisher|fundle|package\.c?path)\b|\b(?:plug|dein|minpac|vundle|neobundle|jetpack|pathogen|packager)#\w+|(?:^|[\s;&|])zi\s|@plugin\b/;
const IN_LUA = /\b(?:dir|use|add)\s*[=({"'[]/;
const IN_TOML = /\blocal\s*=/;
const AROUND_PLUGINS = /\b(?:dev|path|root)\b/;

const WORD = /(?:\$\{[^{}]*\}|[^\s;&|()<>"'\x60=:#,[\]{}])+/g;

/** The home folder in programs, before an operator that joins texts: `$HOME . '/x'`, `os.getenv("HOME") .. "/x"`. */
const JOINED_HOME =
  /(?:\$HOME|\$\{HOME\}|\bos\.getenv\(\s*["']HOME["']\s*\)|\bvim\.env\.HOME|\b(?:vim\.fn\.)?expand\(\s*["'](?:~|\$HOME)\/?["']\s*\)|\bvim\.(?:uv|loop)\.os_homedir\(\))[ \t]*(?:\.{1,2}|,)[ \t]*(["'])\/?|\(getenv\s+"HOME"\)\s*(")\/?/g;

/** Writes names in the home folder as one word. */
export function withJoinedHome(text: string): string {
  return text.replace(JOINED_HOME, (_, quote: string | undefined, other: string | undefined) => {
    return `${quote ?? other ?? ''}~/`;
  });
}

/** The caller replaces the variables of a word. */
export function pluginFoldersIn(
  text: string,
  file: string,
  formed: (word: string, at: number) => readonly string[],
): PluginFolders {
  const plugins: string[] = [];
  const around: string[] = [];
  const isLua = file.endsWith('.lua');
  const isToml = file.endsWith('.toml');
  let at = 0;
  for (const line of text.split('\n')) {
    const namesPlugins =
      NAMES_PLUGINS.test(line) || (isLua && IN_LUA.test(line)) || (isToml && IN_TOML.test(line));
    const list = namesPlugins ? plugins : isLua && AROUND_PLUGINS.test(line) ? around : undefined;
    if (list !== undefined)
      for (const { 0: word, index } of line.matchAll(WORD))
        if (/[/~$]/.test(word))
          list.push(...formed(word, at + index).filter((name) => path.isAbsolute(name)));
    at += line.length + 1;
  }
  return { plugins, around };
}

const EDITOR_SETTINGS = /\.(?:g?vimrc|exrc|emacs|vim|lua|el)$|\/vimrc$/;
const IN_EDITOR_PLUGIN =
  /^(?:plugin|autoload|lua|ftplugin|ftdetect|after|colors|syntax|pack|init\.lua|.*\.(?:vim|el))$/;
const IN_SHELL_PLUGIN = /(?:\.plugin\.(?:zsh|bash|sh)|\.zsh-theme|\.antigen)$|^(?:init\.zsh|conf\.d)$/;

/** Returns whether a folder that such a file only mentions contains what the program loads from a plugin. */
export function looksLikePlugin(entries: Iterable<string>, settings: string): boolean {
  const form = EDITOR_SETTINGS.test(settings) ? IN_EDITOR_PLUGIN : IN_SHELL_PLUGIN;
  for (const name of entries) if (form.test(name)) return true;
  return false;
}
