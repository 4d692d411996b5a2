/**
 * What models cost and how much they can read. The list is data with a date, half a megabyte of it: load it when the first
 * request is under way, not before. What is not in the list is unknown, never free.
 */
import type { Usage } from '@heddle/core';
import { calcPrice, findProvider, type ModelInfo, type Provider } from '@pydantic/genai-prices';
import { overriddenCost, overrideFor, type PriceOverrides } from './overrides.ts';
import { type BillLine, billLines } from './usage.ts';

export type { PriceOverride, PriceOverrides } from './overrides.ts';

export interface Prices {
  /** USD for this usage of this model, helpers included; undefined where any part of it has no known price. */
  readonly priceOf: (model: string, usage: Usage) => number | undefined;
  /** Tokens that the model can read at once; undefined where nobody knows. */
  windowOf(model: string): number | undefined;
  /** The models of the list. */
  models(): readonly KnownModel[];
}

export interface KnownModel {
  readonly id: string;
  readonly name: string;
  readonly contextWindow: number | undefined;
  /** USD for a million tokens, for a short request. */
  readonly inputPerMillion: number | undefined;
  readonly outputPerMillion: number | undefined;
}

const PROVIDER = 'anthropic';

export function createPrices(overrides: PriceOverrides = {}, now: () => Date = () => new Date()): Prices {
  const provider = findProvider({ providerId: PROVIDER });
  const listed = (model: string) => listedModel(model, provider, now());
  return {
    priceOf(model, usage) {
      let total = 0;
      for (const line of billLines(model, usage)) {
        const override = overrideFor(line.model, overrides);
        const cost =
          (override && overriddenCost(line, override)) ?? listCost(line, listed(line.model), now());
        if (cost === undefined) return undefined;
        total += cost;
      }
      return total;
    },
    windowOf: (model) => overrideFor(model, overrides)?.contextWindow ?? listed(model)?.context_window,
    models: () => (provider?.models ?? []).map(knownModel),
  };
}

/** The list matches by how a name begins; a later version must not be billed as an earlier one. */
function listedModel(model: string, provider: Provider | undefined, timestamp: Date): ModelInfo | undefined {
  if (!provider) return undefined;
  const info = calcPrice({ input_tokens: 0 }, model, { provider, timestamp })?.model;
  return info && !isOtherVersion(model, info.id) ? info : undefined;
}

/** `claude-sonnet-5-5` begins like `claude-sonnet-5`, and is another model; a date of eight digits is not. */
function isOtherVersion(model: string, listed: string): boolean {
  return model.startsWith(listed) && /^[-.]\d{1,3}(\D|$)/.test(model.slice(listed.length));
}

function listCost(line: BillLine, model: ModelInfo | undefined, timestamp: Date): number | undefined {
  if (!model || line.isFast) return undefined;
  const usage = {
    // In the list's words the cache is a part of the input.
    input_tokens: line.inputTokens + line.cacheReadTokens + line.cacheWriteTokens,
    cache_read_tokens: line.cacheReadTokens,
    cache_write_tokens: line.cacheWriteTokens,
    cache_write_1h_tokens: line.cacheWriteHourTokens,
    output_tokens: line.outputTokens,
    web_searches: line.webSearches,
  };
  return calcPrice(usage, model.id, { providerId: PROVIDER, timestamp })?.total_price;
}

function knownModel({ id, name, context_window: contextWindow, prices }: ModelInfo): KnownModel {
  const current = Array.isArray(prices) ? (prices.at(-1)?.prices ?? {}) : prices;
  return {
    id,
    name: name ?? id,
    contextWindow,
    inputPerMillion: base(current['input_mtok']),
    outputPerMillion: base(current['output_mtok']),
  };
}

function base(price: unknown): number | undefined {
  if (typeof price === 'number') return price;
  const first: unknown =
    typeof price === 'object' && price !== null && 'base' in price ? price.base : undefined;
  return typeof first === 'number' ? first : undefined;
}
