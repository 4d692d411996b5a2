/** A command that prints a key. Its key is kept for a while, and one run serves all who wait for it. */
import type { ChildProcess } from 'node:child_process';
import type { Clock } from '@heddle/core';
import { type Environment, withoutSecrets } from '../secrets/environment.ts';

export type HelperKey =
  | { readonly ok: true; readonly key: string }
  | { readonly ok: false; readonly why: string };

export interface KeyHelperOptions {
  readonly command: string;
  readonly ttlMs: number;
  readonly environment: Environment;
  readonly clock: Clock;
}

/** A helper that asks a vault over the network takes a second; one that takes this long waits for a person. */
const DEADLINE_MS = 60_000;
/** A key is short: whatever prints more is not printing a key. */
const MOST_OUTPUT = 64 * 1024;

export class KeyHelper {
  readonly #options: KeyHelperOptions;
  #running: Promise<HelperKey> | undefined;
  #kept: { readonly key: string; readonly until: number } | undefined;

  constructor(options: KeyHelperOptions) {
    this.#options = options;
  }

  get(): Promise<HelperKey> {
    const kept = this.#kept;
    if (kept && this.#options.clock.now() < kept.until) return Promise.resolve({ ok: true, key: kept.key });
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  /** The API refused this key: it is not used again. Another one that came in the meantime is. */
  forget(key: string): void {
    if (this.#kept?.key === key) this.#kept = undefined;
  }

  async #run(): Promise<HelperKey> {
    const { clock, ttlMs } = this.#options;
    const outcome = await this.#ask();
    if (outcome.ok) this.#kept = { key: outcome.key, until: clock.now() + ttlMs };
    return outcome;
  }

  async #ask(): Promise<HelperKey> {
    const { spawn } = await import('node:child_process');
    const { command, environment, clock } = this.#options;
    const over = new AbortController();
    let child: ChildProcess;
    try {
      child = spawn(command, {
        shell: true,
        stdio: ['ignore', 'pipe', 'pipe'],
        env: withoutSecrets(environment),
        // A group of its own: what the shell started ends with it.
        detached: process.platform !== 'win32',
      });
    } catch (thrown) {
      return failed(`it could not be started (${codeOf(thrown)})`);
    }
    const { promise: ended, resolve: end } = Promise.withResolvers<HelperKey>();
    const [output, errors] = [collected(child.stdout), collected(child.stderr)];
    child.once('error', (error) => end(failed(`it could not be started: ${error.message}`)));
    child.once('close', (code, signal) => {
      const key = output().trim();
      if (code !== 0) end(failed(`it ended with ${signal ?? code}: ${firstLine(errors())}`));
      else end(key === '' ? failed('it printed nothing') : { ok: true, key });
    });
    const watch = async () => {
      await clock.sleep(DEADLINE_MS, over.signal);
      if (over.signal.aborted) return;
      kill(child);
      end(failed(`it took longer than ${DEADLINE_MS / 1_000} s`));
    };
    void watch();
    return ended.finally(() => over.abort('over'));
  }
}

function failed(why: string): HelperKey {
  return { ok: false, why };
}

/** Only the code: the message repeats the command or the variable, and either may hold a secret. */
function codeOf(thrown: unknown): string {
  return thrown instanceof Error && 'code' in thrown ? String(thrown.code) : 'for no known reason';
}

function collected(stream: NodeJS.ReadableStream | null): () => string {
  let text = '';
  stream?.setEncoding('utf8');
  stream?.on('data', (chunk: string) => {
    if (text.length < MOST_OUTPUT) text += chunk;
  });
  return () => text;
}

function firstLine(text: string): string {
  return text.trim().split('\n')[0]?.slice(0, 200) ?? '';
}

function kill(child: ChildProcess): void {
  try {
    if (child.pid !== undefined && process.platform !== 'win32') process.kill(-child.pid, 'SIGKILL');
    else child.kill('SIGKILL');
  } catch {
    // It is gone already.
  }
}
