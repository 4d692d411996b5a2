/** The models that Heddle uses if the user did not name them: the model of a session, and the small model. */
import { aliasesIn, ANTHROPIC_KEYS, modelFromEnvironment } from './aliases.ts';
import { isAnthropicModel, plainModelName } from './known-models.ts';
import { type Environment, readVariable } from './secrets/environment.ts';

/**
 * The variables that name the small model: fast and cheap, for short texts beside a conversation. The first one that is set
 * counts.
 */
const VARIABLES = ['HEDDLE_SMALL_MODEL', 'ANTHROPIC_SMALL_FAST_MODEL'] as const;

interface NamedSmallModel {
  readonly model: string;
  /** The variable or setting that names it, for an error message. */
  readonly from: string;
}

/** Returns the small model that the user named, in the environment or else in the settings. */
export function namedSmallModel(
  environment: Environment,
  setting: string | undefined,
): NamedSmallModel | undefined {
  for (const from of VARIABLES) {
    const model = readVariable(environment, from);
    if (model !== undefined) return { model, from };
  }
  return setting === undefined ? undefined : { model: setting, from: 'smallModel in the settings' };
}

/**
 * Returns the small model as requests name it: the one that the user named, else Haiku beside a Claude model. Beside any
 * other model it is that model, the only one that is known to be available.
 */
export function smallModelBeside(main: string, named: string | undefined, environment: Environment): string {
  if (named !== undefined) return plainModelName(named, environment);
  if (!isAnthropicModel(main, environment)) return main;
  return aliasesIn(environment).find(({ alias }) => alias === 'haiku')?.model ?? main;
}

/**
 * Finds a model by the keys in the environment, then by the servers on this machine.
 * Returns a name for `chooseModel`. Undefined if nothing is configured. `settled` is the model from the
 * settings.
 */
export async function findModel(environment: Environment, settled?: string): Promise<string | undefined> {
  const named = readVariable(environment, 'HEDDLE_MODEL') ?? modelFromEnvironment(environment);
  if (named !== undefined || settled !== undefined) return named ?? settled;
  const hasKey = ANTHROPIC_KEYS.some((name) => readVariable(environment, name) !== undefined);
  return hasKey ? 'sonnet' : (await import('./providers/choose-provider.ts')).findConfigured(environment);
}
