/** Starts a session from a message of another one, in the background, for `heddle view --allow-fork`. */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { keysForProcess } from '../keys.ts';
import { nodeVariables } from '../start/node-variables.ts';
import { pick } from '../sessions/pick.ts';

/** The new session has its file within this time, or the start has failed. */
const START_MS = 15_000;
const LOOK_AGAIN_MS = 100;

/** Returns the id of the new session when its file is there. Rejects with the reason if it did not start. */
export async function startFork(session: string, message: string, prompt: string): Promise<string> {
  const picked = pick(session);
  if (!picked.ok) throw new Error(picked.message);
  const { cwd = process.cwd(), path: file } = picked.session;
  const id = randomUUID();
  const options = ['--resume', session, '--fork-session', '--resume-session-at', message, '--session-id', id];
  const child = spawn(process.execPath, [...process.execArgv, process.argv[1] ?? '', '-p', ...options], {
    cwd,
    // Keys stay out of the environment, where every process of the user could read them.
    env: { ...process.env, ...nodeVariables(process.env), HEDDLE_KEYS_FD: '3' },
    detached: true,
    stdio: ['pipe', 'ignore', 'pipe', 'pipe'],
  });
  const keys = child.stdio[3];
  if (keys instanceof Writable) keys.on('error', () => undefined).end(keysForProcess());
  let reason = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    reason = `${reason}${text}`.slice(-1_000);
  });
  // The process may end before it reads the prompt.
  child.stdin?.on('error', () => undefined).end(prompt);
  const ended = once(child, 'close').then(
    () => 'ended' as const,
    (thrown: unknown) => Promise.reject(thrown instanceof Error ? thrown : new Error(String(thrown))),
  );
  const started = path.join(path.dirname(file), `${id}.jsonl`);
  for (const deadline = Date.now() + START_MS; Date.now() < deadline; ) {
    if (existsSync(started)) {
      child.unref();
      return id;
    }
    if ((await Promise.race([ended, delay(LOOK_AGAIN_MS)])) === 'ended') break;
  }
  if (existsSync(started)) return id;
  throw new Error(reason.trim() || 'The session did not start.');
}
