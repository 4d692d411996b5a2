/**
 * Finds the files that start-up files of a project load or start: `./scripts/check.sh` in `.git/hooks/pre-commit`, `source_env x` in
 * `.envrc`, a command in `.vscode/tasks.json`. Programs run them without being asked to, like the start-up files themselves.
 */
import { readdirSync, type Stats, statSync } from 'node:fs';
import path from 'node:path';
import {
  BUILD_FILE,
  expand,
  namedWords,
  type PreparedText,
  prepareText,
  startedNames,
} from '@heddle/tools/files';
import { readBoundedFile } from '@heddle/tools/git';
import { codePlacesOf } from '@heddle/tools/shell';
import { commandsInSettings } from './commands-in-settings.ts';
import {
  createDiskLookup,
  type FoundNames,
  NO_NAMES,
  placesOfNames,
  prepareNames,
  type ReadNames,
} from './places-of-names.ts';
import { valuesInSettings, withJoinedLists } from './words-in-settings.ts';

/** Texts for the shell. */
const SCRIPTS = '.envrc .envrc.local .autoenv.zsh .autoenv/enter .autoenv/leave .rvmrc'.split(' ');
/** Texts in which some values are commands or programs. */
const SETTINGS = (
  '.vscode/tasks.json .vscode/settings.json .vscode/mcp.json .zed/tasks.json .zed/settings.json ' +
  '.devcontainer/devcontainer.json .devcontainer.json .pre-commit-config.yaml .pre-commit-config.yml prek.toml lefthook.yml lefthook.yaml ' +
  'lefthook.toml lefthook.json lefthook-local.yml .lefthook.yml .lefthook.toml .config/lefthook.yml .overcommit.yml .simple-git-hooks.json ' +
  'captainhook.json grumphp.yml .huskyrc .huskyrc.json .rusty-hook.toml .gitpod.yml .replit mise.toml .mise.toml mise.local.toml ' +
  '.mise.local.toml mise/config.toml .mise/config.toml .config/mise.toml .config/mise/config.toml .cargo/config.toml .cargo/config .npmrc ' +
  'bunfig.toml .mcp.json .cursor/mcp.json .cursor/hooks.json .cursor/environment.json .gemini/settings.json .codex/config.toml ' +
  '.opencode/opencode.json opencode.json opencode.jsonc .crush.json crush.json .roo/mcp.json .kiro/settings/mcp.json .amazonq/mcp.json ' +
  '.junie/mcp/mcp.json .github/mcp.json .github/lsp.json .claude/settings.json .claude/settings.local.json'
).split(' ');
/** Texts of programs that only the user starts. Only commands count. */
const LAUNCHES = ['.vscode/launch.json', '.zed/debug.json'];
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
  const queue = new Map<string, Form>(SCRIPTS.map((name) => [path.join(top, name), 'environment']));
  for (const folder of gitHooks)
    for (const name of namesIn(folder, GIT_HOOK)) queue.set(path.join(folder, name), 'script');
  for (const folder of HOOKS)
    for (const name of namesIn(path.join(top, folder), /./))
      queue.set(path.join(top, folder, name), 'script');
  for (const name of SETTINGS) queue.set(path.join(top, name), 'settings');
  for (const name of LAUNCHES) queue.set(path.join(top, name), 'launch');
  let [bytes, files] = [0, 0];
  const disk = createDiskLookup();
  // A new element of a map is visited as well.
  for (const [file, form] of queue) {
    if (bytes > MOST_BYTES_OF_ALL || files > MOST_FILES || found.size > MOST_NAMES) break;
    const read = readNamesIn(file, { form, most: MOST_BYTES, home: undefined });
    bytes += read.size;
    if (read.size > 0) files++;
    for (const place of placesOfNames(read, [top, path.dirname(file)], disk)) {
      if (found.has(place)) continue;
      if (BUILD_FILE.test(path.basename(place)) || place.includes('/node_modules/')) continue;
      found.add(place);
      if (SHELL_SCRIPT.test(place) && !queue.has(place)) queue.set(place, 'script');
    }
  }
  return [...found];
}

type Form = 'environment' | 'script' | 'settings' | 'launch';

const known = new Map<string, ReadNames & { readonly stamp: string }>();

interface Reading {
  readonly form: Form;
  /** Larger files are not read. */
  readonly most: number;
  /** Undefined: names in the home folder do not count. */
  readonly home: string | undefined;
}

/** Returns the names of files in a text. Remembers a file while it does not change, because each decision needs them. */
export function readNamesIn(file: string, { form, most, home }: Reading): ReadNames {
  const stats = statsOf(file);
  if (stats?.isFile() !== true || stats.size > most) return NO_NAMES;
  const stamp = `${stats.ino} ${stats.size} ${stats.mtimeMs} ${stats.ctimeMs}`;
  const key = `${form} ${home} ${file}`;
  const earlier = known.get(key);
  if (earlier?.stamp === stamp) return earlier;
  const content = readBoundedFile(file, most);
  const text = content.kind === 'read' ? content.bytes.toString('utf8') : '';
  // A variable that is not known is taken for the current folder.
  const variables = { HOME: home };
  const names =
    form === 'settings' || form === 'launch'
      ? namesInSettings(text, variables, form === 'settings')
      : namesInScript(text, variables, form === 'script');
  const read = prepareNames(names, text.length);
  known.set(key, { ...read, stamp });
  return read;
}

