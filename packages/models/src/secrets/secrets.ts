/**
 * The secrets known to this process, and their redaction. One object serves a whole program: models add
 * the output of key helpers, and all text output passes through it.
 */

import { type Environment, isDistinctive, isSecretVariable, proxySecrets } from './environment.ts';

/** A shorter value is a word. Its redaction would make messages unreadable. */
const SHORTEST = 6;

/** API keys are recognized even if they are not the user's own. */
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
    const known = [...this.#values];
    const encoded = known.filter(isDistinctive).flatMap(formsOf);
    const short = known.flatMap((value) => [value, encodeURIComponent(value.toWellFormed())]);
    this.#inMessages = longestFirst([...short, ...encoded]);
    this.#inOutput = longestFirst(encoded);
  }

  /** For our own messages and texts of servers in them: redacts every known value in each form, and text that looks like a key. */
  redact(text: string): string {
    return withoutForms(text, this.#inMessages).replaceAll(LOOKS_LIKE_A_KEY, BLOT);
  }

  /**
   * For output of tools and commands: redacts known values only, also encoded as JSON, URL, Base64 or hex.
   */
  redactOutput(text: string): string {
    return withoutForms(text, this.#inOutput);
  }

  /** Redacts every text in a plain value. Returns the value itself if it has no secret. */
  redactValue<T>(value: T): T {
    if (this.#inOutput.length === 0) return value;
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the same value with other texts in it
    return mapTexts(value, (text) => this.redactOutput(text)) as T;
  }

  /** For output that arrives in chunks: a secret may be split between two. */
  stream(): SecretStream {
    return new SecretStream(
      (text) => this.redactOutput(text),
      () => this.#inOutput,
    );
  }
}

/**
 * Secrets of a whole cloud account. Commands need them, so they stay in the environment, but they are
 * redacted.
 */
const CLOUD_SECRETS: ReadonlySet<string> = new Set(['AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN']);

/** Returns the secrets of an environment: keys to models and cloud accounts, and passwords of proxies. */
export function secretsIn(environment: Environment): string[] {
  const named = Object.entries(environment).filter(
    ([name]) => isSecretVariable(name) || CLOUD_SECRETS.has(name),
  );
  return [...named.map(([, value = '']) => value), ...proxySecrets(environment)];
}

/** Holds back the end of a text while it may be the start of a secret. */
export class SecretStream {
  readonly #redact: (text: string) => string;
  readonly #forms: () => readonly string[];
  #held = '';

  constructor(redact: (text: string) => string, forms: () => readonly string[]) {
    this.#redact = redact;
    this.#forms = forms;
  }

  /** Returns the text that can be shown now. */
  push(piece: string): string {
    const text = this.#redact(this.#held + piece);
    const length = Math.max(0, ...this.#forms().map((form) => beginningAtEnd(text, form)));
    this.#held = text.slice(text.length - length);
    return text.slice(0, text.length - length);
  }

  /** Ends the text. The part that was held back was not a secret. */
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

/** One secret may contain another. */
function longestFirst(forms: readonly string[]): readonly string[] {
  return [...new Set(forms)].sort((left, right) => right.length - left.length);
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

/**
 * Returns the Base64 forms of a text in which the value begins at this offset modulo 3, without the
 * letters that depend on adjacent text.
 */
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
