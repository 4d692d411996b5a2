/** Prices and windows that a user knows better: for gateways, contracts, local models. */
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

/** By the model's id; a `*` at the end stands for any rest. The longest that fits wins. */
export type PriceOverrides = Readonly<Record<string, PriceOverride>>;

export function overrideFor(model: string, overrides: PriceOverrides): PriceOverride | undefined {
  const fitting = Object.keys(overrides).filter((name) =>
    name.endsWith('*') ? model.startsWith(name.slice(0, -1)) : model === name,
  );
  const [best] = fitting.sort((left, right) => right.length - left.length);
  return best === undefined ? undefined : overrides[best];
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
