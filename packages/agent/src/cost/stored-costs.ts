/** The costs of a session by model, with the prices at the time. An unknown cost stays unknown, never zero. */
import { addUsage, type EntryBody, isRecord, NO_USAGE, updateUsage, type Usage } from '@heddle/core';
import { isCostReported, usageByModel, webSearchesOf } from '@heddle/models';

export interface Spending {
  readonly usage: Usage;
  readonly costUsd: number;
  /** Every part of the cost had a price. */
  readonly known: boolean;
  readonly webSearches: number;
  /** The provider reported the cost of each part. No price list was used. */
  readonly told?: true;
}

const NOTHING_SPENT: Spending = { usage: NO_USAGE, costUsd: 0, known: true, webSearches: 0, told: true };

export class StoredCosts implements Iterable<readonly [model: string, spending: Spending]> {
  readonly #perModel: Map<string, Spending>;

  constructor(earlier: Iterable<readonly [string, Spending]> = []) {
    this.#perModel = new Map(earlier);
  }

  get costUsd(): number {
    let total = 0;
    for (const { costUsd } of this.#perModel.values()) total += costUsd;
    return total;
  }

  add(
    model: string,
    usage: Usage,
    costUsd: number | undefined,
    webSearches = 0,
    isReported: boolean = isCostReported(usage),
  ): void {
    const before = this.#perModel.get(model) ?? NOTHING_SPENT;
    this.#perModel.set(model, {
      usage: addUsage(before.usage, usage),
      costUsd: before.costUsd + (costUsd ?? 0),
      known: before.known && costUsd !== undefined,
      webSearches: before.webSearches + webSearches,
      ...(before.told && isReported ? { told: true } : {}),
    });
  }

  /** Adds the costs of an entry, if it has any. Helper models count under their own names. */
  note(entry: EntryBody): void {
    if (entry.type !== 'answer' && entry.type !== 'spent') return;
    const { model, usage, costUsd, costs } = entry;
    const parts = usageByModel(model, usage);
    const spent = new StoredCosts();
    for (const part of parts) spent.add(part.model, part.usage, 0, webSearchesOf(part.usage));
    for (const [name, { usage: used, webSearches, told }] of spent) {
      // Old entries have no split by model. Then the whole cost counts for the responding model.
      const known = costs ? costs[name] : name === model ? costUsd : undefined;
      this.add(name, used, known, webSearches, told);
    }
  }

  [Symbol.iterator](): Iterator<readonly [string, Spending]> {
    return this.#perModel.entries();
  }

  toJSON(): Record<string, Spending> {
    return Object.fromEntries(this.#perModel);
  }
}

/** Reads stored costs of a boundary. Unreadable values count as unknown. */
export function readStoredCosts(value: unknown): StoredCosts {
  const bill = new StoredCosts();
  if (!isRecord(value)) return bill;
  for (const [model, spending] of Object.entries(value)) {
    const { usage, costUsd, known, webSearches, told } = isRecord(spending) ? spending : {};
    const isKnown = known === true && typeof costUsd === 'number';
    bill.add(
      model,
      updateUsage(NO_USAGE, usage),
      typeof costUsd === 'number' ? costUsd : undefined,
      typeof webSearches === 'number' ? webSearches : undefined,
      told === true,
    );
    // A part without a price makes the whole cost unknown.
    if (!isKnown) bill.add(model, NO_USAGE, undefined);
  }
  return bill;
}
