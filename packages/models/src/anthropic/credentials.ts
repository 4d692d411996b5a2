/** Credentials for the Messages API, in this order: a token, a key, or the output of a key helper. */
import type { Clock, ModelError } from '@heddle/core';
import type { ChildProcess } from 'node:child_process';
import { type Environment, withoutSecrets } from '../secrets/environment.ts';
import type { Secrets } from '../secrets/secrets.ts';
import type { Settings } from './options.ts';
import { NO_ANTHROPIC_KEY } from '../aliases.ts';

/** The values that the first line of a session shows. */
export type KeySource = 'ANTHROPIC_AUTH_TOKEN' | 'ANTHROPIC_API_KEY' | 'apiKeyHelper' | 'none';

type Credentials =
  | { readonly ok: true; readonly headers: Readonly<Record<string, string>>; readonly key: string }
  | { readonly ok: false; readonly error: ModelError };

export class CredentialSource {
  readonly source: KeySource;
  readonly #settings: Settings;
  readonly #secrets: Secrets;
  readonly #helper: KeyHelper | undefined;

  constructor(settings: Settings, secrets: Secrets) {
    const { apiKey, authToken, keyHelper, keyHelperTtlMs, environment, clock } = settings;
    this.source = keySourceOf(settings);
    this.#settings = settings;
    this.#secrets = secrets;
    secrets.add(apiKey, authToken);
    if (this.source === 'apiKeyHelper' && keyHelper !== undefined) {
      this.#helper = new KeyHelper({ command: keyHelper, ttlMs: keyHelperTtlMs, environment, clock });
    }
  }

  async get(): Promise<Credentials> {
    const { apiKey, authToken } = this.#settings;
    if (authToken !== undefined) return this.#checked(authToken, { authorization: `Bearer ${authToken}` });
    if (apiKey !== undefined) return this.#checked(apiKey, { 'x-api-key': apiKey });
    if (this.#helper === undefined) return refused(NO_ANTHROPIC_KEY);
    const helped = await this.#helper.get();
    if (!helped.ok)
      return refused(this.#secrets.redact(`The key helper gave no key: ${helped.why}. Correct the command.`));
    this.#secrets.add(helped.key);
    // Sends both headers: key helpers are mostly used for gateways, and each gateway reads a different one.
    return this.#checked(helped.key, { 'x-api-key': helped.key, authorization: `Bearer ${helped.key}` });
  }

  /**
   * Called when the API rejected this key. Returns true if another key may be available, because the
   * helper's key may have expired.
   */
  renew(refusedKey: string): boolean {
    this.#helper?.forget(refusedKey);
    return this.#helper !== undefined;
  }

  /** Rejects a key that is not valid in a header. The HTTP client would throw much later. */
  #checked(key: string, headers: Readonly<Record<string, string>>): Credentials {
    if (/^[\x21-\x7e]+$/.test(key)) return { ok: true, key, headers };
    return refused(
      `The key from ${this.source} has a space, a line break or another character that no key has. Set it anew.`,
    );
  }
}

function keySourceOf({
  authToken,
  apiKey,
  keyHelper,
}: Pick<Settings, 'authToken' | 'apiKey' | 'keyHelper'>): KeySource {
  if (authToken !== undefined) return 'ANTHROPIC_AUTH_TOKEN';
  if (apiKey !== undefined) return 'ANTHROPIC_API_KEY';
  return keyHelper === undefined ? 'none' : 'apiKeyHelper';
}

function refused(message: string): Credentials {
  return { ok: false, error: { type: 'model_error', class: 'auth', message } };
}

type HelperKey = { readonly ok: true; readonly key: string } | { readonly ok: false; readonly why: string };

interface KeyHelperOptions {
  readonly command: string;
  readonly ttlMs: number;
  readonly environment: Environment;
  readonly clock: Clock;
}

/**
 * A helper that asks a vault over the network takes a second. One that takes this long waits for a person.
 */
const DEADLINE_MS = 60_000;
/** Keys are short. A larger output is not a key. */
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

  /** Called when the API rejected this key. A different key that arrived in the meantime stays in use. */
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
        // Uses its own process group, so that processes started by the shell end with it.
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

/**
 * Returns only the error code. The message repeats the command or the variable, and both may contain a
 * secret.
 */
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
    // The process has already ended.
  }
}
