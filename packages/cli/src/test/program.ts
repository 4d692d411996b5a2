/** The program as its user starts it: the real launcher, the real bundle, a real process in a home of its own. */
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

/** Installs the program as it is now. Its sources are not there, so the launcher always runs the bundle. */
export async function install(): Promise<Installed> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'heddle-installed-'));
  cpSync(await bundled(), path.join(folder, 'dist'), { recursive: true });
  mkdirSync(path.join(folder, 'bin'));
  const program = path.join(folder, 'bin/heddle');
  copyFileSync(path.join(repository, 'bin/heddle'), program);
  symlinkSync(path.join(repository, 'node_modules'), path.join(folder, 'node_modules'));
  return { program, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** Made once a run: the first that needs it makes it, under a name of its own until it is whole. */
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
    // Another file of tests was faster.
    return own;
  }
}

function sharedFolder(): string {
  const folder = process.env['HEDDLE_TEST_FOLDER'];
  if (folder === undefined)
    throw new Error('Set up in vitest.config.ts; without it a bundle of another day could be found.');
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
  /** All of standard input. Null: it stays open, for whoever holds the process. */
  readonly input?: string | null;
  /** Called with all of standard output so far, whenever some arrives. */
  readonly onOutput?: (stdout: string, child: ChildProcess) => void;
  readonly onStart?: (child: ChildProcess) => unknown;
}

/** Runs the program to its end. Nothing of the caller's environment reaches it but the search path. */
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
  // It may be gone before it has read anything.
  child.stdin.on('error', () => undefined);
  if (input !== null) child.stdin.end(input);
  return new Promise((resolve) => {
    child.on('close', (code, signal) => resolve({ code, signal, stdout, stderr }));
  });
}

export type OutputLine = Readonly<Record<string, unknown>>;

/** The whole lines of JSON in an output; what a kill cut off at its end is no line. */
export function linesOf(stdout: string): OutputLine[] {
  const whole = stdout.slice(0, stdout.lastIndexOf('\n') + 1);
  return whole
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const value: unknown = JSON.parse(line);
      if (!isRecord(value)) throw new Error(`The output holds something else than objects: ${line}`);
      return value;
    });
}
