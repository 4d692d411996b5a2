/** What a child process may know of our environment: everything but the keys to the models. */
import { LONGEST_TIMER_MS } from '../clock.ts';

/** Variables that hold a key of ours. */
export const SECRET_VARIABLES: readonly string[] = ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN'];

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * A copy without keys, and without variables that repeat one of them under another name. For every child process: tools,
 * hooks, servers, helpers.
 */
export function withoutSecrets(environment: Environment): Record<string, string> {
  const variables = Object.entries(environment);
  const secrets = variables
    .filter(([name]) => isSecret(name))
    .map(([, value = '']) => value.trim())
    .filter((value) => value.length > 7);
  const kept: Record<string, string> = {};
  for (const [name, value] of variables) {
    if (value === undefined || isSecret(name)) continue;
    if (!secrets.some((secret) => value.includes(secret))) kept[name] = value;
  }
  return kept;
}

/** Some systems do not tell upper from lower case. */
function isSecret(name: string): boolean {
  return SECRET_VARIABLES.includes(name.toUpperCase());
}

/** A variable's value; undefined where it is unset or blank, which means the same to a person. */
export function variable(environment: Environment, name: string): string | undefined {
  const value = environment[name]?.trim();
  return value === '' ? undefined : value;
}

/** A number of milliseconds; what is no positive number counts as unset. */
export function milliseconds(environment: Environment, name: string): number | undefined {
  const value = Number(variable(environment, name));
  return value > 0 ? Math.min(value, LONGEST_TIMER_MS) : undefined;
}
