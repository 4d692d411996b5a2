/**
 * Finds configured providers in the order of the table, and a server on this machine if there are none.
 */
import { type Environment, readVariable } from '../secrets/environment.ts';
import { modelsOnServer } from './local.ts';
import type { Provider } from '../provider.ts';
import { readinessOf } from './settings.ts';
import { PROVIDERS } from './providers.ts';

export async function findConfigured(environment: Environment): Promise<string | undefined> {
  const configured = PROVIDERS.find(
    (provider) => provider.usual !== undefined && readinessOf(provider, environment).is === 'configured',
  );
  if (configured !== undefined) return `${configured.id}/${configured.usual}`;
  const asked = PROVIDERS.filter((provider) => isAskedUncalled(provider, environment));
  const served = await Promise.all(asked.map((provider) => modelsOnServer(provider, environment)));
  const at = served.findIndex((models) => models !== undefined && models.length > 0);
  return at < 0 ? undefined : `${asked[at]?.id}/${served[at]?.[0]?.id}`;
}

/**
 * Ollama's port is well known. Other programs use the ports of the other servers, so they are asked only
 * if their address was set.
 */
function isAskedUncalled(provider: Provider, environment: Environment): boolean {
  if (provider.local === undefined) return false;
  return provider.id === 'ollama' || readVariable(environment, provider.baseUrlVariable) !== undefined;
}
