/** Tracks the budget and the costs of a conversation. Prices are loaded when they are needed. */
import { type ContextChanges, contextOptions, DEFAULT_CONTEXT } from '@heddle/context';
import {
  DEFAULT_LIMITS,
  type EntryBody,
  type LoopEvent,
  type ModelPort,
  type ModelRecords,
  NO_USAGE,
  type Spent,
  type Terminal,
} from '@heddle/core';
import { plainModelName } from '@heddle/models';
import { type Price, UsageMeter, type Cost } from './usage-meter.ts';
import type { ModelUsage } from '../sdk/message.ts';
import type { StoredCosts } from './stored-costs.ts';

/** The options of an agent for its budget and prices. */
interface CostOptions {
  readonly model: ModelPort;
  readonly modelName: string;
  readonly fallbackModel?: string | readonly string[] | undefined;
  readonly price?: Price | undefined;
  readonly loadPrice?: (() => Promise<Price>) | undefined;
  readonly maxBudgetUsd?: number | undefined;
  readonly maxOutputTokens?: number | undefined;
  readonly context?: ContextChanges | undefined;
  readonly parentCosts?: ParentCosts | undefined;
}

/** The budget of the conversation that started this one. */
export interface ParentCosts {
  readonly hasBudget: boolean;
  /** Set when that budget is used up. */
  readonly spent: BudgetSpent | undefined;
  /** Adds tokens to its costs and stores them. */
  charge(spent: Spent): Promise<void>;
}

export type BudgetSpent = Extract<Terminal, { reason: 'max_budget_usd' }>;

/** The fallback models in order, with their full names. */
export function fallbacksOf({ fallbackModel = [] }: Pick<CostOptions, 'fallbackModel'>): readonly string[] {
  const names = typeof fallbackModel === 'string' ? [fallbackModel] : fallbackModel;
  return names.map((name) => plainModelName(name, process.env));
}

/** Returns the host's context settings. The model port supplies the windows of its models if the host does not. */
export function contextChangesOf({ model, context }: Pick<CostOptions, 'model' | 'context'>): ContextChanges {
  const { factsOf } = model;
  if (factsOf === undefined) return context ?? {};
  const { windowOf, tokenScaleOf } = DEFAULT_CONTEXT;
  return {
    windowOf: (name) => factsOf(name)?.contextWindow ?? windowOf(name),
    tokenScaleOf: (name) => factsOf(name)?.tokenScale ?? tokenScaleOf(name),
    ...context,
  };
}

/** The costs of a conversation so far. */
export interface CostTotals {
  readonly costUsd: number;
  readonly models: Readonly<Record<string, ModelUsage>>;
}

export class CostTracker {
  readonly meter: UsageMeter;
  #options: CostOptions;
  #loading: Promise<Price> | undefined;

  constructor(options: CostOptions, earlier: StoredCosts) {
    this.#options = options;
    this.meter = new UsageMeter(options.price, earlier);
  }

  change(options: CostOptions): void {
    this.#options = options;
    this.#loading = undefined;
  }

  /** Returns why a budget cannot be enforced: the price of a model is unknown. */
  async objection(
    models: readonly string[] = [this.#options.modelName, ...fallbacksOf(this.#options)],
  ): Promise<string | undefined> {
    const { maxBudgetUsd, parentCosts } = this.#options;
    if (maxBudgetUsd === undefined && !parentCosts?.hasBudget) return undefined;
    await this.#load();
    const unknown = models.find((model) => this.meter.priceOf(model, NO_USAGE) === undefined);
    if (unknown === undefined) return undefined;
    return `The price of ${unknown} is unknown, so a budget in dollars cannot be kept. Leave it out, or give a price.`;
  }

  /** Adds the costs of an event. Undefined if the event has none. */
  take(event: LoopEvent): Promise<Cost> | undefined {
    return event.type === 'answer_end' || event.type === 'spent' ? this.#bill(event) : undefined;
  }

  /** The budget as subagents see it. `store` keeps their tokens in the log of this conversation. */
  asParent(store: (entry: EntryBody) => void): ParentCosts {
    const spent = (): BudgetSpent | undefined => this.spent;
    return {
      hasBudget: this.#options.maxBudgetUsd !== undefined || this.#options.parentCosts?.hasBudget === true,
      get spent() {
        return spent();
      },
      charge: async ({ model, usage }) => {
        const cost = await this.#bill({ model, usage });
        store({ type: 'spent', model, usage, ...cost });
      },
    };
  }

  async #bill({
    model,
    usage,
  }: Pick<Extract<LoopEvent, { type: 'spent' }>, 'model' | 'usage'>): Promise<Cost> {
    await this.#options.parentCosts?.charge({ model, usage });
    await this.#load();
    return this.meter.add(model, usage);
  }

  get spending(): CostTotals {
    const { windowOf } = contextOptions(contextChangesOf(this.#options));
    const { factsOf } = this.#options.model;
    const { maxOutputTokens = DEFAULT_LIMITS.escalatedOutputTokens } = this.#options;
    const models = this.meter.perModel((model) => ({
      contextWindow: windowOf(model),
      maxOutputTokens: Math.min(
        maxOutputTokens,
        factsOf?.(model)?.maxOutputTokens ?? Number.POSITIVE_INFINITY,
      ),
    }));
    return { costUsd: this.meter.costUsd, models };
  }

  /** A continued prompt has spent this much before it was cut off. The budget covers all of it. */
  continueAfter(costUsd: number): void {
    this.meter.countEarlier(costUsd);
  }

  /** Set when the budget is used up. */
  get spent(): BudgetSpent | undefined {
    const { maxBudgetUsd, parentCosts } = this.#options;
    const spentUsd = this.meter.newCostUsd;
    if (maxBudgetUsd === undefined || spentUsd < maxBudgetUsd) return parentCosts?.spent;
    return { reason: 'max_budget_usd', limitUsd: maxBudgetUsd, spentUsd };
  }

  /**
   * Wraps the model port to load the price list when the first record arrives. The list is large, so it loads neither
   * before the request is sent nor after the response.
   */
  withPriceLoading(model: ModelPort): ModelPort {
    if (!this.#options.loadPrice || this.#loading) return model;
    // A failure is reported when a price is needed.
    const load = (): void => void this.#load().catch(() => undefined);
    const port: ModelPort = (request, signal) =>
      this.#loading ? model(request, signal) : onFirstRecord(model(request, signal), load);
    return Object.assign(port, model);
  }

  async #load(): Promise<void> {
    this.#loading ??= this.#options.loadPrice?.();
    if (this.#loading) this.meter.setPrice(await this.#loading);
  }
}

function onFirstRecord(records: ModelRecords, onFirst: () => void): ModelRecords {
  return {
    [Symbol.asyncIterator]() {
      const inner = records[Symbol.asyncIterator]();
      let isFirst = true;
      return {
        next() {
          const next = inner.next();
          if (isFirst) next.then(onFirst, () => undefined);
          isFirst = false;
          return next;
        },
        ...(inner.ready ? { ready: () => inner.ready?.() } : {}),
        ...(inner.return ? { return: async () => (await inner.return?.()) ?? OVER } : {}),
      };
    },
  };
}

const OVER = { done: true, value: undefined } as const;
