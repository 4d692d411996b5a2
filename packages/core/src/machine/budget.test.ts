/** Section 9: the conditions under which a run continues because its token budget is not used. */
import { describe, expect, it } from 'vitest';
import { decide } from './decide.ts';
import type { BudgetLedger, LoopState } from './state.ts';
import { compacted, config, hooksRan, next, prepared, loop } from './test/given.ts';

const BUDGET = config({ tokenBudget: 10_000 });

describe('a token budget', () => {
  it('continues the run until 90 % are used', () => {
    expect(next(hooksRan({ outputTokens: 8_999 }), { config: BUDGET })).toEqual([
      'continue token_budget_continuation',
    ]);
    expect(next(hooksRan({ outputTokens: 9_000 }), { config: BUDGET })).toEqual(['stop completed']);
  });

  it('stops after three continuations when the last two gained fewer than 500 tokens each', () => {
    const before = { continuationCount: 3, lastDeltaTokens: 499, lastGlobalTurnTokens: 1_000 };
    expect(next(hooksRan({ outputTokens: 1_499 }), { loop: spent(before), config: BUDGET })).toEqual([
      'stop completed',
    ]);
  });

  it.each([
    ['there were only two continuations', { continuationCount: 2, lastDeltaTokens: 0 }, 1_000],
    ['the gain before the last was enough', { continuationCount: 3, lastDeltaTokens: 500 }, 1_000],
    ['the last gain was enough', { continuationCount: 3, lastDeltaTokens: 0 }, 1_500],
  ])('continues when %s', (_, before, outputTokens) => {
    const given = spent({ lastGlobalTurnTokens: 1_000, ...before });
    expect(next(hooksRan({ outputTokens }), { loop: given, config: BUDGET })).toEqual([
      'continue token_budget_continuation',
    ]);
  });

  it('stores the count, the gain and the sum of each continuation', () => {
    const first = decide(loop(), hooksRan({ outputTokens: 700 }), BUDGET).loop;
    expect(first.ledger.budget).toEqual(
      ledger({ continuationCount: 1, lastDeltaTokens: 700, lastGlobalTurnTokens: 700 }),
    );
    const second = decide(first, hooksRan({ outputTokens: 900 }), BUDGET).loop;
    expect(second.ledger.budget).toEqual(
      ledger({ continuationCount: 2, lastDeltaTokens: 200, lastGlobalTurnTokens: 900 }),
    );
  });

  it('reports continuations, used percentage, diminished gains and duration at the end', () => {
    const before = spent({
      continuationCount: 3,
      lastDeltaTokens: 100,
      lastGlobalTurnTokens: 1_000,
      startedAt: 2_000,
    });
    expect(decide(before, hooksRan({ outputTokens: 1_050, now: 5_000 }), BUDGET)).toMatchObject({
      terminal: {
        reason: 'completed',
        budget: { continuations: 3, percentUsed: 11, diminished: true, durationMs: 3_000 },
      },
    });
    expect(decide(loop(), hooksRan({ outputTokens: 9_500 }), BUDGET)).toMatchObject({
      terminal: { budget: { continuations: 0, percentUsed: 95, diminished: false } },
    });
  });

  it('never continues a subagent', () => {
    expect(next(hooksRan(), { config: { ...BUDGET, isSubagent: true } })).toEqual(['stop completed']);
  });

  it('has no effect if it is not set or switched off', () => {
    expect(next(hooksRan(), { config: config() })).toEqual(['stop completed']);
    expect(
      next(hooksRan(), { config: config({ tokenBudget: 10_000, gates: { tokenBudget: false } }) }),
    ).toEqual(['stop completed']);
  });
});

describe('a task budget', () => {
  const task = config({ taskBudget: { total: 1_000 } });

  it('is sent whole while nothing was compacted', () => {
    expect(decide(loop(), prepared(), task)).toMatchObject({
      effect: { taskBudget: { total: 1_000, remaining: 1_000 } },
    });
  });

  it('is reduced by the tokens that a compaction replaced, and is never negative', () => {
    const once = decide(
      loop(),
      compacted({ result: { ok: true, id: 'c1', replacedTokens: 400 } }),
      task,
    ).loop;
    expect(decide(once, prepared(), task)).toMatchObject({
      effect: { taskBudget: { total: 1_000, remaining: 600 } },
    });
    const autoCompact = { outcome: 'compacted', id: 'boundary', replacedTokens: 900 } as const;
    expect(decide(once, prepared({ autoCompact }), task)).toMatchObject({
      effect: { taskBudget: { remaining: 0 } },
    });
  });

  it('is not sent if it is not set', () => {
    expect(decide(loop(), prepared(), config())).toMatchObject({ effect: { taskBudget: undefined } });
  });
});

describe('the tracking of autocompact', () => {
  it('counts consecutive failures, also over an idle pass', () => {
    const once = decide(loop(), prepared({ autoCompact: { outcome: 'failed' } }), config()).loop;
    const idle = decide(once, prepared(), config()).loop;
    const twice = decide(idle, prepared({ autoCompact: { outcome: 'failed' } }), config()).loop;
    expect(twice.state.autoCompactTracking).toMatchObject({ compacted: false, consecutiveFailures: 2 });
  });

  it('is reset by a successful compaction', () => {
    const failed = decide(loop(), prepared({ autoCompact: { outcome: 'failed' } }), config()).loop;
    const autoCompact = { outcome: 'compacted', id: 'boundary', replacedTokens: 1 } as const;
    expect(decide(failed, prepared({ autoCompact }), config()).loop.state.autoCompactTracking).toEqual({
      compacted: true,
      turnCounter: 0,
      id: 'boundary',
      consecutiveFailures: 0,
    });
  });
});

function ledger(budget: Partial<BudgetLedger>): BudgetLedger {
  return { continuationCount: 0, lastDeltaTokens: 0, lastGlobalTurnTokens: 0, startedAt: 0, ...budget };
}

function spent(budget: Partial<BudgetLedger>): LoopState {
  return loop({}, { budget: ledger(budget) });
}
