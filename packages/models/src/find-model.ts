/** The model to use where nobody named one: what the environment has a key for, else what runs on this machine. */
import { modelFromEnvironment } from './aliases.ts';
import { type Environment, variable } from './secrets/environment.ts';

/** A name for `chooseModel`; undefined where nothing is configured at all. `settled`: what the settings say. */
export async function findModel(environment: Environment, settled?: string): Promise<string | undefined> {
  const named = variable(environment, 'HEDDLE_MODEL') ?? modelFromEnvironment(environment);
  if (named !== undefined || settled !== undefined) return named ?? settled;
  const hasKey = ANTHROPIC_KEYS.some((name) => variable(environment, name) !== undefined);
  return hasKey ? 'sonnet' : (await import('./providers/find.ts')).findConfigured(environment);
}

export const NO_ANTHROPIC_KEY =
  'There is no key for the API. Set ANTHROPIC_API_KEY (or ANTHROPIC_AUTH_TOKEN), or configure a key helper.';

export const ANTHROPIC_KEYS: readonly string[] = ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN'];
