/** What a session has cost, by model, as it was priced when it was spent. An amount nobody knew stays unknown, never zero. */
import { addUsage, type EntryBody, isRecord, NO_USAGE, updateUsage, type Usage } from '@heddle/core';
import { isCostReported, usageByModel, webSearchesOf } from '@heddle/models';

export interface Spending {
  readonly usage: Usage;
  readonly costUsd: number;
  /** Every part of it had a price. */
  readonly known: boolean;
  readonly webSearches: number;
  /** The provider itself said what each part of it cost: nothing was taken from a list. */
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
    isTold: boolean = isCostReported(usage),
  ): void {
    const before = this.#perModel.get(model) ?? NOTHING_SPENT;
    this.#perModel.set(model, {
      usage: addUsage(before.usage, usage),
      costUsd: before.costUsd + (costUsd ?? 0),
      known: before.known && costUsd !== undefined,
      webSearches: before.webSearches + webSearches,
      ...(before.told && isTold ? { told: true } : {}),
    });
  }

  /** Adds what this entry says was spent, if it says so: helpers of a model under their own names. */
  note(entry: EntryBody): void {
    if (entry.type !== 'answer' && entry.type !== 'spent') return;
    const { model, usage, costUsd, costs } = entry;
    const parts = usageByModel(model, usage);
    const spent = new StoredCosts();
    for (const part of parts) spent.add(part.model, part.usage, 0, webSearchesOf(part.usage));
    for (const [name, { usage: used, webSearches, told }] of spent) {
      // An entry that does not say who had which part: the model that answered stands for the whole of it.
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

/** A bill as a boundary stored it. What cannot be read counts as unknown. */
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
    // A part without a price makes the whole unknown, however much the rest came to.
    if (!isKnown) bill.add(model, NO_USAGE, undefined);
  }
  return bill;
}
