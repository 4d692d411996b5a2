/** `!command`: runs a shell command of the user without permission rules. The model sees it with the next prompt. */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { findBash } from '@heddle/tools';
import { knownSecrets } from '../../known-secrets.ts';
import { SHELL_MARK } from '../../sessions/text/prompt-text.ts';
import { escapeControls } from '../../terminal/escape-controls.ts';

type Child = ChildProcessByStdio<null, Readable, Readable>;

export interface ShellRun {
  readonly cwd: string;
  readonly signal: AbortSignal;
  /** Receives the output while the command runs. */
  readonly show: (text: string) => void;
}

export interface ShellEnd {
  readonly output: string;
  readonly code: number | null;
}

/** After the exit, output is read until none arrives for this time. */
const QUIET_MS = 200;
/** The maximum time for reading output after the exit. */
const MAX_DRAIN_MS = 5_000;

/** The number of characters at the start and at the end of the output that are stored for the model. */
const MAX_PART_LENGTH = 15_000;

export function runShellCommand(command: string, { cwd, signal, show }: ShellRun): Promise<ShellEnd> {
  const child = spawn(findBash(undefined, [cwd]), ['-c', command], {
    cwd,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const { promise, resolve } = Promise.withResolvers<ShellEnd>();
  let beginning = '';
  let rest = '';
  let leftOut = 0;
  const keep = (text: string): void => {
    const free = MAX_PART_LENGTH - beginning.length;
    beginning += text.slice(0, free);
    rest += text.slice(free);
    leftOut += Math.max(0, rest.length - MAX_PART_LENGTH);
    rest = rest.slice(-MAX_PART_LENGTH);
    show(escapeControls(text));
  };
  // A secret may be split into two chunks of one stream.
  const streams = [child.stdout, child.stderr].map((stream) => {
    const cleaned = knownSecrets.stream();
    stream.setEncoding('utf8').on('data', (written: string) => {
      keep(cleaned.push(stripVTControlCharacters(written)));
    });
    return cleaned;
  });
  const end = (): void => endGroup(child.pid);
  signal.addEventListener('abort', end, { once: true });
  child.once('error', (error) => resolve({ output: knownSecrets.redact(error.message), code: null }));
  const over = (code: number | null): void => {
    signal.removeEventListener('abort', end);
    for (const cleaned of streams) keep(cleaned.end());
    const gap = leftOut > 0 ? `\n… ${leftOut} characters left out …\n` : '';
    resolve({ output: beginning + gap + rest, code });
  };
  child.once('close', over);
  // A background process may keep the output open forever.
  child.once('exit', (code) =>
    whenQuiet(child, () => {
      child.stdout.destroy();
      child.stderr.destroy();
      over(code);
    }),
  );
  return promise;
}

function whenQuiet({ stdout, stderr }: Pick<Child, 'stdout' | 'stderr'>, then: () => void): void {
  const until = Date.now() + MAX_DRAIN_MS;
  let isRunning = true;
  for (const stream of [stdout, stderr]) stream.on('data', () => (isRunning = true));
  const look = (): void => {
    if (!isRunning || Date.now() >= until) return then();
    isRunning = false;
    // If this process was delayed, pending output is read first.
    setTimeout(() => setImmediate(look), QUIET_MS).unref();
  };
  look();
}

/** Formats the command and its output as a message for the conversation. */
export function shellMessage(command: string, { output, code }: ShellEnd): string {
  const how = code === null ? 'interrupted' : `exit code ${code}`;
  return `${SHELL_MARK}${command}</bash-input>\n<bash-stdout>${output}</bash-stdout>\n<bash-exit>${how}</bash-exit>`;
}

function endGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // The process has already ended.
  }
}
