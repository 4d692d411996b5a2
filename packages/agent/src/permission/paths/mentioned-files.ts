/**
 * Finds the files that start-up files of a project load or start: `./scripts/check.sh` in `.git/hooks/pre-commit`, `source_env x` in
 * `.envrc`, a command in `.vscode/tasks.json`. Programs run them without being asked to, like the start-up files themselves.
 */
import { readdirSync, type Stats, statSync } from 'node:fs';
import path from 'node:path';
import { BUILD_FILE, startedNames } from '@heddle/tools/files';
import { readBoundedFile } from '@heddle/tools/git';
import { commandsInSettings } from './commands-in-settings.ts';

/** Texts for the shell. */
const SCRIPTS = '.envrc .envrc.local .autoenv.zsh .autoenv/enter .autoenv/leave .rvmrc'.split(' ');
/** Texts in which some values are commands or programs. */
const SETTINGS = (
  '.vscode/tasks.json .vscode/settings.json .vscode/launch.json .vscode/mcp.json .zed/tasks.json .zed/settings.json .zed/debug.json ' +
  '.devcontainer/devcontainer.json .devcontainer.json .pre-commit-config.yaml .pre-commit-config.yml prek.toml lefthook.yml lefthook.yaml ' +
  'lefthook.toml lefthook.json lefthook-local.yml .lefthook.yml .lefthook.toml .config/lefthook.yml .overcommit.yml .simple-git-hooks.json ' +
  'captainhook.json grumphp.yml .huskyrc .huskyrc.json .rusty-hook.toml .gitpod.yml .replit mise.toml .mise.toml mise.local.toml ' +
  '.mise.local.toml mise/config.toml .mise/config.toml .config/mise.toml .config/mise/config.toml .cargo/config.toml .cargo/config .npmrc ' +
  'bunfig.toml .mcp.json .cursor/mcp.json .cursor/hooks.json .cursor/environment.json .gemini/settings.json .codex/config.toml ' +
  '.opencode/opencode.json opencode.json opencode.jsonc .crush.json crush.json .roo/mcp.json .kiro/settings/mcp.json .amazonq/mcp.json ' +
  '.junie/mcp/mcp.json .github/mcp.json .github/lsp.json .claude/settings.json .claude/settings.local.json'
).split(' ');
/** Folders whose files are scripts, beside those from which git takes hooks. */
const HOOKS = '.husky .githooks .git-hooks .cargo-husky/hooks .shadowenv.d'.split(' ');

const MOST_BYTES = 128 * 1024;
const MOST_BYTES_OF_ALL = 512 * 1024;
/** Mentioned scripts mention others. */
const MOST_FILES = 64;
const MOST_ENTRIES = 64;
const MOST_NAMES = 1000;

/** Only scripts for a shell are read for further names. */
const SHELL_SCRIPT = /\/[^./]+$|\.(?:sh|bash|zsh|fish|inc|envrc)$|\/\.envrc[^/]*$/;

/** The names of git's hooks. Other files in the folder can be anything. */
const GIT_HOOK = /^[a-z\d-]+$/;

/**
 * Returns the full names of the files, also missing ones. `gitHooks` are the folders with hooks of the repository. Files of builds and installed packages do not count. Names of folders with all of their files end with a slash.
 */
export function mentionedFiles(top: string, gitHooks: readonly string[]): readonly string[] {
  const found = new Set<string>();
  const queue = new Map<string, Form>(SCRIPTS.map((name) => [path.join(top, name), 'script']));
  for (const folder of gitHooks)
    for (const name of namesIn(folder, GIT_HOOK)) queue.set(path.join(folder, name), 'script');
  for (const folder of HOOKS)
    for (const name of namesIn(path.join(top, folder), /./))
      queue.set(path.join(top, folder, name), 'script');
  for (const name of SETTINGS) queue.set(path.join(top, name), 'settings');
  let [bytes, files] = [0, 0];
  // A new element of a map is visited as well.
  for (const [file, form] of queue) {
    if (bytes > MOST_BYTES_OF_ALL || files > MOST_FILES || found.size > MOST_NAMES) break;
    const { names, size } = readStartedNames(file, { form, most: MOST_BYTES, home: undefined });
    bytes += size;
    if (size > 0) files++;
    for (const place of names.flatMap((name) => placesOf(name, top, path.dirname(file)))) {
      if (BUILD_FILE.test(path.basename(place)) || place.includes('/node_modules/')) continue;
      found.add(place);
      if (SHELL_SCRIPT.test(place) && !queue.has(place)) queue.set(place, 'script');
    }
  }
  return [...found];
}

