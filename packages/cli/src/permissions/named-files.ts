/** Finds the files of a project that configured commands run: those of hooks, the status line, helpers and MCP servers. */
import os from 'node:os';
import path from 'node:path';
import { type DeclaredHook, type HookDefinition, settingsHooks } from '@heddle/agent/hooks';
import { appliedSettings, type LoadedSettings } from '@heddle/agent/settings';
import { isRecord } from '@heddle/core';
import type { ServerConfig } from '@heddle/mcp/config';
import { BUILD_FILE, type FileKinds, filesInCommand } from '@heddle/tools/files';
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

/** Returns the files below the working directories that commands name. `leftOut`: the names of files that do not count. */
export function filesOfCommands(
  commands: readonly ConfiguredCommand[],
  { cwd, projectDir = cwd, directories, repository = cwd }: CommandPlaces,
  leftOut = BUILD_FILE,
): readonly string[] {
  const roots = [cwd, projectDir, repository, ...directories];
  const isInside = (file: string): boolean =>
    roots.some((root) => file.startsWith(root === '/' ? root : `${root}/`)) &&
    !roots.some((root) => `${root}/`.startsWith(`${file}/`));
  const kinds: FileKinds = new Map();
  const found = commands.flatMap(({ command, cwd: own = '', environment = {} }) => {
    const base = path.resolve(cwd, own);
    const variables = {
      HOME: os.homedir(),
      ...commandEnvironment(),
      CLAUDE_PROJECT_DIR: projectDir,
      HEDDLE_PROJECT_DIR: projectDir,
      PWD: base,
      ...environment,
    };
    const reading = {
      bases: [...new Set([base, cwd, projectDir, repository])],
      startsIn: own === '' ? undefined : base,
      variables,
      // Variables can name folders of modules, and files that a program loads: `NODE_OPTIONS=--import ./a.js`.
      texts: Object.values(environment),
      isInside,
      leftOut,
    };
    return filesInCommand(command, reading, kinds);
  });
  return [...new Set(found)].filter(isInside);
}
