/** Finds the files of a project that configured commands run: those of hooks, the status line, helpers and MCP servers. */
import { statSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { type DeclaredHook, type HookDefinition, settingsHooks } from '@heddle/agent/hooks';
import { appliedSettings, type LoadedSettings } from '@heddle/agent/settings';
import { isRecord } from '@heddle/core';
import type { ServerConfig } from '@heddle/mcp/config';

export interface ConfiguredCommand {
  /** A text for the shell, or the words of a command without one. */
  readonly command: string | readonly string[];
  /** Undefined: the folder of the session. */
  readonly cwd?: string | undefined;
  readonly environment?: Readonly<Record<string, string>> | undefined;
}

interface CommandPlaces {
  /** The folder of the session. */
  readonly cwd: string;
  /** The folder that hooks receive as that of the project. */
  readonly projectDir?: string | undefined;
  /** Additional working directories. */
  readonly directories: readonly string[];
}

/** Settings whose value is a command. Other agents run some of them. */
const HELPERS = ['apiKeyHelper', 'otelHeadersHelper', 'awsAuthRefresh', 'awsCredentialExport'];

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

function commandOf({ handler, environment }: HookDefinition): readonly ConfiguredCommand[] {
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
 * Returns the files below the working directories that commands name. A folder counts if an interpreter runs it. A script
 * that a text for the shell names need not exist yet.
 */
export function filesOfCommands(
  commands: readonly ConfiguredCommand[],
  { cwd, projectDir = cwd, directories }: CommandPlaces,
): readonly string[] {
  const roots = [cwd, projectDir, ...directories];
  const isInside = (file: string): boolean =>
    roots.some((root) => file.startsWith(`${root}/`)) &&
    !roots.some((root) => `${root}/`.startsWith(`${file}/`));
  const found = commands.flatMap(({ command, cwd: own = '', environment }) => {
    const base = path.resolve(cwd, own);
    const variables = {
      ...process.env,
      CLAUDE_PROJECT_DIR: projectDir,
      HEDDLE_PROJECT_DIR: projectDir,
      PWD: base,
      ...environment,
    };
    const isText = typeof command === 'string';
    const words = isText ? wordsOfText(command, variables) : command.map((word) => expand(word, variables));
    return namedIn(words, base, isText);
  });
  return [...new Set(found)].filter(isInside);
}

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * Splits a text for the shell, roughly: with its quotes, and again without them for commands in quotes. A word too many names
 * no file. The value of an unknown variable or substitution is taken for the current folder.
 */
function wordsOfText(text: string, variables: Variables): readonly string[] {
  const inner = [...text.matchAll(/\$\(([^()]*)\)|`([^`]*)`/g)].map(([, one, other]) => one ?? other ?? '');
  const plain = text
    .replace(/\$\([^()]*\)|`[^`]*`/g, '.')
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

/** Variables in words of servers are expanded already. */
function expand(word: string, variables: Variables): string {
  const home = word.replace(/^~(?=\/|$)/, os.homedir());
  return home.replace(
    /\$(?:(\w+)|\{(\w+)[^}]*\})/g,
    (_, plain: string | undefined, braced: string | undefined) => variables[plain ?? braced ?? ''] ?? '.',
  );
}

/** Programs that run a folder, or a file with any ending. */
const INTERPRETER =
  /^(node(js)?|bun|bunx|deno|npx|pnpx|tsx|ts-node|python[\d.]*|pypy[\d.]*|uv|uvx|ruby|perl|php|lua|java|go|cargo|(ba|da|z|k|c|tc|fi)?sh|source|\.|run-parts)$/;
const RUN = /^(run|exec|x|tool|env|-(?!-?test$|-?check$|[cemp]$).*)$/;

/** Texts and data that a command reads, and the files of builds: their programs are ordinary work. */
const DATA = /\.(md|mdx|txt|log|csv|tsv|jsonl|ndjson|db|sqlite\d?|lock|html|css|svg|png|jpg)$/i;
const BUILD =
  /^((gnu)?makefile|justfile|package(-lock)?\.json|tsconfig.*\.json|jsconfig\.json|pyproject\.toml|cargo\.toml|go\.mod|pom\.xml|build\.gradle(\.kts)?)$/i;

/** The path of a file that is run, if it exists. */
const SCRIPT_PATH =
  /^[^=:,;&|()]*\/[^=:,;&|()]*\.([cm]?[jt]sx?|(ba|da|z|k|fi)?sh|py|rb|pl|php|lua|jar|exe|cmd|bat|ps1)$/i;

/** A folder in a command may be the current one of later words: `cd scripts && ./check.sh`. */
const MOST_BASES = 8;

function namedIn(words: readonly string[], cwd: string, isText: boolean): readonly string[] {
  const found: string[] = [];
  const bases = [cwd];
  let isRun = false;
  for (const [at, word] of words.entries()) {
    const parts = words[at - 1] === '-m' ? modulesOf(word) : partsOf(word);
    const names = isRun ? [...parts, `${word}.js`] : parts;
    const files = [...bases].flatMap((base) => names.map((name) => path.resolve(base, name)));
    const present = files.flatMap((file) => kindOf(file) ?? []);
    for (const { file, isFolder } of present) {
      if (isFolder && !bases.includes(file) && bases.length < MOST_BASES) bases.push(file);
      // The name of a task or a program in a search path is not that of a file here.
      const isOrdinary =
        BUILD.test(path.basename(file)) || (!isRun && (DATA.test(file) || !/[/.]/.test(word)));
      if (isFolder ? isRun : !isOrdinary) found.push(file);
    }
    if (present.length === 0 && isText && SCRIPT_PATH.test(word)) found.push(path.resolve(cwd, word));
    isRun = INTERPRETER.test(path.basename(word)) || (isRun && RUN.test(word));
  }
  return found;
}

/** The parts of `--config=./a.js`, `-r./a.js` and `a.jar:b.jar` that may be files. */
function partsOf(word: string): readonly string[] {
  const attached = /^-\w./.test(word) ? [word.slice(2)] : [];
  return [word, ...attached, ...word.split(/[=:,]/)].filter((part) => part !== '' && !part.includes('\0'));
}

function modulesOf(word: string): readonly string[] {
  const file = word.replaceAll('.', '/');
  return [`${file}.py`, `${file}/__main__.py`];
}

/** Undefined if there is nothing. */
function kindOf(file: string): { readonly file: string; readonly isFolder: boolean } | undefined {
  try {
    return { file, isFolder: statSync(file).isDirectory() };
  } catch {
    return undefined;
  }
}
