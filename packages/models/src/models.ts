/** The data for `heddle models`: usable providers with reasons, and their models with window and price. */
import { aliasesIn, ANTHROPIC_KEYS, NO_ANTHROPIC_KEY } from './aliases.ts';
import type { PriceOverrides, Prices } from './prices/prices.ts';
import { findPackage, packageInstallCommand } from './providers/load.ts';
import { modelsOnServer } from './providers/local.ts';
import type { Provider } from './provider.ts';
import {
  providerAddress,
  findFirstSet,
  describeNotConfigured,
  packagesFor,
  readinessOf,
} from './providers/settings.ts';
import { PROVIDERS } from './providers/providers.ts';
import { configFolderIn, type Environment } from './secrets/environment.ts';
import type { KnownModel } from './prices/additions.ts';

export interface ListedModel extends KnownModel {
  /** Aliases that resolve to this model in this environment. */
  readonly aliases: readonly string[];
}

export interface ListedProvider {
  readonly id: string;
  readonly name: string;
  readonly isUsable: boolean;
  /** The reason why it is usable: a variable or an address that responded. Never contains a key. */
  readonly because?: string;
  /** The advice if it is not usable. */
  readonly advice?: string;
  /** The message of a failing request, if a key or a setting is missing. */
  readonly problem?: string;
  /** All known models under the full names that `--model` accepts. */
  readonly models: readonly ListedModel[];
}

export interface ListOptions {
  /** Restricts the list to this provider. */
  readonly only?: string;
  readonly overrides?: PriceOverrides;
}

export async function collectProviders(
  environment: Environment,
  { only, overrides = {} }: ListOptions = {},
): Promise<readonly ListedProvider[]> {
  const { createPrices } = await import('./prices/prices.ts');
  const prices = createPrices(overrides);
  const wanted = PROVIDERS.filter(({ id }) => only === undefined || only === id);
  const others = await Promise.all(wanted.map((provider) => listed(provider, environment, prices)));
  if (only !== undefined && only !== 'anthropic') return others;
  return [anthropic(environment, prices, overrides), ...others];
}

function anthropic(environment: Environment, prices: Prices, overrides: PriceOverrides): ListedProvider {
  const key = findFirstSet(ANTHROPIC_KEYS, environment);
  return {
    id: 'anthropic',
    name: 'Anthropic',
    isUsable: key !== undefined,
    ...(key === undefined
      ? { advice: `set ${ANTHROPIC_KEYS[0]}`, problem: NO_ANTHROPIC_KEY }
      : { because: key.variable }),
    models: anthropicModels(environment, prices, overrides),
  };
}

/** Aliases for a model outside the list get their own line without facts. */
function anthropicModels(
  environment: Environment,
  prices: Prices,
  overrides: PriceOverrides,
): readonly ListedModel[] {
  const known = prices.models();
  const aliases = aliasesIn(environment);
  const named = aliases.map(({ model }) => model).filter((model) => !known.some(({ id }) => id === model));
  const own = Object.keys(overrides).filter((name) => !name.endsWith('*'));
  const strangers = [...new Set([...named, ...own])].map(
    (id): KnownModel => ({
      id,
      name: id,
      contextWindow: prices.windowOf(id),
      inputPerMillion: overrides[id]?.inputPerMillion,
      outputPerMillion: overrides[id]?.outputPerMillion,
    }),
  );
  const all = [...known.filter(({ id }) => !strangers.some((stranger) => stranger.id === id)), ...strangers];
  return all.map((model) =>
    Object.assign({}, model, {
      aliases: aliases.filter((alias) => alias.model === model.id).map(({ alias }) => alias),
    }),
  );
}

async function listed(provider: Provider, environment: Environment, prices: Prices): Promise<ListedProvider> {
  const { id, name } = provider;
  const folder = configFolderIn(environment);
  const missing = packagesFor(provider, environment).filter(
    (wanted) => findPackage(wanted, folder) === undefined,
  );
  const install = missing.map((wanted) => packageInstallCommand(wanted, folder));
  const unusable = (advice: string, models: readonly ListedModel[]): ListedProvider => ({
    id,
    name,
    isUsable: false,
    advice: [...install, advice].filter(Boolean).join(', then '),
    models,
  });
  if (provider.local) {
    const served = await modelsOnServer(provider, environment);
    if (served === undefined) return unusable(provider.local.howToStart, []);
    const models = served.map((model) => freeModel(`${id}/${model.id}`, model.window));
    if (install.length > 0) return unusable('', models);
    return {
      id,
      name,
      isUsable: true,
      because: `running at ${providerAddress(provider, environment)}`,
      models,
    };
  }
  const models = prices
    .models(id)
    .map((model): ListedModel => Object.assign({}, model, { aliases: aliasOf(provider, model.id) }));
  const readiness = readinessOf(provider, environment);
  if (readiness.is === 'missing')
    return {
      ...unusable(`set ${readiness.set}`, models),
      problem: describeNotConfigured(provider, readiness.set),
    };
  if (install.length > 0) return unusable('', models);
  return { id, name, isUsable: true, because: readiness.is === 'configured' ? readiness.by : '', models };
}

/** The bare provider id means its default model. */
function aliasOf({ id, usual }: Provider, model: string): readonly string[] {
  return model === `${id}/${usual}` ? [id] : [];
}

function freeModel(id: string, contextWindow: number | undefined): ListedModel {
  return { id, name: id, contextWindow, inputPerMillion: 0, outputPerMillion: 0, aliases: [] };
}
