/** Counts tokens and money over a conversation. An unknown price is unknown, never zero. */
import { addUsage, NO_USAGE, type Usage } from '@heddle/core';
import type { ModelUsage } from '../sdk/message.ts';

/** USD for this usage of this model; undefined where no price is known. */
export type Price = (model: string, usage: Usage) => number | undefined;

export class Meter {
  readonly #price: Price;
  readonly #perModel = new Map<string, { usage: Usage; costUsd: number; known: boolean }>();

  #earlierUsd = 0;

  constructor(price: Price) {
    this.#price = price;
  }

  /** What a resumed session had spent before: part of the bill, not of the budget. */
  addEarlier(model: string, usage: Usage): void {
    this.add(model, usage);
    this.#earlierUsd = this.costUsd;
  }

  get newCostUsd(): number {
    return this.costUsd - this.#earlierUsd;
  }

  add(model: string, usage: Usage): void {
    const before = this.#perModel.get(model) ?? { usage: NO_USAGE, costUsd: 0, known: true };
    const cost = this.#price(model, usage);
    this.#perModel.set(model, {
      usage: addUsage(before.usage, usage),
      costUsd: before.costUsd + (cost ?? 0),
      known: before.known && cost !== undefined,
    });
  }

  get costUsd(): number {
    let total = 0;
    for (const { costUsd } of this.#perModel.values()) total += costUsd;
    return total;
  }

  perModel(): Record<string, ModelUsage> {
    const report: Record<string, ModelUsage> = {};
    for (const [model, { usage, costUsd, known }] of this.#perModel) {
      report[model] = {
        inputTokens: usage.input_tokens,
        outputTokens: usage.output_tokens,
        cacheReadInputTokens: usage.cache_read_input_tokens,
        cacheCreationInputTokens: usage.cache_creation_input_tokens,
        webSearchRequests: 0,
        costUSD: costUsd,
        costBasis: known ? 'list' : 'unknown',
      };
    }
    return report;
  }
}
