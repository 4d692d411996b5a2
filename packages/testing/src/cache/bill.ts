/**
 * Computes the cost under the API's prompt cache. A mark writes an entry for the prefix that ends there. A
 * read starts at a mark and looks back over a few blocks for an earlier entry. Prefixes below the model's
 * minimum are neither written nor read. Entries never expire here, because requests follow one another
 * quickly.
 */
import type { RequestBody } from '../request-body.ts';
import { type CacheBlock, cacheBlocksOf, type TokensOf } from './blocks.ts';

export interface CacheCost {
  /** Tokens read from the cache, written to it, and neither. The sum is the whole request. */
  readonly cacheRead: number;
  readonly cacheCreation: number;
  readonly input: number;
}

export interface CacheRules {
  /** Prefixes with fewer tokens are not cached. */
  readonly minimum: number;
  /** Positions tried from a mark backwards, including the mark itself. */
  readonly lookBack: number;
}

export const LOOK_BACK = 20;

/** Computes the cost of requests in the order in which they were sent. Pure. */
export function cacheCostOf(
  requests: readonly (readonly CacheBlock[])[],
  rules: Partial<CacheRules> = {},
): CacheCost[] {
  const { minimum = 1_024, lookBack = LOOK_BACK } = rules;
  const written = new Set<string>();
  return requests.map((blocks) => {
    const sums = runningSums(blocks);
    let read = 0;
    let covered = 0;
    for (const [mark, { marked }] of blocks.entries()) {
      const size = sums[mark] ?? 0;
      if (!marked || size < minimum) continue;
      covered = size;
      for (let place = mark; place >= 0 && place > mark - lookBack; place--) {
        if (!written.has(blocks[place]?.prefix ?? '')) continue;
        read = Math.max(read, sums[place] ?? 0);
        break;
      }
    }
    for (const [mark, { marked, prefix }] of blocks.entries()) {
      if (marked && (sums[mark] ?? 0) >= minimum) written.add(prefix);
    }
    const total = sums.at(-1) ?? 0;
    return { cacheRead: read, cacheCreation: covered - read, input: total - covered };
  });
}

/**
 * The lowest possible cost: everything that a request shares with any earlier one is read, regardless of
 * marks.
 */
export function bestCacheCostOf(
  requests: readonly (readonly CacheBlock[])[],
  rules: Partial<CacheRules> = {},
): CacheCost[] {
  const { minimum = 1_024 } = rules;
  const seen = new Set<string>();
  return requests.map((blocks) => {
    const sums = runningSums(blocks);
    const shared = blocks.findLastIndex(({ prefix }) => seen.has(prefix));
    for (const { prefix } of blocks) seen.add(prefix);
    const total = sums.at(-1) ?? 0;
    const common = sums[shared] ?? 0;
    const cacheRead = common >= minimum ? common : 0;
    const cacheCreation = total >= minimum ? total - cacheRead : 0;
    return { cacheRead, cacheCreation, input: total - cacheRead - cacheCreation };
  });
}

/** The share of all input that was read from the cache. */
export function shareRead(bills: readonly CacheCost[]): number {
  let [read, total] = [0, 0];
  for (const { cacheRead, cacheCreation, input } of bills) {
    read += cacheRead;
    total += cacheRead + cacheCreation + input;
  }
  return total === 0 ? 0 : read / total;
}

export interface SessionCacheCost {
  readonly bills: readonly CacheCost[];
  readonly share: number;
  readonly bestShare: number;
}

export interface SessionRules extends Partial<CacheRules> {
  readonly tokensOf?: TokensOf;
}

/** Bills the recorded requests of a session. The minimum follows from the first request's model, unless it is given. */
export function sessionCacheCost(bodies: readonly RequestBody[], rules: SessionRules = {}): SessionCacheCost {
  const minimum = rules.minimum ?? minimumCacheable(String(bodies[0]?.['model']));
  const requests = bodies.map((body) => cacheBlocksOf(body, rules.tokensOf));
  const bills = cacheCostOf(requests, { ...rules, minimum });
  const best = bestCacheCostOf(requests, { ...rules, minimum });
  return { bills, share: shareRead(bills), bestShare: shareRead(best) };
}

/** Tokens below which this model caches nothing: 4,096 for some of the newer ones, 1,024 for the rest. */
export function minimumCacheable(model: string): number {
  return /(?:opus|haiku)-4-[5-9]/.test(model) ? 4_096 : 1_024;
}

function runningSums(blocks: readonly CacheBlock[]): number[] {
  let sum = 0;
  return blocks.map(({ tokens }) => (sum += tokens));
}