/** A name starts at the top of the project or in the folder of the file. */
function placesOf(name: string, top: string, folder: string): readonly string[] {
  if (name.includes('\0')) return [];
  const places = [...new Set([top, folder])].map((from) => path.resolve(from, name));
  return name.endsWith('/') ? places.map((place) => `${place}/`) : places;
}

type Form = 'script' | 'settings';

interface ReadNames {
  readonly names: readonly string[];
  readonly size: number;
}

const known = new Map<string, ReadNames & { readonly stamp: string }>();
const NONE: ReadNames = { names: [], size: 0 };

interface Reading {
  readonly form: Form;
  /** Larger files are not read. */
  readonly most: number;
  /** Undefined: names in the home folder do not count. */
  readonly home: string | undefined;
}

/** Returns the names of files that a text starts or loads. Remembers a file while it does not change, because each decision needs them. */
export function readStartedNames(file: string, { form, most, home }: Reading): ReadNames {
  const stats = statsOf(file);
  if (stats?.isFile() !== true || stats.size > most) return NONE;
  const stamp = `${stats.ino} ${stats.size} ${stats.mtimeMs} ${stats.ctimeMs}`;
  const key = `${form} ${home} ${file}`;
  const earlier = known.get(key);
  if (earlier?.stamp === stamp) return earlier;
  const content = readBoundedFile(file, most);
  const text = content.kind === 'read' ? content.bytes.toString('utf8') : '';
  // A variable that is not known is taken for the current folder.
  const variables = { HOME: home };
  const names = form === 'script' ? namesInScript(text, variables) : namesInSettings(text, variables);
  const read = { names, size: text.length };
  known.set(key, { ...read, stamp });
  return read;
}

type Variables = Readonly<Record<string, string | undefined>>;

const HOME_VARIABLE = /\$\{(?:userHome|env:HOME|HOME)\}|\$HOME\b/g;
/** Variables of editors, of mise and of GitHub: `${workspaceFolder}`, `{{config_root}}`, `${{ x }}`. */
const OF_EDITOR = /\$?\{\{[\s\w.]+\}\}|\$\{[\w.:-]+\}/g;

function namesInSettings(text: string, variables: Variables): readonly string[] {
  const home = variables['HOME'] ?? '.';
  const plain = text.replace(HOME_VARIABLE, () => home).replace(OF_EDITOR, '.');
  const commands = commandsInSettings(plain);
  return [...new Set(commands.flatMap((command) => startedNames(command, variables)))];
}

/** Functions of direnv, and the files that they load. */
const LOADS =
  /(?:^|[\s;&|])(source_env|source_env_if_exists|dotenv|dotenv_if_exists|PATH_add|path_add[ \t]+PATH|use[ \t]+(?:flake|nix|guix|devenv))(?![\w-])(?:[ \t]+("[^"\n]*"|'[^'\n]*'|[^\s;&|()"'#]+))?/g;
const USUAL: Readonly<Record<string, readonly string[]>> = {
  source_env: [],
  source_env_if_exists: [],
  dotenv: ['.env'],
  dotenv_if_exists: ['.env'],
  flake: ['flake.nix', 'flake.lock'],
  nix: ['shell.nix', 'default.nix'],
  guix: ['guix.scm', 'manifest.scm'],
  devenv: ['devenv.nix', 'devenv.yaml', 'devenv.lock', 'devenv.local.nix'],
};

function namesInScript(text: string, variables: Variables): readonly string[] {
  // A script in another language.
  if (/^#!(?!.*(?:sh|direnv)\b)/.test(text)) return [];
  const ofDirenv = Array.from(text.replace(/^[ \t]*#.*$/gm, '').matchAll(LOADS)).flatMap(
    ([, form = '', word]) => {
      const usual = USUAL[form.split(/[ \t]+/).at(-1) ?? ''];
      const name = word?.replace(/["']/g, '').replace(/^(?:\$PWD|\$\{PWD\})(?=\/|$)/, '.');
      if (name === undefined || name.startsWith('-') || name.includes('$')) return usual ?? [];
      if (usual === undefined) return [name.replace(/\/*$/, '/')];
      // The operand can be a folder.
      const inFolder = (usual.length > 0 ? usual : ['.envrc']).map((file) => path.join(name, file));
      return [name].concat(inFolder);
    },
  );
  return [...new Set([...startedNames(text, variables), ...ofDirenv])];
}

function namesIn(folder: string, form: RegExp): readonly string[] {
  try {
    return readdirSync(folder)
      .filter((name) => form.test(name))
      .slice(0, MOST_ENTRIES);
  } catch {
    return [];
  }
}

function statsOf(file: string): Stats | undefined {
  try {
    return statSync(file, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
