/** Is there a model to talk to? */
import { findModel, listProviders } from '@heddle/models';
import { type Finding, ok, problem } from './finding.ts';

export async function checkModels(env: NodeJS.ProcessEnv): Promise<Finding[]> {
  const [providers, usual] = await Promise.all([listProviders(env), findModel(env)]);
  const usable = providers
    .filter(({ isUsable }) => isUsable)
    .map(({ name, because }) => `${name}${because ? ` (${because})` : ''}`);
  if (usual === undefined) {
    return [
      problem(
        'model',
        'no model is configured',
        'set ANTHROPIC_API_KEY or the key of another provider, see heddle models; or try --model rehearsal',
      ),
    ];
  }
  return [
    ok('model', `${usual} when none is named`),
    ...(usable.length === 0 ? [] : [ok('providers', usable.join(', '))]),
  ];
}
