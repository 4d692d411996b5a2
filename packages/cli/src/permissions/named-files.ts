/** Finds the files of a project that configured commands run: those of hooks, the status line, helpers and MCP servers. */
import { readFileSync, statSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { type DeclaredHook, type HookDefinition, settingsHooks } from '@heddle/agent/hooks';
import { appliedSettings, type LoadedSettings } from '@heddle/agent/settings';
import { isRecord } from '@heddle/core';
import type { ServerConfig } from '@heddle/mcp/config';
import { commandEnvironment } from '../keys.ts';

export interface ConfiguredCommand {
  /** A text for the shell, or the words of a command without one. */
  readonly command: string | readonly string[];
  /** Undefined: the folder of the session. */
  readonly cwd?: string | undefined;
  readonly environment?: Readonly<Record<string, string>> | undefined;
}

export interface CommandPlaces {
  /** The folder of the session. */
  readonly cwd: string;
  /** The folder that hooks receive as that of the project. */
  readonly projectDir?: string | undefined;
  /** Additional working directories. */
  readonly directories: readonly string[];
  /** The top of the repository, if all of its files count as those of the project. */
  readonly repository?: string | undefined;
}

/** Settings whose value is a command. Other agents run some of them. */
export const HELPERS: readonly string[] = [
  'apiKeyHelper',
  'otelHeadersHelper',
  'awsAuthRefresh',
  'awsCredentialExport',
];

export function settingsCommands(loaded: LoadedSettings): readonly ConfiguredCommand[] {
  const { merged } = appliedSettings(loaded);
  const { statusLine } = merged;
  const texts = [
    isRecord(statusLine) ? statusLine['command'] : undefined,
    ...HELPERS.map((key) => merged[key]),
  ];
  return [
    ...texts.flatMap((command) => (typeof command === 'string' ? [{ command }] : [])),
    ...hookCommands(settingsHooks(loaded).declared),
  ];
}

/** The commands of hooks that run. */
export function hookCommands(
  declared: readonly Pick<DeclaredHook, 'hook' | 'inactive'>[],
): readonly ConfiguredCommand[] {
  return declared.flatMap(({ hook, inactive }) => (inactive === undefined ? commandOf(hook) : []));
}

/** The command of a hook. Other kinds of hooks have none. */
export function commandOf({ handler, environment }: HookDefinition): readonly ConfiguredCommand[] {
  if (handler.type !== 'command') return [];
  const { command, args } = handler;
  return [{ command: args === undefined ? command : [command, ...args], environment }];
}

export function serverCommands(config: ServerConfig): readonly ConfiguredCommand[] {
  if (config.type === 'stdio')
    return [{ command: [config.command, ...config.args], cwd: config.cwd, environment: config.env }];
  if (config.type === 'sdk' || config.headersHelper === undefined) return [];
  return [{ command: config.headersHelper }];
}

/**
 * Returns the files below the working directories that commands name. It is an over-approximation: every word, and every part of a
 * word, that names an existing file counts, because any program may run a file. A folder counts if a program runs it. A module of
 * Python, and a script that a text for the shell names, need not exist yet. `leftOut`: the names of files that do not count.
 */
export function filesOfCommands(
  commands: readonly ConfiguredCommand[],
  { cwd, projectDir = cwd, directories, repository = cwd }: CommandPlaces,
  leftOut = BUILD,
): readonly string[] {
  const roots = [cwd, projectDir, repository, ...directories];
  const isInside = (file: string): boolean =>
    roots.some((root) => file.startsWith(root === '/' ? root : `${root}/`)) &&
    !roots.some((root) => `${root}/`.startsWith(`${file}/`));
  const kinds = new Map<string, FileKind>();
  const kindOf = (file: string): FileKind => {
    const known = kinds.get(file) ?? kindOnDisk(file);
    kinds.set(file, known);
    return known;
  };
  const found = commands.flatMap(({ command, cwd: own = '', environment = {} }) => {
    const base = path.resolve(cwd, own);
    const variables = {
      ...commandEnvironment(),
      CLAUDE_PROJECT_DIR: projectDir,
      HEDDLE_PROJECT_DIR: projectDir,
      PWD: base,
      ...environment,
    };
    const texts = typeof command === 'string' ? [command] : command.filter((word) => SHELL_TEXT.test(word));
    const plain = typeof command === 'string' ? [] : command.map((word) => expand(word, variables));
    // Variables can name folders of modules, and files that a program loads: `NODE_OPTIONS=--import ./a.js`.
    const words = [...Object.values(environment), ...texts].flatMap((text) =>
      wordsOfText(text, variables).concat(''),
    );
    const bases = [...new Set([base, cwd, projectDir, repository])];
    return namedIn([...words, ...plain], {
      bases,
      isText: typeof command === 'string',
      kindOf,
      isInside,
      leftOut,
    });
  });
  return [...new Set(found)].filter(isInside);
}

/** A word of a command without a shell that may be a text for one: `bash -c "./a; ./b"`. */
const SHELL_TEXT = /[\s;&|()<>"'`$]/;

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * Splits a text for the shell, roughly: with its quotes, and again without them for commands in quotes. A word too many names
 * no file. The value of an unknown variable or substitution is taken for the current folder.
 */
function wordsOfText(text: string, variables: Variables): readonly string[] {
  const inner = [...text.matchAll(SUBSTITUTION)].map(([, one, other]) => one ?? other ?? '');
  const filled = text.replace(SUBSTITUTION, '.');
  // A substitution may contain others: `$(cd "$(dirname "$0")" && pwd)/x`.
  if (filled.search(SUBSTITUTION) >= 0)
    return [...inner.flatMap((part) => wordsOfText(part, variables)), '', ...wordsOfText(filled, variables)];
  const plain = filled
    // The target of a redirection is written.
    .replace(/\d*>[>&|]*\s*("[^"]*"|'[^']*'|[^\s;&|()]+)/g, ' ');
  const assigned = [...plain.matchAll(/(?:^|[\s;&|(])(\w+)=("[^"]*"|'[^']*'|[^\s;&|()]*)/g)].map(
    ([, name = '', value = '']) => [name, expand(value.replace(/["']/g, ''), variables)] as const,
  );
  const known = { ...variables, ...Object.fromEntries(assigned) };
  const quoted = [...plain.matchAll(/(?:"[^"]*"|'[^']*'|\\.|[^\s;&|()<>"'\\])+/g)].map(([word]) =>
    word.replace(/\\(.)/g, '$1').replace(/["']/g, ''),
  );
  const split = expand(plain.replace(/\\(.)/g, '$1'), known).split(/[\s;&|()<>"'{}]+/);
  return [
    ...quoted.map((word) => expand(word, known)),
    '',
    ...split,
    ...inner.flatMap((part) => wordsOfText(part, known)),
  ];
}

/** One without another in it. */
const SUBSTITUTION = /\$\(([^()]*)\)|`([^`]*)`/g;

/** Variables in words of servers are expanded already. */
function expand(word: string, variables: Variables): string {
  const home = word.replace(/^~(?=\/|$)/, os.homedir());
  return home.replace(
    /\$(?:(\w+)|\{(\w+)[^}]*\})/g,
    (_, plain: string | undefined, braced: string | undefined) => variables[plain ?? braced ?? ''] ?? '.',
  );
}

/** The files of builds, whose programs are ordinary work. */
const BUILD =
  /^((gnu)?makefile|justfile|package(-lock)?\.json|tsconfig.*\.json|jsconfig\.json|pyproject\.toml|cargo\.toml|go\.mod|pom\.xml|build\.gradle(\.kts)?)$/i;

/** The path of a file that is run, if it exists. */
const SCRIPT_PATH =
  /^[^=:,;&|()]*\/[^=:,;&|()]*\.([cm]?[jt]sx?|(ba|da|z|k|fi)?sh|py|rb|pl|php|lua|jar|exe|cmd|bat|ps1)$/i;

/** Interpreters add one of these to a name. */
const ENDINGS = '.js .cjs .mjs .json .node .ts .cts .mts .tsx .jsx .py .rb .pl .pm .php .lua .sh .jar'.split(
  ' ',
);

/** A folder in a command may be the current one of later words: `cd scripts && ./check.sh`. Further folders count as a whole. */
const MOST_BASES = 32;

type FileKind = 'file' | 'folder' | 'missing';

interface Around {
  /** The folders in which the command may run. */
  readonly bases: readonly string[];
  readonly isText: boolean;
  readonly kindOf: (file: string) => FileKind;
  readonly isInside: (file: string) => boolean;
  readonly leftOut: RegExp;
}

function namedIn(words: readonly string[], around: Around): readonly string[] {
  const { isText, kindOf, isInside, leftOut } = around;
  const found: string[] = [];
  const bases = [...around.bases];
  const resolve = (names: readonly string[]): readonly string[] =>
    bases.flatMap((base) => names.map((name) => path.resolve(base, name)));
  let runner: string | undefined;
  let isPython = false;
  for (const [at, word] of words.entries()) {
    const before = words[at - 1] ?? '';
    const module = isPython ? moduleIn(word, before) : undefined;
    const isRun = runner !== undefined && !(MANAGER.test(runner) && TASK.test(word));
    const parts = module === undefined ? partsOf(word) : [];
    const exact = resolve(parts);
    const mayLackEnding = isRun || (word.includes('/') && !exact.some((file) => kindOf(file) === 'file'));
    const files = mayLackEnding ? resolve(parts.flatMap(withEndings)) : exact;
    const present = files.filter((file) => kindOf(file) !== 'missing');
    for (const file of present) {
      const isFolder = kindOf(file) === 'folder';
      if (isFolder && !bases.includes(file)) {
        if (bases.length < MOST_BASES || !isInside(file)) bases.push(file);
        else found.push(file);
      }
      if (isFolder && isRun) found.push(...runPlaces(file, around));
      if (!isFolder && !leftOut.test(path.basename(file))) found.push(file);
    }
    if (present.length === 0 && isText && SCRIPT_PATH.test(word)) found.push(...resolve([word]));
    if (module !== undefined) found.push(...resolve(modulePlaces(module)));
    isPython ||= PYTHON.test(path.basename(word));
    runner = nextRunner(runner, word, before, present.length > 0);
  }
  return found;
}

/** The parts of `--config=./a.js`, `-r./a.js`, `-nfcheck`, `@check` and `a.jar:b.jar` that may be files. */
function partsOf(word: string): readonly string[] {
  const attached = /^-\w./.test(word) ? [2, 3, 4].map((letters) => word.slice(letters)) : [];
  const parts = [word, ...attached, ...word.split(/[=:,@]/)];
  return [...new Set(parts)].filter((part) => part !== '' && !part.includes('\0'));
}

function withEndings(part: string): readonly string[] {
  return part.endsWith('/') || part.endsWith('.')
    ? [part]
    : [part, ...ENDINGS.map((ending) => part + ending)];
}

/** Programs that run a folder. Any program may run a file. */
const FOLDER_RUNNER =
  /^(node(js)?|nodemon|electron|bun|bunx|deno|npx|pnpx|tsx|ts-node(-dev)?|vite-node|python[\d.]*|pypy[\d.]*|uv|uvx|pipx|java|go|cargo|run-parts)$/;
/** Their operands are names of packages, unless such a file exists. */
const PACKAGE_RUNNER = /^(npx|pnpx|bunx|uvx|uv|pipx)$/;
/** Programs with tasks that take folders as data. */
const MANAGER = /^(bun|deno|go|cargo|uv)$/;
const TASK = /^(test|lint|fmt|check|vet|build|install|add|bench|doc)$/;
const RUN = /^(run|exec|x|tool|env|start)$/;
/** After these, the operands are data. */
const ENDS_OPTIONS = /^(--?test|--?check|-[A-Za-z]*[cemp])$/;

/** Returns the program whose folder may come next. */
function nextRunner(
  runner: string | undefined,
  word: string,
  before: string,
  exists: boolean,
): string | undefined {
  const base = path.basename(word);
  if (FOLDER_RUNNER.test(base)) return base;
  if (runner === undefined || word === '') return undefined;
  if (word.startsWith('-')) return ENDS_OPTIONS.test(word) && word !== '-cp' ? undefined : runner;
  if (RUN.test(word)) return runner;
  // The word may be the value of an option: `node -r dotenv/config server`.
  const isValue = before.startsWith('-') && !before.includes('=');
  return isValue && (exists || !PACKAGE_RUNNER.test(runner)) ? runner : undefined;
}

/** Names that a program looks for in a folder that it runs. */
const ENTRIES = [
  'package.json',
  '__main__.py',
  '__init__.py',
  ...'js cjs mjs ts cts mts tsx jsx json node'.split(' ').map((ending) => `index.${ending}`),
];

/** Returns a folder that is run, or the files that start it if the folder is a working directory. */
function runPlaces(folder: string, { isInside, kindOf }: Around): readonly string[] {
  const named = namedByPackage(path.join(folder, 'package.json'))
    .map((name) => path.resolve(folder, name))
    .flatMap((file) => [file].concat(withEndings(file).filter((one) => kindOf(one) !== 'missing')));
  if (!isInside(folder)) return [...ENTRIES.map((name) => path.join(folder, name)), ...named];
  return [folder, ...named.filter((file) => !file.startsWith(`${folder}/`))];
}

const MOST_BYTES = 1024 * 1024;

/** Returns the files that a package.json names as its start. */
function namedByPackage(file: string): readonly string[] {
  try {
    const about = statSync(file);
    if (!about.isFile() || about.size > MOST_BYTES) return [];
    const content: unknown = JSON.parse(readFileSync(file, 'utf8'));
    return isRecord(content)
      ? ['main', 'module', 'exports', 'bin'].flatMap((key) => textsIn(content[key]))
      : [];
  } catch {
    return [];
  }
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return value.includes('*') ? [] : [value];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  return isRecord(value) ? Object.values(value).flatMap(textsIn) : [];
}

/** Programs that run modules of Python. */
const PYTHON = /^(python[\d.]*|pypy[\d.]*|py|uv|uvx|coverage|uvicorn|gunicorn|hypercorn|granian|daphne)$/;

/** Returns the module in `-m a.b`, `-ma.b` or `a.b:app`. */
function moduleIn(word: string, before: string): string | undefined {
  const name = /^-[A-Za-z]*m$/.test(before) ? word : /^-[A-Za-z]*?m(\w[\w.]*)$/.exec(word)?.[1];
  const module = name ?? /^([\w.]+):[\w.]+$/.exec(word)?.[1];
  return module !== undefined && /^[A-Za-z_]\w*(\.\w+)*$/.test(module) ? module : undefined;
}

/** Returns the places of a module, and those of the packages around it, which Python runs before. */
function modulePlaces(module: string): readonly string[] {
  const names = module.split('.');
  const around = names.slice(1).map((_, at) => names.slice(0, at + 1).join('/'));
  const own = names.join('/');
  return [own, `${own}.py`, ...around.flatMap((folder) => [`${folder}.py`, `${folder}/__init__.py`])];
}

function kindOnDisk(file: string): FileKind {
  try {
    // Most names are not files, and an exception for each of them would delay every call.
    const stats = statSync(file, { throwIfNoEntry: false });
    return stats === undefined ? 'missing' : stats.isDirectory() ? 'folder' : 'file';
  } catch {
    return 'missing';
  }
}
