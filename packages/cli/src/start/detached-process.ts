/** Starts this program in a process of its own: jobs, the runner of schedules, members of teams. */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { Writable } from 'node:stream';
import { keysForProcess } from '../keys.ts';
import { nodeVariables } from './node-variables.ts';

interface DetachedSetup {
  readonly cwd: string;
  /** Receives the output. */
  readonly log: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Contract: the caller calls `unref` when it no longer waits for the process. */
export function spawnDetached(argv: readonly string[], { cwd, log, env = {} }: DetachedSetup): ChildProcess {
  const output = openSync(log, 'a', 0o600);
  try {
    const child = spawn(process.execPath, [...process.execArgv, process.argv[1] ?? '', ...argv], {
      cwd,
      // Keys stay out of the environment, where every process of the user could read them.
      env: { ...process.env, ...nodeVariables(process.env), ...env, HEDDLE_KEYS_FD: '3' },
      // A session of its own: the process has no terminal, and signals of this one do not reach it.
      detached: true,
      stdio: ['ignore', output, output, 'pipe'],
    });
    const keys = child.stdio[3];
    if (keys instanceof Writable) keys.on('error', () => undefined).end(keysForProcess());
    return child;
  } finally {
    closeSync(output);
  }
}
