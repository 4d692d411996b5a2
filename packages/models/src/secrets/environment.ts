/** The environment of child processes: all variables except the keys to models. */
import os from 'node:os';
import path from 'node:path';
import { LONGEST_TIMER_MS } from '../clock.ts';

/**
 * Variables that hold a key to a model or to a receiver of telemetry. Keys of a whole cloud account are not included, because the user's
 * own commands need them. A test checks the list against the provider table, which is too long for the
 * start-up path.
 */
export const SECRET_VARIABLES: readonly string[] = [
  'ANTHROPIC_API_KEY',
  'ANTHROPIC_AUTH_TOKEN',
  'OPENAI_API_KEY',
  'GEMINI_API_KEY',
  'GOOGLE_GENERATIVE_AI_API_KEY',
  'GOOGLE_API_KEY',
  'GOOGLE_VERTEX_API_KEY',
  'AWS_BEARER_TOKEN_BEDROCK',
  'MISTRAL_API_KEY',
  'GROQ_API_KEY',
  'XAI_API_KEY',
  'DEEPSEEK_API_KEY',
  'OPENROUTER_API_KEY',
  'OPENAI_COMPATIBLE_API_KEY',
  'OLLAMA_API_KEY',
  'LLAMACPP_API_KEY',
  'VLLM_API_KEY',
  'LMSTUDIO_API_KEY',
  'OTEL_EXPORTER_OTLP_HEADERS',
];

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Returns a copy without keys, and without variables that repeat a key under another name. Used for every
 * child process: tools, hooks, servers, helpers.
 */
export function withoutSecrets(environment: Environment): Record<string, string> {
  const variables = Object.entries(environment);
  const secrets = variables
    .filter(([name]) => isSecretVariable(name))
    .map(([, value = '']) => value.trim())
    .filter(isDistinctive);
  const kept: Record<string, string> = {};
  for (const [name, value] of variables) {
    if (value === undefined || isSecretVariable(name)) continue;
    if (!secrets.some((secret) => value.includes(secret))) kept[name] = value;
  }
  return kept;
}

/** Variable names are case-insensitive on some systems. */
export function isSecretVariable(name: string): boolean {
  return SECRET_VARIABLES.includes(name.toUpperCase());
}

/** In long text a value must be distinctive. `ollama` or `not-needed` are often set in place of a key. */
export function isDistinctive(value: string): boolean {
  return value.length >= (/\d/.test(value) ? SHORTEST_WITH_DIGIT : SHORTEST_WITHOUT);
}

const SHORTEST_WITH_DIGIT = 8;
const SHORTEST_WITHOUT = 16;

/** Returns a variable's value. Undefined if it is unset or blank, which mean the same to a user. */
export function readVariable(environment: Environment, name: string): string | undefined {
  const value = environment[name]?.trim();
  return value === '' ? undefined : value;
}

/** Returns a number of milliseconds. A value that is not a positive number counts as unset. */
export function readMilliseconds(environment: Environment, name: string): number | undefined {
  const value = Number(readVariable(environment, name));
  return value > 0 ? Math.min(value, LONGEST_TIMER_MS) : undefined;
}

const VARIABLES = ['HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy'];

/** Finds passwords in the addresses of proxies. Node repeats these addresses in its errors. */
export function proxySecrets(environment: Environment): readonly string[] {
  return VARIABLES.flatMap((name) => addressSecrets(environment[name] ?? ''));
}

/** Finds the password in an address, in the forms in which it may be printed. */
export function addressSecrets(address: string): readonly string[] {
  const url = URL.parse(address);
  if (!url || url.password === '') return [];
  const password = decoded(url.password);
  const login = `${decoded(url.username)}:${password}`;
  return [password, url.password, Buffer.from(login).toString('base64')];
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** Returns the user's own folder, which may contain packages of providers. */
export function configFolderIn(environment: Environment): string {
  const named =
    readVariable(environment, 'HEDDLE_CONFIG_DIR') ?? readVariable(environment, 'CLAUDE_CONFIG_DIR');
  return path.resolve(named ?? path.join(readVariable(environment, 'HOME') ?? os.homedir(), '.heddle'));
}
