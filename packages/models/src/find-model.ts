/**
 * Finds a model if the user did not name one: by the keys in the environment, then by the servers on this
 * machine.
 */
import { modelFromEnvironment, ANTHROPIC_KEYS } from './aliases.ts';
import { type Environment, readVariable } from './secrets/environment.ts';

/**
 * Returns a name for `chooseModel`. Undefined if nothing is configured. `settled` is the model from the
 * settings.
 */
export async function findModel(environment: Environment, settled?: string): Promise<string | undefined> {
  const named = readVariable(environment, 'HEDDLE_MODEL') ?? modelFromEnvironment(environment);
  if (named !== undefined || settled !== undefined) return named ?? settled;
  const hasKey = ANTHROPIC_KEYS.some((name) => readVariable(environment, name) !== undefined);
  return hasKey ? 'sonnet' : (await import('./providers/find.ts')).findConfigured(environment);
}
