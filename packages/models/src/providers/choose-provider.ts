import { localWindow, modelsOnServer } from './local.ts';
import { openProvider, type ProviderOptions } from './port.ts';
import { providerAddress, providerKey } from './settings.ts';
import { fullNameOf, type NamedModel, readModelName } from './providers.ts';
import type { ChosenModel } from '../route.ts';

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
