/** Runs the real program: the launcher, the bundle and a process with its own home folder. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { isRecord } from '@heddle/core';
import { oncePerRun } from '@heddle/testing';

const repository = path.resolve(import.meta.dirname, '../../../..');

export interface Installed {
  readonly program: string;
  remove(): void;
}

/**
 * Returns the current program, installed without its sources, so that the launcher runs the bundle. It is built once per test
 * run, and all files share it: a test that changes it uses `installCopy`.
 */
export async function install(): Promise<Installed> {
  const folder = await oncePerRun('installed', build);
  return { program: path.join(folder, 'bin/heddle'), remove: () => undefined };
}

/** Installs a copy of the program that the test may change. */
export async function installCopy(): Promise<Installed> {
  const shared = path.resolve((await install()).program, '../..');
  const folder = mkdtempSync(path.join(os.tmpdir(), 'heddle-installed-'));
  cpSync(shared, folder, { recursive: true, verbatimSymlinks: true });
  return {
    program: path.join(folder, 'bin/heddle'),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

async function build(folder: string): Promise<void> {
  const bundler = path.join(repository, 'scripts/bundle.ts');
  await promisify(execFile)(process.execPath, [bundler, path.join(folder, 'dist')]);
  mkdirSync(path.join(folder, 'bin'));
  copyFileSync(path.join(repository, 'bin/heddle'), path.join(folder, 'bin/heddle'));
  symlinkSync(path.join(repository, 'node_modules'), path.join(folder, 'node_modules'));
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
