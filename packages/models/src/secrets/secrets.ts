/**
 * The secrets that this process knows, and how they are taken out of text. One object serves a whole program: models add
 * what helpers print, and everything that leaves as text goes through it.
 */

import { type Environment, isDistinctive, isSecretVariable } from './environment.ts';
import { proxySecrets } from './proxy-secrets.ts';

/** A shorter value is a word, and taking it out would make messages unreadable. */
const SHORTEST = 6;

/** Keys of the API can be recognized, also if they are not the user's own. */
const LOOKS_LIKE_A_KEY = /\bsk-ant-[\w-]{8,}/g;

const BLOT = '[redacted]';

export class Secrets {
  readonly #values = new Set<string>();
  #inMessages: readonly string[] = [];
  #inOutput: readonly string[] = [];

  add(...values: readonly (string | undefined)[]): void {
    for (const value of values) {
      const secret = value?.trim() ?? '';
      if (secret.length >= SHORTEST) this.#values.add(secret);
    }
    // The longest first: one secret may be a part of another.
    const sorted = [...this.#values].sort((left, right) => right.length - left.length);
    this.#inMessages = sorted.flatMap((value) => [value, encodeURIComponent(value.toWellFormed())]);
    const encoded = sorted.filter(isDistinctive).flatMap(formsOf);
    this.#inOutput = [...new Set(encoded)].sort((left, right) => right.length - left.length);
  }

  /** For messages of ours, which are short: every known value, and whatever looks like a key. */
  redact(text: string): string {
    return withoutForms(text, this.#inMessages).replaceAll(LOOKS_LIKE_A_KEY, BLOT);
  }

  /** For output of tools and commands: known values only, also as they are written in JSON, addresses, Base64 and hex. */
  redactOutput(text: string): string {
    return withoutForms(text, this.#inOutput);
  }

  /** The same for every text in a plain value. Answers with the value itself if it has no secret. */
  redactValue<T>(value: T): T {
    if (this.#inOutput.length === 0) return value;
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the same value with other texts in it
    return mapTexts(value, (text) => this.redactOutput(text)) as T;
  }

  /** For output that arrives in pieces: a secret may be cut in two. */
  stream(): SecretStream {
    return new SecretStream(
      (text) => this.redactOutput(text),
      () => this.#inOutput,
    );
  }
}

/** Of a whole cloud account: commands need them, so they stay in the environment, but they are not shown. */
const CLOUD_SECRETS: ReadonlySet<string> = new Set(['AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN']);

/** The secrets of an environment: keys to models, of cloud accounts, passwords of proxies. */
export function secretsIn(environment: Environment): string[] {
  const named = Object.entries(environment).filter(
    ([name]) => isSecretVariable(name) || CLOUD_SECRETS.has(name),
  );
  return [...named.map(([, value = '']) => value), ...proxySecrets(environment)];
}

/** Holds the end of a text back as long as it may be the beginning of a secret. */
export class SecretStream {
  readonly #redact: (text: string) => string;
  readonly #forms: () => readonly string[];
  #held = '';

  constructor(redact: (text: string) => string, forms: () => readonly string[]) {
    this.#redact = redact;
    this.#forms = forms;
  }

  /** Answers with what may be shown now. */
  push(piece: string): string {
    const text = this.#redact(this.#held + piece);
    const length = Math.max(0, ...this.#forms().map((form) => beginningAtEnd(text, form)));
    this.#held = text.slice(text.length - length);
    return text.slice(0, text.length - length);
  }

  /** The text is over: what was held back was not a secret. */
  end(): string {
    const rest = this.#held;
    this.#held = '';
    return rest;
  }
}

function beginningAtEnd(text: string, form: string): number {
  for (let length = Math.min(text.length, form.length - 1); length > 0; length--)
    if (text.endsWith(form.slice(0, length))) return length;
  return 0;
}

function formsOf(value: string): string[] {
  const hex = Buffer.from(value).toString('hex');
  return [
    value,
    encodeURIComponent(value.toWellFormed()),
    JSON.stringify(value).slice(1, -1),
    hex,
    hex.toUpperCase(),
    ...[0, 1, 2].flatMap((offset) => base64Forms(value, offset)),
  ];
}

/** Base64 of a text in which the value begins at this offset, modulo 3; without the letters that depend on its neighbors. */
function base64Forms(value: string, offset: number): string[] {
  const bytes = Buffer.from(value);
  const encoded = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
  const start = offset === 0 ? 0 : offset + 1;
  const end = Math.floor(((offset + bytes.length) * 8) / 6);
  const certain = encoded.slice(start, end);
  return [certain, certain.replaceAll('+', '-').replaceAll('/', '_')];
}

function withoutForms(text: string, forms: readonly string[]): string {
  let shown = text;
  for (const form of forms) if (shown.includes(form)) shown = shown.replaceAll(form, BLOT);
  return shown;
}

function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) {
    const items: readonly unknown[] = value;
    const changed = items.map((item) => mapTexts(item, change));
    return changed.some((item, index) => item !== items[index]) ? changed : value;
  }
  if (typeof value !== 'object' || value === null || !isPlain(value)) return value;
  const entries = Object.entries(value);
  const changed = entries.map(([key, inner]): [string, unknown] => [key, mapTexts(inner, change)]);
  return changed.some(([, inner], index) => inner !== entries[index]?.[1])
    ? Object.fromEntries(changed)
    : value;
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}
