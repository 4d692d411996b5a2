/**
 * What models cost and how much they can read. The list is data with a date, half a megabyte of it: load it when the first
 * request is under way, not before. What is not in the list is unknown, never free.
 */
import type { Usage } from '@heddle/core';
import { calcPrice, findProvider, type ModelInfo, type Provider } from '@pydantic/genai-prices';
import type { Environment } from '../secrets/environment.ts';
import { additionalPrice, additionFor } from './additions.ts';
import { catalogueOf, type KnownModel } from './catalogue.ts';
import { listedAs } from './listed-as.ts';
import { overriddenCost, overrideFor, type PriceOverrides } from './overrides.ts';
import { type BillLine, billLines } from './usage.ts';

export type { KnownModel } from './catalogue.ts';
export type { PriceOverride, PriceOverrides } from './overrides.ts';

export interface Prices {
  /** USD for this usage of this model, helpers included; undefined where any part of it has no known price. */
  readonly priceOf: (model: string, usage: Usage) => number | undefined;
  /** Tokens that the model can read at once; undefined where nobody knows. */
  windowOf(model: string): number | undefined;
  /** The models of the list, of Anthropic or of the provider named, under the names that requests bear. */
  models(provider?: string): readonly KnownModel[];
}

export function createPrices(
  overrides: PriceOverrides = {},
  now: () => Date = () => new Date(),
  environment: Environment = process.env,
): Prices {
  const stated = (model: string) => overrideFor(model, overrides, environment);
  return {
    priceOf(model, usage) {
      let total = 0;
      for (const line of billLines(model, usage)) {
        const override = stated(line.model);
        const cost =
          (override && overriddenCost(line, override)) ??
          line.toldUsd ??
          additionalCost(line) ??
          listCost(line, now());
        if (cost === undefined) return undefined;
        total += cost;
      }
      return total;
    },
    windowOf: (model) =>
      stated(model)?.contextWindow ??
      additionFor(model)?.contextWindow ??
      listedModel(model, now())?.info.context_window,
    models: (provider = 'anthropic') => catalogueOf(provider, now()),
  };
}

interface Listed {
  readonly info: ModelInfo;
  /** The name that the list was asked for. Its own name for the model may be a pattern. */
  readonly model: string;
  /** Whose list it is in. */
  readonly provider: Provider;
}

/** The list matches by how a name begins; a later version must not be billed as an earlier one. */
function listedModel(name: string, timestamp: Date): Listed | undefined {
  const asked = listedAs(name);
  const provider = asked?.provider === undefined ? undefined : findProvider({ providerId: asked.provider });
  if (asked === undefined || provider === undefined) return undefined;
  const info = calcPrice({ input_tokens: 0 }, asked.model, { provider, timestamp })?.model;
  return info && !isOtherVersion(asked.model, info.id) ? { info, model: asked.model, provider } : undefined;
}

/** `claude-sonnet-5-5` begins like `claude-sonnet-5`, and is another model; a date of eight digits is not. */
function isOtherVersion(model: string, listed: string): boolean {
  return model.startsWith(listed) && /^[-.]\d{1,3}(\D|$)/.test(model.slice(listed.length));
}

/** The rate depends on all that the request reads, from the cache or not. */
function additionalCost(line: BillLine): number | undefined {
  const addition = line.isFast ? undefined : additionFor(line.model);
  const inputTokens = line.inputTokens + line.cacheReadTokens + line.cacheWriteTokens;
  return addition && overriddenCost(line, additionalPrice(addition, inputTokens));
}

function listCost(line: BillLine, timestamp: Date): number | undefined {
  if (listedAs(line.model)?.isFree === true) return 0;
  const listed = listedModel(line.model, timestamp);
  if (listed === undefined || line.isFast) return undefined;
  const usage = {
    // In the list's words the cache is a part of the input.
    input_tokens: line.inputTokens + line.cacheReadTokens + line.cacheWriteTokens,
    cache_read_tokens: line.cacheReadTokens,
    cache_write_tokens: line.cacheWriteTokens,
    cache_write_1h_tokens: line.cacheWriteHourTokens,
    output_tokens: line.outputTokens,
    web_searches: line.webSearches,
  };
  return calcPrice(usage, listed.model, { provider: listed.provider, timestamp })?.total_price;
}