type Variables = Readonly<Record<string, string | undefined>>;

const HOME_VARIABLE = /\$\{(?:userHome|env:HOME|HOME)\}|\$HOME\b/g;
/** Variables of editors, of mise and of GitHub: `${workspaceFolder}`, `{{config_root}}`, `${{ x }}`. */
const OF_EDITOR = /\$?\{\{[\s\w.]+\}\}|\$\{[\w.:-]+\}/g;

function namesInSettings(text: string, variables: Variables, allWords: boolean): FoundNames {
  const home = variables['HOME'] ?? '.';
  const plain = text.replace(HOME_VARIABLE, () => home).replace(OF_EDITOR, '.');
  const commands = commandsInSettings(withJoinedLists(plain));
  const started = [...new Set(commands.flatMap((command) => startedNames(prepareText(command, variables))))];
  if (!allWords) return { started, words: [], run: [], folders: [] };
  const values = prepareText(valuesInSettings(plain), variables);
  const { words, run } = namedWords(values, true);
  return { started, words, run, ...ofVariables(values.assigned) };
}

/** Shells load these files, or files in this folder. */
const START_VARIABLES = ['BASH_ENV', 'ENV', 'ZDOTDIR'];
/** Their values are commands. */
const COMMAND_VARIABLE =
  /^GIT_(?:\w*EDITOR|PAGER|SSH|SSH_COMMAND|ASKPASS|EXTERNAL_DIFF|PROXY_COMMAND)$|_WRAPPER$/;

/** Returns the folders that variables add to `PATH`, and the places of code that they name. */
function ofVariables(assigned: Variables): Pick<FoundNames, 'folders'> {
  const { places, files, libraryFolders } = codePlacesOf(assigned);
  const entries = assigned['PATH']?.split(/[:;\s]/) ?? [];
  const ofShells = START_VARIABLES.flatMap((name) => assigned[name] ?? []);
  const commands = Object.entries(assigned).flatMap(([name, value]) =>
    COMMAND_VARIABLE.test(name) ? codePlacesOf({ EDITOR: value }).files : [],
  );
  const named = [...places, ...files, ...libraryFolders, ...ofShells, ...commands].filter((name) =>
    /[/.]/.test(name),
  );
  return { folders: [...new Set([...entries, ...named])].filter((name) => !/^[./]*$|[*?$\0]/.test(name)) };
}

/** Functions of direnv, and the files that they load. */
const LOADS =
  /(?:^|[\s;&|])(source_env|source_env_if_exists|dotenv|dotenv_if_exists|use[ \t]+(?:flake|nix|guix|devenv))(?![\w-])(?:[ \t]+("[^"\n]*"|'[^'\n]*'|[^\s;&|()"'#]+))?/g;
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

function namesInScript(text: string, variables: Variables, keepsVariables: boolean): FoundNames {
  // A script in another language.
  if (/^#!(?!.*(?:sh|direnv)\b)/.test(text)) return NO_NAMES;
  const ofDirenv = Array.from(text.replace(/^[ \t]*#.*$/gm, '').matchAll(LOADS)).flatMap(
    ([, form = '', word]) => {
      const usual = USUAL[form.split(/[ \t]+/).at(-1) ?? ''];
      const name = word?.replace(/["']/g, '').replace(/^(?:\$PWD|\$\{PWD\})(?=\/|$)/, '.');
      if (name === undefined || name.startsWith('-') || name.includes('$')) return usual ?? [];
      // The operand can be a folder.
      const inFolder = (usual?.length ? usual : ['.envrc']).map((file) => path.join(name, file));
      return [name].concat(inFolder);
    },
  );
  const prepared = prepareText(text, variables);
  const added = foldersInScript(prepared);
  return {
    started: [...new Set([...startedNames(prepared), ...ofDirenv])],
    ...namedWords(prepared, keepsVariables),
    folders: [...ofVariables(prepared.assigned).folders, ...added],
  };
}

/** Commands that add folders to `PATH`. `load_prefix x` adds `x/bin`. */
const ADDS_FOLDERS =
  /(?:^|[\s;&|])(PATH_add|path_add[ \t]+PATH|fish_add_path|path\+=|load_prefix|set[ \t][^;\n]{0,32}\bPATH)(?![\w-])([^;&|\n]*)/g;

function foldersInScript({ lines, known: variables }: PreparedText): readonly string[] {
  return lines.flatMap((line) =>
    [...line.matchAll(ADDS_FOLDERS)].flatMap(([, command, operands = '']) =>
      expand(operands, variables)
        .split(/[\s"'():]+/)
        .filter((word) => !/^[./]*$|^-|[*?$\0]/.test(word))
        .flatMap((word) => (command === 'load_prefix' ? [`${word}/bin`, `${word}/sbin`] : [word])),
    ),
  );
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
