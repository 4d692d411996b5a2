/** Tokens and client registrations of servers, in one file that only the user can read. */
import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { StoredOAuthClientInformation, StoredOAuthTokens } from '@modelcontextprotocol/client';
import { isRecord } from '@heddle/core';

/** The entry of one server. It was written by this program. */
export interface StoredLogin {
  readonly client?: StoredOAuthClientInformation | undefined;
  readonly tokens?: StoredOAuthTokens | undefined;
}

const OWNER_ONLY = 0o600;

export class TokenStore {
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  /** The name alone is not enough: another address must not get the tokens. */
  static keyOf(name: string, url: string): string {
    return `${name} ${url}`;
  }

  read(key: string): StoredLogin {
    const all = this.#readAll();
    const entry = Object.hasOwn(all, key) ? all[key] : undefined;
    return isRecord(entry) ? entry : {};
  }

  /** An undefined field removes the stored one. */
  change(key: string, changes: StoredLogin): void {
    this.#write({ ...this.#readAll(), [key]: { ...this.read(key), ...changes } });
  }

  /** Returns false if there was nothing to remove. */
  remove(key: string): boolean {
    const { [key]: entry, ...others } = this.#readAll();
    if (entry === undefined) return false;
    this.#write(others);
    return true;
  }

  #readAll(): Readonly<Record<string, unknown>> {
    try {
      const content: unknown = JSON.parse(readFileSync(this.#file, 'utf8'));
      return isRecord(content) ? content : {};
    } catch {
      return {};
    }
  }

  /** Complete or not at all, and never readable by others, not even for a moment. */
  #write(content: Readonly<Record<string, unknown>>): void {
    mkdirSync(path.dirname(this.#file), { recursive: true, mode: 0o700 });
    const draft = `${this.#file}.${randomUUID()}.tmp`;
    try {
      writeFileSync(draft, JSON.stringify(content, undefined, 2), { mode: OWNER_ONLY, flag: 'wx' });
      renameSync(draft, this.#file);
    } finally {
      rmSync(draft, { force: true });
    }
  }
}
