/** Chooses a provider by the name of a model, or by what is configured on this machine. */
import type { ChosenModel } from '../route.ts';
import { type Environment, readVariable } from '../secrets/environment.ts';
import type { Provider } from '../provider.ts';
import { localWindow, modelsOnServer } from './local.ts';
import { openProvider, type ProviderOptions } from './port.ts';
import { providerAddress, providerKey, readinessOf } from './settings.ts';
import { fullNameOf, type NamedModel, PROVIDERS, readModelName } from './providers.ts';

/** Returns undefined if the name does not belong to a provider. Throws if its package cannot be loaded. */
export async function chooseProvider(
  name: string,
  options: ProviderOptions,
): Promise<(ChosenModel & { readonly ok: true }) | undefined> {
  const read = readModelName(name);
  if (read === undefined) return undefined;
  const environment = options.environment ?? process.env;
  const named = read.model === '' ? await usualModel(read, environment) : read;
  const port = await openProvider(named.provider, options);
  return {
    ok: true,
    port,
    name: fullNameOf(named),
    keySource: providerKey(named.provider, environment)?.variable ?? 'none',
    ...(named.provider.local === undefined
      ? {}
      : { local: { window: localWindow(named.provider, named.model, environment) } }),
  };
}

/** A bare provider name means its default model, or for a local server the first that it has. */
async function usualModel(
  { provider }: NamedModel,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<NamedModel> {
  if (provider.usual !== undefined) return { provider, model: provider.usual };
  if (provider.local === undefined)
    throw new Error(`say which model of ${provider.name}: ${provider.id}/MODEL`);
  const served = await modelsOnServer(provider, environment);
  const [first] = served ?? [];
  if (first !== undefined) return { provider, model: first.id };
  const address = providerAddress(provider, environment);
  throw new Error(
    served === undefined
      ? `${provider.name} does not answer at ${address}. ${provider.local.howToStart}`
      : `${provider.name} at ${address} has no model yet`,
  );
}

/** Finds configured providers in the order of the table, and a server on this machine if there are none. */
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
