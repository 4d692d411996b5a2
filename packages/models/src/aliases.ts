/** Short model names (aliases) and the full ids that they resolve to. */
import { type Environment, readVariable } from './secrets/environment.ts';

export interface Alias {
  readonly alias: string;
  readonly model: string;
  /** The environment variable that overrides the alias. */
  readonly variable: string;
}

/**
 * Each alias resolves to the newest model of its family whose price and window are known, so that a budget
 * always works. A test fails when the price list contains a newer model.
 */
const ALIASES: readonly Alias[] = [
  { alias: 'opus', model: 'claude-opus-5-5', variable: 'ANTHROPIC_DEFAULT_OPUS_MODEL' },
  { alias: 'sonnet', model: 'claude-sonnet-5-5', variable: 'ANTHROPIC_DEFAULT_SONNET_MODEL' },
  { alias: 'haiku', model: 'claude-haiku-5-5', variable: 'ANTHROPIC_DEFAULT_HAIKU_MODEL' },
  { alias: 'fable', model: 'claude-fable-5-1', variable: 'ANTHROPIC_DEFAULT_FABLE_MODEL' },
];

export function aliasesIn(environment: Environment): readonly Alias[] {
  return ALIASES.map(({ alias, model, variable: name }) => ({
    alias,
    model: readVariable(environment, name) ?? model,
    variable: name,
  }));
}

/**
 * Returns the full id for an alias. Any other name is returned unchanged, except for the mark of a window of a million
 * tokens: other programs write `sonnet[1m]`, and the API does not know such a name.
 */
export function fullModelName(name: string, environment: Environment): string {
  const plain = withoutMillionMark(name);
  const named = ALIASES.find(({ alias }) => alias === plain.toLowerCase());
  if (!named) return plain.startsWith('claude-') ? plain : name;
  return withoutMillionMark(readVariable(environment, named.variable) ?? named.model);
}

const MILLION_MARK = /\[1m\]$/i;

/** True for a name such as `sonnet[1m]`. It asks for a window of a million tokens. */
export function hasMillionMark(name: string): boolean {
  return MILLION_MARK.test(name);
}

function withoutMillionMark(name: string): string {
  return name.replace(MILLION_MARK, '');
}

/**
 * Returns the model named by `ANTHROPIC_MODEL` (an alias or a full id). Used if the caller did not name a
 * model.
 */
export function modelFromEnvironment(environment: Environment): string | undefined {
  return readVariable(environment, 'ANTHROPIC_MODEL');
}

export const NO_ANTHROPIC_KEY =
  'There is no key for the API. Set ANTHROPIC_API_KEY (or ANTHROPIC_AUTH_TOKEN), or configure a key helper.';

export const ANTHROPIC_KEYS: readonly string[] = ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN'];
