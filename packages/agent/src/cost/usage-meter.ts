/** Prices what is spent, and keeps the bill of the conversation. An unknown price is unknown, never zero. */
import type { Usage } from '@heddle/core';
import { usageByModel, webSearchesOf } from '@heddle/models';
import type { ModelUsage } from '../sdk/message.ts';
import { StoredCosts } from './stored-costs.ts';
/** USD for this usage of this model; undefined where no price is known. */
export type Price = (model: string, usage: Usage) => number | undefined;

/** How much a model can take and give at once. */
export type Sizes = (model: string) => Pick<ModelUsage, 'contextWindow' | 'maxOutputTokens'>;

export class UsageMeter {
  #price: Price;
  readonly #bill: StoredCosts;
  /** What a resumed session had spent before: part of the bill, not of the budget. */
  readonly #earlierUsd: number;

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

  /** Answers with what it cost, helpers of the model included; each stands on the bill under its own name. */
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
    return { ...(total === undefined ? {} : { costUsd: total }), ...(parts.length > 1 ? { costs } : {}) };
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
        // Clients know no word for what the provider itself told.
        ...(told ? {} : { costBasis: known ? 'list' : 'unknown' }),
        ...sizes(model),
      };
    }
    return report;
  }
}

/** What something has cost, where a price is known; `costs`: by model, where the answering one asked helpers. */
export interface Cost {
  readonly costUsd?: number;
  readonly costs?: Readonly<Record<string, number>>;
}
