/** Finds the files that a configured command may run: those that its words name, and modules and scripts that need not exist yet. */
import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { isRecord } from '@heddle/core';
import { inEnteredFolders } from './entered-folders.ts';
import { startedWords } from './started-words.ts';

export interface CommandReading {
  /** The folders in which the command may run. */
  readonly bases: readonly string[];
  /** The one of them in which it certainly starts. */
  readonly startsIn?: string | undefined;
  /** The variables that the shell expands. The words of a list are expanded already, if they are not texts for a shell. */
  readonly variables: Variables;
  /** Further texts with files that the command may load, such as values of variables. */
  readonly texts?: readonly string[];
  /** Files elsewhere do not count. A folder that is run counts as a whole if it is inside. */
  readonly isInside: (file: string) => boolean;
  /** The names of files that do not count. */
  readonly leftOut: RegExp;
}

/** Remembers what is on the disk, for a reading of several commands at one time. */
export type FileKinds = Map<string, FileKind>;

/**
 * Returns the files that a text for the shell, or a list of words, names. It is an over-approximation: every word, and every part of a
 * word, that names an existing file counts, because any program may run a file. A folder counts if a program runs it. A module of
 * Python, a script, and a file that an interpreter or the shell starts need not exist yet.
 */
export function filesInCommand(
  command: string | readonly string[],
  { bases, startsIn, variables, texts = [], isInside, leftOut }: CommandReading,
  kinds: FileKinds = new Map(),
): readonly string[] {
  const kindOf = (file: string): FileKind => {
    const known = kinds.get(file) ?? kindOnDisk(file);
    kinds.set(file, known);
    return known;
  };
  const shellTexts =
    typeof command === 'string' ? [command] : command.filter((word) => SHELL_TEXT.test(word));
  const plain = typeof command === 'string' ? [] : command.map((word) => expand(word, variables));
  const read = [...texts, ...shellTexts];
  const words = read.flatMap((text) => wordsOfText(text, variables).concat(''));
  const commands = [...read.flatMap((text) => simpleCommands(text, variables)), plain];
  const started = new Set(commands.flatMap(startedWords));
  const names = [...started, ...commands.flatMap(modulesIn)];
  // `node server` loads the file `server.js` before the folder `server`.
  const meanings = (name: string): readonly string[] => {
    const file = path.resolve(startsIn ?? '', name);
    const isFolder = !name.endsWith('/') && kindOf(file) === 'folder';
    return isFolder ? OF_MODULES.map((ending) => file + ending) : [file];
  };
  const entered = inEnteredFolders(names.flatMap(withModuleEndings), commands);
  // The folder may be missing, or another one may have a file with the same name.
  const certain = [
    ...bases.flatMap((base) => entered.map((name) => path.resolve(base, name))),
    ...(startsIn === undefined ? [] : names.flatMap(meanings)),
  ].filter((file) => !leftOut.test(path.basename(file)) && kindOf(file) !== 'folder');
  return [...namedIn([...words, ...plain], { bases, kindOf, isInside, leftOut, started }), ...certain];
}

function withModuleEndings(name: string): readonly string[] {
  const isWhole = name.endsWith('/') || isScriptPath(name);
  return isWhole ? [name] : [name, ...OF_MODULES.map((ending) => name + ending)];
}

