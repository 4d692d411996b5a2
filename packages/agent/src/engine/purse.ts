/** What a conversation may spend and has spent. Prices come when they are needed, not before. */
import {
  type ContextChanges,
  contextOptions,
  DEFAULT_CONTEXT,
  DEFAULT_LIMITS,
  type LoopEvent,
  type ModelPort,
  type ModelRecords,
  NO_USAGE,
  type Terminal,
} from '@heddle/core';
import { plainModelName } from '@heddle/models';
import type { ModelUsage } from '../sdk/message.ts';
import type { Bill } from '../session/bill.ts';
import type { Cost } from '../session/codec/entries.ts';
import { Meter, type Price } from './meter.ts';
import type { AgentOptions } from './options.ts';

type Spender = Pick<
  AgentOptions,
  | 'price'
  | 'loadPrice'
  | 'maxBudgetUsd'
  | 'model'
  | 'modelName'
  | 'fallbackModel'
  | 'context'
  | 'maxOutputTokens'
>;

/** The fallback models in their order, each under its full name. */
export function fallbacksOf({ fallbackModel = [] }: Pick<AgentOptions, 'fallbackModel'>): readonly string[] {
  const names = typeof fallbackModel === 'string' ? [fallbackModel] : fallbackModel;
  return names.map((name) => plainModelName(name, process.env));
}

/** What the host says about the context. The port knows the windows of its models if the host does not. */
export function contextChangesOf({
  model,
  context,
}: Pick<AgentOptions, 'model' | 'context'>): ContextChanges {
  const { factsOf } = model;
  if (factsOf === undefined) return context ?? {};
  const { windowOf, tokenScaleOf } = DEFAULT_CONTEXT;
  return {
    windowOf: (name) => factsOf(name)?.contextWindow ?? windowOf(name),
    tokenScaleOf: (name) => factsOf(name)?.tokenScale ?? tokenScaleOf(name),
    ...context,
  };
}

/** What a conversation has cost so far. */
export interface Costs {
  readonly costUsd: number;
  readonly models: Readonly<Record<string, ModelUsage>>;
}

export class Purse {
  readonly meter: Meter;
  #options: Spender;
  #loading: Promise<Price> | undefined;

  constructor(options: Spender, earlier: Bill) {
    this.#options = options;
    this.meter = new Meter(options.price, earlier);
  }

  change(options: Spender): void {
    this.#options = options;
    this.#loading = undefined;
  }

  /** Why a budget could not be kept: a model could spend money that nobody counts. */
  async objection(): Promise<string | undefined> {
    const { maxBudgetUsd, modelName } = this.#options;
    if (maxBudgetUsd === undefined) return undefined;
    await this.#load();
    const unknown = [modelName, ...fallbacksOf(this.#options)].find(
      (model) => this.meter.priceOf(model, NO_USAGE) === undefined,
    );
    if (unknown === undefined) return undefined;
    return `The price of ${unknown} is unknown, so a budget in dollars cannot be kept. Leave it out, or give a price.`;
  }

  /** Puts on the bill what an event has spent; undefined where it has spent nothing. */
  take(event: LoopEvent): Promise<Cost> | undefined {
    return event.type === 'answer_end' || event.type === 'spent' ? this.#bill(event) : undefined;
  }

  async #bill({
    model,
    usage,
  }: Pick<Extract<LoopEvent, { type: 'spent' }>, 'model' | 'usage'>): Promise<Cost> {
    await this.#load();
    return this.meter.add(model, usage);
  }

  get spending(): Costs {
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

  /** Set once the budget is used up. */
  get spent(): Extract<Terminal, { reason: 'max_budget_usd' }> | undefined {
    const { maxBudgetUsd } = this.#options;
    const spentUsd = this.meter.newCostUsd;
    if (maxBudgetUsd === undefined || spentUsd < maxBudgetUsd) return undefined;
    return { reason: 'max_budget_usd', limitUsd: maxBudgetUsd, spentUsd };
  }

  /**
   * The model with an ear at its first record. The price list is large: it is loaded while the first answer streams, neither
   * before its request is out nor after its last word.
   */
  hearing(model: ModelPort): ModelPort {
    if (!this.#options.loadPrice || this.#loading) return model;
    // Why it failed, if it did, is told to whoever needs a price.
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

function onFirstRecord(records: ModelRecords, tell: () => void): ModelRecords {
  return {
    [Symbol.asyncIterator]() {
      const inner = records[Symbol.asyncIterator]();
      let isFirst = true;
      return {
        next() {
          const next = inner.next();
          if (isFirst) next.then(tell, () => undefined);
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
