/**
 * The file that `CLAUDE_ENV_FILE` names. Hooks of some events write `export` lines into it, and later commands get these variables.
 * The lines may use the shell, such as `export PATH="$PATH:./bin"`, so a shell reads them.
 */
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { environmentIn, errorMessage } from '@heddle/core';
import { makeTemporaryFolder, removeTemporaryFolder } from '@heddle/tools/files';

export interface EnvFileDeps {
  /** The folder for the file. It must be one that no call can change, because a shell runs the text of the file. */
  readonly folder: string;
  readonly cwd: string;
  /** The environment of commands before the hooks ran. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Receives the variables that the file added or changed. */
  readonly onVariables: (variables: Readonly<Record<string, string>>) => void;
  readonly onFailure: (message: string) => void;
}

/** A name without a folder would be searched in PATH, which may contain folders of the project, or be a function of the file. */
const ENV = '/usr/bin/env';

/** Lines that take longer than this to read are reported. */
const SHELL_DEADLINE_MS = 5_000;
const MAX_OUTPUT_BYTES = 4_000_000;

/** Runs the hooks of an event with the path of an empty file, and reads the file afterwards. Rejects only if `run` does. */
export async function withEnvFile<T>(deps: EnvFileDeps, run: (file: string) => Promise<T>): Promise<T> {
  const file = await createFile(deps.folder).catch((thrown: unknown) => {
    deps.onFailure(`Hooks cannot set variables: ${errorMessage(thrown)}`);
    return undefined;
  });
  if (file === undefined) return run('/dev/null');
  try {
    const result = await run(file);
    const text = await readFile(file, 'utf8').catch(() => '');
    if (text.trim() !== '') await readVariables(file, deps);
    return result;
  } finally {
    removeTemporaryFolder(path.dirname(file));
  }
}

async function createFile(parent: string): Promise<string> {
  const folder = makeTemporaryFolder('env', parent);
  const file = path.join(folder, 'env.sh');
  await writeFile(file, '', { mode: 0o600 });
  return file;
}

async function readVariables(file: string, deps: EnvFileDeps): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  // Variables without `export` count as well: `set -a` exports them.
  const script = `set -a; . "$1" >/dev/null || exit 1; '${ENV}' -0`;
  const options = {
    cwd: deps.cwd,
    env: { ...environmentIn(deps.cwd, deps.environment) },
    encoding: 'utf8' as const,
    timeout: SHELL_DEADLINE_MS,
    maxBuffer: MAX_OUTPUT_BYTES,
  };
  execFile('/bin/sh', ['-c', script, 'sh', file], options, (failure, stdout, stderr) => {
    const why = stderr.trim().split('\n')[0] ?? '';
    if (failure) deps.onFailure(`The variables of a hook cannot be read: ${why || errorMessage(failure)}`);
    else deps.onVariables(changedVariables(stdout, deps.environment));
    resolve();
  });
  return promise;
}

/** The shell sets these variables by itself. */
const OF_THE_SHELL: ReadonlySet<string> = new Set(['_', 'PWD', 'OLDPWD', 'SHLVL']);

function changedVariables(
  output: string,
  before: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> {
  const entries = output.split('\0').flatMap((line): [string, string][] => {
    const at = line.indexOf('=');
    if (at <= 0) return [];
    const [name, value] = [line.slice(0, at), line.slice(at + 1)];
    return OF_THE_SHELL.has(name) || before[name] === value ? [] : [[name, value]];
  });
  return Object.fromEntries(entries);
}
