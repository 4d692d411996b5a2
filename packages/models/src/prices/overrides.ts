/** Prices and windows that a user knows better: for gateways, contracts, local models. */
import { statedFor } from '../known-models.ts';
import type { Environment } from '../secrets/environment.ts';
import type { BillLine } from './usage.ts';

/** In USD for a million tokens, as price lists have it. What is left out of a price costs as much as plain input. */
export interface PriceOverride {
  readonly inputPerMillion?: number;
  readonly outputPerMillion?: number;
  readonly cacheReadPerMillion?: number;
  readonly cacheWritePerMillion?: number;
  readonly cacheWriteHourPerMillion?: number;
  readonly webSearchPerThousand?: number;
  readonly contextWindow?: number;
}

/** By the model's name in any spelling; a `*` at the end matches any rest. The longest match wins. */
export type PriceOverrides = Readonly<Record<string, PriceOverride>>;

export function overrideFor(
  model: string,
  overrides: PriceOverrides,
  environment: Environment,
): PriceOverride | undefined {
  return statedFor(model, overrides, environment);
}

/** Undefined where the override says nothing of money. */
export function overriddenCost(line: BillLine, price: PriceOverride): number | undefined {
  const { inputPerMillion: input, outputPerMillion: output } = price;
  if (input === undefined || output === undefined) return undefined;
  const write = price.cacheWritePerMillion ?? input;
  const tokens =
    line.inputTokens * input +
    line.outputTokens * output +
    line.cacheReadTokens * (price.cacheReadPerMillion ?? input) +
    (line.cacheWriteTokens - line.cacheWriteHourTokens) * write +
    line.cacheWriteHourTokens * (price.cacheWriteHourPerMillion ?? write);
  return tokens / 1e6 + (line.webSearches * (price.webSearchPerThousand ?? 0)) / 1e3;
}
