/** Options of the adapter. The caller's values take precedence over the environment. */
import type { Clock } from '@heddle/core';
import { systemClock } from '../clock.ts';
import { type Environment, readMilliseconds, readVariable } from '../secrets/environment.ts';
import type { Secrets } from '../secrets/secrets.ts';

export interface AnthropicOptions {
  /** The source of environment variables. Default: the environment of the process. */
  readonly environment?: Environment;
  /** Collects secrets that the adapter finds. The same object redacts them from other text. */
  readonly secrets?: Secrets;
  readonly apiKey?: string;
  /** Sent as `Authorization: Bearer`, the form that gateways expect. */
  readonly authToken?: string;
  /** A shell command that prints a key. Used only if no key or token is given. */
  readonly keyHelper?: string;
  readonly keyHelperTtlMs?: number;
  readonly baseUrl?: string;
  /** A file of certificates to trust in addition to the default ones. */
  readonly extraCaFile?: string;
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly firstByteMs?: number;
  readonly idleMs?: number;
  readonly clock?: Clock;
}

/** The options with all defaults applied. */
export interface Settings {
  readonly environment: Environment;
  readonly apiKey: string | undefined;
  readonly authToken: string | undefined;
  readonly keyHelper: string | undefined;
  readonly keyHelperTtlMs: number;
  readonly baseUrl: string;
  readonly extraCaFile: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  /** From the request to the first byte of its response. */
  readonly firstByteMs: number;
  /** Between two pieces of content of a response. Pings do not count. */
  readonly idleMs: number;
  readonly clock: Clock;
}

export const API_URL = 'https://api.anthropic.com';

const FIRST_BYTE_MS = 90_000;
const IDLE_MS = 90_000;
const KEY_HELPER_TTL_MS = 5 * 60_000;

export function settingsOf(options: AnthropicOptions): Settings {
  const environment = options.environment ?? process.env;
  return {
    environment,
    apiKey: options.apiKey ?? readVariable(environment, 'ANTHROPIC_API_KEY'),
    authToken: options.authToken ?? readVariable(environment, 'ANTHROPIC_AUTH_TOKEN'),
    keyHelper: options.keyHelper,
    keyHelperTtlMs:
      options.keyHelperTtlMs ??
      readMilliseconds(environment, 'CLAUDE_CODE_API_KEY_HELPER_TTL_MS') ??
      KEY_HELPER_TTL_MS,
    baseUrl: options.baseUrl ?? readVariable(environment, 'ANTHROPIC_BASE_URL') ?? API_URL,
    extraCaFile: options.extraCaFile ?? readVariable(environment, 'NODE_EXTRA_CA_CERTS'),
    headers: options.headers ?? {},
    firstByteMs:
      options.firstByteMs ?? readMilliseconds(environment, 'HEDDLE_FIRST_BYTE_TIMEOUT_MS') ?? FIRST_BYTE_MS,
    idleMs: options.idleMs ?? readMilliseconds(environment, 'HEDDLE_STREAM_IDLE_TIMEOUT_MS') ?? IDLE_MS,
    clock: options.clock ?? systemClock,
  };
}

/**
 * Whether requests may contain references to tools. Many gateways reject them or leave them out, so another address gets
 * them only if the user asks for it.
 */
export function sendsToolReferences(options: AnthropicOptions): boolean {
  const { environment, baseUrl } = settingsOf(options);
  const wanted = readVariable(environment, 'HEDDLE_TOOL_REFERENCES');
  return wanted === undefined ? baseUrl === API_URL : wanted !== '0';
}
