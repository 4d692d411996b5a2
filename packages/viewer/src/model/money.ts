/** Computes what each request cost, and why its cached prefix was lost. Pure. */
import { type AnswerFact, type LogFact, requestTokens, type TokenCounts } from './facts.ts';

export interface RequestCost {
  readonly line: number;
  readonly at: number;
  readonly model: string;
  /** `other`: a failed attempt, a compaction or a tool used the tokens. */
  readonly kind: 'answer' | 'other';
  readonly tokens: TokenCounts;
  /** Undefined if no price was known. */
  readonly costUsd: number | undefined;
  /** The cost of the session up to this request. */
  readonly totalUsd: number;
  /** Why most of the cached prefix was not read. Undefined if it was read, or if there was none. */
  readonly cacheMiss: string | undefined;
}

export interface ModelCost {
  readonly model: string;
  readonly requests: number;
  readonly tokens: TokenCounts;
  readonly costUsd: number;
  readonly unpriced: number;
}

/** A request that reads less than this share of the previous request from the cache has lost its prefix. */
const READ_SHARE = 0.5;

/** Smaller prefixes are not cached by servers. */
const SMALLEST_PREFIX = 1_024;

/** Servers keep a prefix for five minutes after its last use, unless asked for more. */
const CACHE_LIFETIME_MS = 5 * 60_000;

export function requestCosts(facts: readonly LogFact[]): RequestCost[] {
  const costs: RequestCost[] = [];
  let totalUsd = 0;
  let previous: AnswerFact | undefined;
  let changes: string[] = [];
  for (const fact of facts) {
    const change = prefixChange(fact);
    if (change !== undefined) changes.push(change);
    if (fact.type !== 'answer' && fact.type !== 'spent') continue;
    const { line, at, model, tokens, costUsd } = fact;
    totalUsd += costUsd ?? 0;
    const isAnswer = fact.type === 'answer';
    const cacheMiss = isAnswer ? causeOfMiss(fact, previous, changes) : undefined;
    costs.push({
      line,
      at,
      model,
      kind: isAnswer ? 'answer' : 'other',
      tokens,
      costUsd,
      totalUsd,
      cacheMiss,
    });
    if (!isAnswer) continue;
    previous = fact;
    changes = [];
  }
  return costs;
}

function causeOfMiss(
  fact: AnswerFact,
  previous: AnswerFact | undefined,
  changes: readonly string[],
): string | undefined {
  if (!previous) return undefined;
  const cached = previous.tokens.cacheRead + previous.tokens.cacheWrite;
  if (cached < SMALLEST_PREFIX || fact.tokens.cacheRead >= cached * READ_SHARE) return undefined;
  if (previous.model !== fact.model) return `The model changed from ${previous.model} to ${fact.model}.`;
  const last = changes.at(-1);
  if (last !== undefined) return last;
  const idleMs = fact.at - previous.at;
  if (idleMs > CACHE_LIFETIME_MS)
    return `The cache expired: ${Math.round(idleMs / 60_000)} minutes passed since the last request.`;
  return 'The log shows no cause. The server may have dropped the cached prefix.';
}

function prefixChange(fact: LogFact): string | undefined {
  switch (fact.type) {
    case 'context':
      return fact.rewrotePrefix ? `${fact.level} rewrote the history.` : undefined;
    case 'rewind':
      return 'The conversation was rewound.';
    case 'tombstone':
      return 'Messages were retracted.';
    default:
      return undefined;
  }
}

export function costsByModel(costs: readonly RequestCost[]): ModelCost[] {
  const models = new Map<string, RequestCost[]>();
  for (const cost of costs) {
    const known = models.get(cost.model);
    if (known) known.push(cost);
    else models.set(cost.model, [cost]);
  }
  return [...models].map(([model, list]) => ({
    model,
    requests: list.length,
    tokens: {
      input: sum(list, ({ tokens }) => tokens.input),
      output: sum(list, ({ tokens }) => tokens.output),
      cacheRead: sum(list, ({ tokens }) => tokens.cacheRead),
      cacheWrite: sum(list, ({ tokens }) => tokens.cacheWrite),
    },
    costUsd: sum(list, ({ costUsd }) => costUsd ?? 0),
    unpriced: list.filter(({ costUsd }) => costUsd === undefined).length,
  }));
}

/** The share of input tokens that was read from the cache, from 0 to 1. */
export function cacheShare(costs: readonly RequestCost[]): number {
  const all = sum(costs, ({ tokens }) => requestTokens(tokens));
  return all === 0 ? 0 : sum(costs, ({ tokens }) => tokens.cacheRead) / all;
}

function sum<T>(list: readonly T[], value: (item: T) => number): number {
  return list.reduce((total, item) => total + value(item), 0);
}
