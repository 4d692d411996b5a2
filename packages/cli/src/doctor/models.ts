/** Is there a model to talk to? */
import { appliedSettings } from '@heddle/agent/settings';
import { chooseModel, findModel, type ListedProvider, listProviders } from '@heddle/models';
import { modelKinds } from '../models/kinds.ts';
import { GET_A_MODEL, NO_MODEL, TRY_WITHOUT_KEY } from '../models/no-model.ts';
import { NO_FLAGS, permissionSetup } from '../permissions/setup.ts';
import { type Finding, ok, problem } from './finding.ts';

/** As a run would find it: settings may name a model, or hold a key. */
export async function checkModels(cwd: string, env: NodeJS.ProcessEnv, inUse?: string): Promise<Finding[]> {
  const settings = appliedSettings((await permissionSetup(NO_FLAGS, cwd, env)).loaded);
  const environment = { ...env, ...settings.env };
  const [providers, usual] = await Promise.all([
    listProviders(environment),
    findModel(environment, settings.model),
  ]);
  const usable = providers
    .filter(({ isUsable }) => isUsable)
    .map(({ name, because }) => `${name}${because ? ` (${because})` : ''}`);
  return [
    inUse === undefined
      ? await checkUsual(usual, providers, environment)
      : ok('model', `${inUse}, in this conversation`),
    ...(usable.length === 0 ? [] : [ok('providers', usable.join(', '))]),
  ];
}

async function checkUsual(
  usual: string | undefined,
  providers: readonly ListedProvider[],
  environment: NodeJS.ProcessEnv,
): Promise<Finding> {
  if (usual === undefined) return problem('model', NO_MODEL, `${GET_A_MODEL}; ${TRY_WITHOUT_KEY}`);
  const chosen = await chooseModel(usual, modelKinds, { environment });
  if (!chosen.ok) return problem('model', chosen.message, CHOOSE_ANOTHER);
  const provider = providers.find(({ id }) =>
    id === 'anthropic' ? chosen.name.startsWith('claude-') : chosen.name.startsWith(`${id}/`),
  );
  if (provider && !provider.isUsable)
    return provider.problem === undefined
      ? problem('model', `${usual} cannot be used yet`, provider.advice ?? 'see heddle models')
      : problem('model', provider.problem, CHOOSE_ANOTHER);
  return ok('model', `${usual} when none is named`);
}

const CHOOSE_ANOTHER = 'see heddle models, or name another with --model';
