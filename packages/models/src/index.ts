/** Model adapters: name resolution, connections and prices. Adapters and prices load on demand. */
import type { ListedProvider, ListOptions } from './models.ts';
import type { Prices, PriceOverrides } from './prices/prices.ts';
import { plainModelName } from './known-models.ts';
import type { Environment } from './secrets/environment.ts';

export { chooseModel, type ChooseOptions, type ModelMaker } from './choose.ts';
export { type Alias, aliasesIn, fullModelName, modelFromEnvironment } from './aliases.ts';
export {
  factsOf,
  FAST_CLAUDE_MODELS,
  isAnthropicModel,
  plainModelName,
  type StatedFacts,
  type StatedModels,
} from './known-models.ts';
export { systemClock } from './clock.ts';
export { findModel } from './default-models.ts';
export { namedSmallModel, smallModelBeside } from './default-models.ts';
export type { ListedModel, ListedProvider, ListOptions } from './models.ts';
export type { AnthropicOptions } from './anthropic/options.ts';
export type { AnthropicPort } from './anthropic/port.ts';
export type { KeySource } from './anthropic/credentials.ts';
export { isCostReported, type UsageOfModel, usageByModel, webSearchesOf } from './prices/usage.ts';
export type { PriceOverrides, Prices } from './prices/prices.ts';
export {
  type Environment,
  readMilliseconds,
  SECRET_VARIABLES,
  withoutSecrets,
} from './secrets/environment.ts';

/** Loads the price list, which takes 50 ms. Call it after the first request was sent. */
export async function loadPrices(overrides?: PriceOverrides): Promise<Prices> {
  const { createPrices } = await import('./prices/prices.ts');
  return createPrices(overrides);
}

/**
 * Lists the usable providers, with reasons and all known models. Asks servers on this machine, with a
 * short deadline.
 */
export async function listProviders(
  environment: Environment,
  options?: ListOptions,
): Promise<readonly ListedProvider[]> {
  return (await import('./models.ts')).collectProviders(environment, options);
}

/** Returns the id of the provider that a name of a model means. Undefined if the name belongs to none. */
export async function providerOf(name: string, environment: Environment): Promise<string | undefined> {
  const plain = plainModelName(name, environment);
  if (plain.startsWith('claude-')) return 'anthropic';
  const { readModelName } = await import('./providers/providers.ts');
  return readModelName(plain)?.provider.id;
}

export type { ChosenModel as Chosen } from './route.ts';
export type { KnownModel } from './prices/additions.ts';
export type { PriceOverride } from './prices/additions.ts';
