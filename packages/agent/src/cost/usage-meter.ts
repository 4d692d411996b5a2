/** Prices usage, and keeps the costs of the conversation. An unknown price is unknown, never zero. */
import type { Usage } from '@heddle/core';
import { usageByModel, webSearchesOf } from '@heddle/models';
import type { ModelUsage } from '../sdk/message.ts';
import { StoredCosts } from './stored-costs.ts';
import { omitUndefined } from '@heddle/core';
/** Returns the cost in USD for this usage of this model. Undefined if no price is known. */
export type Price = (model: string, usage: Usage) => number | undefined;

/** Returns the limits of a model for requests and responses. */
export type Sizes = (model: string) => Pick<ModelUsage, 'contextWindow' | 'maxOutputTokens'>;

export class UsageMeter {
  #price: Price;
  readonly #bill: StoredCosts;
  /** The costs of a resumed session before. They count for the total, not for the budget. */
  #earlierUsd: number;

  constructor(price: Price = () => undefined, earlier: StoredCosts = new StoredCosts()) {
    this.#price = price;
    this.#bill = new StoredCosts(earlier);
    this.#earlierUsd = earlier.costUsd;
  }

  setPrice(price: Price): void {
    this.#price = price;
  }

  priceOf(model: string, usage: Usage): number | undefined {
    return this.#price(model, usage);
  }

  /** Returns the cost, including helper models. Each model counts under its own name. */
  add(model: string, usage: Usage): Cost {
    const costs: Record<string, number> = {};
    let total: number | undefined = 0;
    const parts = usageByModel(model, usage);
    for (const part of parts) {
      const costUsd = this.#price(part.model, part.usage);
      this.#bill.add(part.model, part.usage, costUsd, webSearchesOf(part.usage));
      if (costUsd !== undefined) costs[part.model] = (costs[part.model] ?? 0) + costUsd;
      total = total === undefined || costUsd === undefined ? undefined : total + costUsd;
    }
    return { ...omitUndefined({ costUsd: total }), ...(parts.length > 1 ? { costs } : {}) };
  }

  /** Moves a part of the earlier costs to the new ones. */
  countEarlier(costUsd: number): void {
    this.#earlierUsd -= costUsd;
  }

  get newCostUsd(): number {
    return this.costUsd - this.#earlierUsd;
  }

  get costUsd(): number {
    return this.#bill.costUsd;
  }

  perModel(sizes: Sizes): Record<string, ModelUsage> {
    const report: Record<string, ModelUsage> = {};
    for (const [model, { usage, costUsd, known, webSearches, told }] of this.#bill) {
      report[model] = {
        inputTokens: usage.input_tokens,
        outputTokens: usage.output_tokens,
        cacheReadInputTokens: usage.cache_read_input_tokens,
        cacheCreationInputTokens: usage.cache_creation_input_tokens,
        webSearchRequests: webSearches,
        costUSD: known ? costUsd : null,
        // The protocol has no value for a cost that the provider reported.
        ...(told ? {} : { costBasis: known ? 'list' : 'unknown' }),
        ...sizes(model),
      };
    }
    return report;
  }
}

/** A cost, if the price is known. `costs` contains the split by model if the responding model used helpers. */
export interface Cost {
  readonly costUsd?: number;
  readonly costs?: Readonly<Record<string, number>>;
}
