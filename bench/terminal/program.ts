/** The real program in a pty, for the benchmark of the terminal. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { spawn } from '@lydell/node-pty';

export const ROOT = path.resolve(import.meta.dirname, '../..');
/** Clock ticks of the kernel per second. */
const TICKS = 100;
const KEPT_TEXT = 200_000;
const LATE_MS = 10_000;
/** A wait that takes longer means that the program hangs. */
const STUCK_MS = 60_000;

export interface Place {
  readonly folder: string;
  /** The address of the fake API. */
  readonly api: string;
}

export interface Program {
  readonly pid: number;
  /** The end of the output, with escape sequences. */
  readonly text: string;
  /** The number of bytes so far. */
  readonly bytes: number;
  type(keys: string): void;
  resize(columns: number, rows: number): void;
  onData(listener: (data: string) => void): () => void;
  /** Types a text, and waits until the output contains another. Returns milliseconds. */
  echo(typed: string, wanted: string): Promise<number>;
  /** Waits until the output since the last call of `forget` contains the text. */
  sees(wanted: string): Promise<void>;
  /** Forgets the output so far. */
  forget(): void;
  /** The processor time so far, in milliseconds. */
  cpuMs(): number;
  memoryMB(): number;
  kill(): void;
}

/** Starts Heddle, or another program if `file` is given. */
export function startProgram(
  { folder, api }: Place,
  { argv = [], file, env = {} }: { argv?: readonly string[]; file?: string; env?: Record<string, string> } = {},
): Program {
  const own = ['--model', 'anthropic/claude-sonnet-4-5', '--allowed-tools', 'Bash', ...argv];
  const pty = spawn(file ?? path.join(ROOT, 'bin/heddle'), file === undefined ? own : [...argv], {
    cols: 100,
    rows: 40,
    cwd: folder,
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: folder,
      HEDDLE_CONFIG_DIR: path.join(folder, 'config'),
      TERM: 'xterm-256color',
      LANG: 'C.UTF-8',
      ANTHROPIC_API_KEY: 'key',
      ANTHROPIC_BASE_URL: api,
      ...env,
    },
  });
  const listeners = new Set<(data: string) => void>();
  let text = '';
  let bytes = 0;
  pty.onData((data) => {
    bytes += Buffer.byteLength(data);
    text = (text + data).slice(-KEPT_TEXT);
    for (const listener of listeners) listener(data);
  });
  const onData = (listener: (data: string) => void): (() => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  return {
    pid: pty.pid,
    get text() {
      return text;
    },
    get bytes() {
      return bytes;
    },
    type: (keys) => pty.write(keys),
    resize: (columns, rows) => pty.resize(columns, rows),
    onData,
    async echo(typed, wanted) {
      const { promise, resolve } = Promise.withResolvers<number>();
      const startedAt = performance.now();
      const stop = onData((data) => {
        if (data.includes(wanted)) resolve(performance.now() - startedAt);
      });
      pty.write(typed);
      const late = setTimeout(() => resolve(LATE_MS), LATE_MS);
      return promise.finally(() => {
        clearTimeout(late);
        stop();
      });
    },
    async sees(wanted) {
      const until = performance.now() + STUCK_MS;
      while (!text.includes(wanted)) {
        if (performance.now() > until) throw new Error(`no "${wanted}" in: ${text.slice(-2_000)}`);
        await sleep(2);
      }
    },
    forget() {
      text = '';
    },
    cpuMs() {
      const fields = readFileSync(`/proc/${pty.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
      return ((Number(fields[11]) + Number(fields[12])) / TICKS) * 1_000;
    },
    memoryMB: () =>
      Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pty.pid}/status`, 'utf8'))?.[1]) / 1_024,
    kill: () => pty.kill('SIGKILL'),
  };
}
