/** What proves who we are: a token, a key, or what a helper prints, in this order. */
import type { ModelError } from '@heddle/core';
import { NO_ANTHROPIC_KEY } from '../found.ts';
import type { Secrets } from '../secrets/secrets.ts';
import { KeyHelper } from './key-helper.ts';
import type { Settings } from './options.ts';

/** As users know them from the session's first line. */
export type KeySource = 'ANTHROPIC_AUTH_TOKEN' | 'ANTHROPIC_API_KEY' | 'apiKeyHelper' | 'none';

export type Credentials =
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
      return refused(this.#secrets.redact(`The key helper gave no key: ${helped.why}. Mend the command.`));
    this.#secrets.add(helped.key);
    // Which of the two a gateway reads is its own affair; the helper is there for gateways.
    return this.#checked(helped.key, { 'x-api-key': helped.key, authorization: `Bearer ${helped.key}` });
  }

  /** The API refused this key. True when it is worth asking for another: a helper's may have run out. */
  renew(refusedKey: string): boolean {
    this.#helper?.forget(refusedKey);
    return this.#helper !== undefined;
  }

  /** What cannot stand in a header would throw there, after much else was done. */
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