/** A word of a command without a shell that may be a text for one: `bash -c "./a; ./b"`. */
const SHELL_TEXT = /[\s;&|()<>"'`$]/;

export type Variables = Readonly<Record<string, string | undefined>>;

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
  const plain = filled.replace(REDIRECTION, ' ');
  const assigned = [...plain.matchAll(ASSIGNMENT)].map(
    ([, name = '', value = '']) => [name, expand(value.replace(/["']/g, ''), variables)] as const,
  );
  const known = { ...variables, ...Object.fromEntries(assigned) };
  const split = expand(plain.replace(/\\(.)/g, '$1'), known).split(/[\s;&|()<>"'{}]+/);
  return [
    ...shellWords(plain).map((word) => expand(word, known)),
    '',
    ...split,
    ...inner.flatMap((part) => wordsOfText(part, known)),
  ];
}

export const ASSIGNMENT = /(?:^|[\s;&|(])(\w+)=("[^"]*"|'[^']*'|[^\s;&|()]*)/g;

/** Returns the words of each simple command in a text, roughly, also of commands in its quotes. */
export function simpleCommands(text: string, variables: Variables): readonly (readonly string[])[] {
  const inner = [...text.matchAll(SUBSTITUTION)].map(([, one, other]) => one ?? other ?? '');
  const quoted = [...text.matchAll(/"([^"]*)"|'([^']*)'/g)].map(([, one, other]) => one ?? other ?? '');
  return [text.replace(SUBSTITUTION, '.').replace(REDIRECTION, ' ').replace(INPUT, ' '), ...inner, ...quoted]
    .flatMap((part) => part.split(/[;&|()`\n]+/))
    .map((part) => shellWords(part).map((word) => expand(word, variables)));
}

/** Returns the words of a text, without quotes. */
export function shellWords(text: string): readonly string[] {
  return [...text.matchAll(/(?:"[^"]*"|'[^']*'|\\.|[^\s;&|()<>"'\\])+/g)].map(([word]) =>
    word.replace(/\\(.)/g, '$1').replace(/["']/g, ''),
  );
}

/** The target of a redirection is written. */
const REDIRECTION = /(?<!\d)\d*>[>&|]*\s*("[^"]*"|'[^']*'|[^\s;&|()]+)/g;

/** An input before the program: `</dev/null ./x`. */
const INPUT = /(?<![<\w])<\s*[^\s;&|()<]+(?=\s)/g;

/** One without another in it. */
export const SUBSTITUTION = /\$\(([^()]*)\)|`([^`]*)`/g;

/** Variables in words of servers are expanded already. */
export function expand(word: string, variables: Variables): string {
  const home = word.replace(/(^|(?<=[\s"'=:]))~(?=\/|$)/g, variables['HOME'] ?? '~');
  return home.replace(
    /\$(?:(\w+)|\{(\w+)[^}]*\})/g,
    (_, plain: string | undefined, braced: string | undefined) => variables[plain ?? braced ?? ''] ?? '.',
  );
}

/** The files of builds, whose programs are ordinary work. */
export const BUILD_FILE =
  /^((gnu)?makefile|justfile|package(-lock)?\.json|tsconfig.*\.json|jsconfig\.json|pyproject\.toml|cargo\.toml|go\.mod|pom\.xml|build\.gradle(\.kts)?)$/i;

/** The name of a file that is run, also before it exists. */
const SCRIPT_PATH =
  /^[^=:,;&|()]*[^=:,;&|()/]\.([cm]?[jt]sx?|(ba|da|z|k|fi)?sh|py|rb|pl|php|lua|jar|go|exe|cmd|bat|ps1)$/i;

function isScriptPath(part: string): boolean {
  return SCRIPT_PATH.test(part) && !part.startsWith('-');
}

/** Node and similar programs add one of these to the name of a script. */
const OF_MODULES = ['.js', '.json', '.node', '.ts', '.tsx'];

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
  readonly kindOf: (file: string) => FileKind;
  readonly isInside: (file: string) => boolean;
  readonly leftOut: RegExp;
  /** The words whose files count even if they do not exist. */
  readonly started: ReadonlySet<string>;
}

function namedIn(words: readonly string[], around: Around): readonly string[] {
  const { kindOf, isInside, leftOut, started } = around;
  const found: string[] = [];
  const bases = [...around.bases];
  const resolve = (names: readonly string[]): readonly string[] =>
    bases.flatMap((base) => names.map((name) => path.resolve(base, name)));
  let runner: string | undefined;
  let isPython = false;
  let isUnknown = false;
  for (const [at, word] of words.entries()) {
    const before = words[at - 1] ?? '';
    const module = isPython || isUnknown ? moduleIn(word, before) : undefined;
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
    if (present.length === 0)
      found.push(...resolve(parts.filter((part) => started.has(part) || isScriptPath(part))));
    if (present.length === 0 && runner !== undefined && started.has(word))
      found.push(...resolve(withModuleEndings(word)));
    if (module !== undefined) found.push(...resolve(modulePlaces(module)));
    isPython ||= PYTHON.test(path.basename(word));
    isUnknown = word === UNKNOWN || (isUnknown && word.startsWith('-'));
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
const PYTHON =
  /^((i|bi?)?python|pypy|graalpy|py)[\w.-]*$|^(uv|uvx|coverage|uvicorn|gunicorn|hypercorn|granian|daphne|xonsh|kernprof|scalene|mprof|viztracer)$/;
/** The value of an unknown variable, which may be a program with options: `"${PYTHON:-python3}" -m x`. */
const UNKNOWN = '.';

/** Returns the module in `-m a.b`, `-ma.b` or `a.b:app`. */
function moduleIn(word: string, before: string): string | undefined {
  const name = /^-[A-Za-z]*m$/.test(before) ? word : /^-[A-Za-ln-z]*m(\w[\w.]*)$/.exec(word)?.[1];
  const module = name ?? /^([\w.]+):[\w.]+$/.exec(word)?.[1];
  return module !== undefined && /^[A-Za-z_]\w*(\.\w+)*$/.test(module) ? module : undefined;
}

/** Returns the places of the modules of Python in a simple command: `python3 -m tools.check`. */
export function modulesIn(words: readonly string[]): readonly string[] {
  if (!words.some((word) => PYTHON.test(path.basename(word)))) return [];
  return words.flatMap((word, at) => {
    const module = moduleIn(word, words[at - 1] ?? '');
    return module === undefined ? [] : modulePlaces(module);
  });
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
