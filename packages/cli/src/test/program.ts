/** Runs the real program: the launcher, the bundle and a process with its own home folder. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { isRecord } from '@heddle/core';

const repository = path.resolve(import.meta.dirname, '../../../..');

export interface Installed {
  readonly program: string;
  remove(): void;
}

/** Installs the current program without its sources, so that the launcher runs the bundle. */
export async function install(): Promise<Installed> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'heddle-installed-'));
  cpSync(await bundled(), path.join(folder, 'dist'), { recursive: true });
  mkdirSync(path.join(folder, 'bin'));
  const program = path.join(folder, 'bin/heddle');
  copyFileSync(path.join(repository, 'bin/heddle'), program);
  symlinkSync(path.join(repository, 'node_modules'), path.join(folder, 'node_modules'));
  return { program, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** Returns the bundle, which is built once per test run. It has a temporary name until it is complete. */
async function bundled(): Promise<string> {
  const shared = path.join(sharedFolder(), 'dist');
  if (existsSync(shared)) return shared;
  const own = `${shared}-${process.pid}`;
  const bundler = path.join(repository, 'scripts/bundle.ts');
  await promisify(execFile)(process.execPath, [bundler, own]);
  try {
    renameSync(own, shared);
    return shared;
  } catch {
    // Another test file has created it in the meantime.
    return own;
  }
}

function sharedFolder(): string {
  const folder = process.env['HEDDLE_TEST_FOLDER'];
  if (folder === undefined)
    throw new Error('HEDDLE_TEST_FOLDER is not set. Run the tests with vitest.config.ts.');
  return folder;
}

export interface Ended {
  readonly code: number | null;
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  /** All of standard input. Null: it stays open, and the test may write to it. */
  readonly input?: string | null;
  /** Called with all of standard output so far, whenever output arrives. */
  readonly onOutput?: (stdout: string, child: ChildProcess) => void;
  readonly onStart?: (child: ChildProcess) => unknown;
}

/** Runs the program to its end. It inherits only the search path from the environment. */
export function runProgram(
  program: string,
  argv: readonly string[],
  { cwd, env = {}, input = '', onOutput, onStart }: RunOptions,
): Promise<Ended> {
  const home = {
    PATH: process.env['PATH'] ?? '',
    HOME: cwd,
    HEDDLE_CONFIG_DIR: path.join(cwd, 'config'),
    NO_COLOR: '1',
  };
  const child = spawn(program, argv, { cwd, env: { ...home, ...env } });
  void onStart?.(child);
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
    onOutput?.(stdout, child);
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  // The program may exit before it reads its input.
  child.stdin.on('error', () => undefined);
  if (input !== null) child.stdin.end(input);
  return new Promise((resolve) => {
    child.on('close', (code, signal) => resolve({ code, signal, stdout, stderr }));
  });
}

export type OutputLine = Readonly<Record<string, unknown>>;

/** Parses the complete lines of JSON in an output. A last line that a kill cut off is ignored. */
export function linesOf(stdout: string): OutputLine[] {
  const whole = stdout.slice(0, stdout.lastIndexOf('\n') + 1);
  return whole
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const value: unknown = JSON.parse(line);
      if (!isRecord(value)) throw new Error(`A line of the output is not an object: ${line}`);
      return value;
    });
}
