/** Short names of models, and what they mean today. */
import { type Environment, variable } from './secrets/environment.ts';

export interface Alias {
  readonly alias: string;
  readonly model: string;
  /** The variable that gives the alias another meaning. */
  readonly variable: string;
}

/**
 * The newest of each family whose price and window the data know, so that a budget can be kept with every one of them. A test
 * fails when the data have learned of a newer one.
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
    model: variable(environment, name) ?? model,
    variable: name,
  }));
}

/** The full id behind a name; a name that is no alias is a full id already. */
export function fullModelName(name: string, environment: Environment): string {
  return aliasesIn(environment).find(({ alias }) => alias === name.toLowerCase())?.model ?? name;
}

/** The model to use where nobody named one: `ANTHROPIC_MODEL`, an alias or a full id. */
export function modelFromEnvironment(environment: Environment): string | undefined {
  return variable(environment, 'ANTHROPIC_MODEL');
}
