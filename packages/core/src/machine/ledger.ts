/** The accounts of a run: repeated calls, the token budget, and the compactions of the conversation. */
import type { Limits, QueryConfig } from './config.ts';
import type { AutoCompactResult, CompactionLineage, FinishedCall } from './effects.ts';
import {
  type AutoCompactTracking,
  type BudgetLedger,
  type BudgetReport,
  type LoopState,
  NEVER_COMPACTED,
  type RepeatedCall,
  type RepetitionLedger,
  type SeenCall,
  type State,
} from './state.ts';

/** The detector notices circles of up to this many different calls. */
const REMEMBERED_CALLS = 8;

/**
 * Counts calls with the same tool, input and result. Polling that returns something new is work, and so is a test that fails
 * the same way after each different edit. A call that is not among the remembered ones restarts all counts.
 */
export function noteCalls(seen: RepetitionLedger, calls: readonly FinishedCall[]): RepetitionLedger {
  const now = new Map(calls.map((call) => [call.fingerprint, call]));
  const again = seen.filter((call) => now.has(call.fingerprint));
  const rest = again.length === 0 ? seen : seen.filter((call) => !now.has(call.fingerprint));
  for (const { fingerprint } of again) now.delete(fingerprint);
  const novel = [...now.values()];
  const isNew = novel.length > 0;
  return [
    ...rest.map((call) => (isNew && call.count > 0 ? counted(call, 0) : call)),
    ...again.map((call) => counted(call, isNew ? 1 : call.count + 1)),
    ...novel.map((call) => counted(call, 1)),
  ].slice(-Math.max(REMEMBERED_CALLS, again.length + novel.length));
}

/** The calls with at least so many equal results. */
export function repeated(seen: RepetitionLedger, atLeast: number): RepeatedCall[] {
  return seen.filter((call) => call.count >= atLeast).map(({ tool, count }) => ({ tool, count }));
}

function counted({ tool, fingerprint }: FinishedCall, count: number): SeenCall {
  return { tool, fingerprint, count };
}

export type BudgetVerdict =
  | { readonly continues: true; readonly percentUsed: number; readonly ledger: BudgetLedger }
  | { readonly continues: false; readonly report: BudgetReport };

/** Decides whether a run that has answered continues because its token budget is not used. */
export function checkBudget(
  ledger: BudgetLedger,
  spent: { readonly outputTokens: number; readonly now: number },
  budget: number,
  limits: Limits,
  gainsDiminish: typeof diminished = diminished,
): BudgetVerdict {
  const gained = spent.outputTokens - ledger.lastGlobalTurnTokens;
  const percentUsed = Math.round((100 * spent.outputTokens) / budget);
  const noMoreGain = gainsDiminish(ledger, gained, limits);
  if (!noMoreGain && spent.outputTokens < budget * limits.budgetShare) {
    const next: BudgetLedger = {
      continuationCount: ledger.continuationCount + 1,
      lastDeltaTokens: gained,
      lastGlobalTurnTokens: spent.outputTokens,
      startedAt: ledger.startedAt,
    };
    return { continues: true, percentUsed, ledger: next };
  }
  return {
    continues: false,
    report: {
      continuations: ledger.continuationCount,
      percentUsed,
      diminished: noMoreGain,
      durationMs: spent.now - ledger.startedAt,
    },
  };
}

/** True after two small gains in a row and enough continuations. */
export function diminished(ledger: BudgetLedger, gained: number, limits: Limits): boolean {
  return (
    ledger.continuationCount >= limits.budgetContinuations &&
    gained < limits.budgetMinimumGain &&
    ledger.lastDeltaTokens < limits.budgetMinimumGain
  );
}

/** Stores the result of autocompact: the lineage, the failures in a row, and the task budget that the compaction hid. */
export function noteAutoCompact(loop: LoopState, result: AutoCompactResult, config: QueryConfig): LoopState {
  const { state, ledger } = loop;
  switch (result.outcome) {
    case 'idle':
      return loop;
    case 'failed': {
      const before = state.autoCompactTracking ?? NEVER_COMPACTED;
      const autoCompactTracking = { ...before, consecutiveFailures: before.consecutiveFailures + 1 };
      return { state: { ...state, autoCompactTracking }, ledger };
    }
    case 'compacted': {
      const { id, replacedTokens } = result;
      const autoCompactTracking = { compacted: true, turnCounter: 0, id, consecutiveFailures: 0 };
      const taskBudgetRemaining = deductReplacedTokens(ledger.taskBudgetRemaining, replacedTokens, config);
      return { state: { ...state, autoCompactTracking }, ledger: { ...ledger, taskBudgetRemaining } };
    }
  }
}

export function lineageOf({ autoCompactTracking }: Pick<State, 'autoCompactTracking'>): CompactionLineage {
  const { id, compacted, turnCounter, consecutiveFailures } = autoCompactTracking ?? NEVER_COMPACTED;
  return {
    previousId: compacted ? id : undefined,
    turnsSince: turnCounter,
    failures: consecutiveFailures,
  };
}

/** The server does not see work that a compaction replaced, so its tokens leave the remainder that Heddle reports. */
export function deductReplacedTokens(
  remaining: number | undefined,
  replacedTokens: number,
  { taskBudget }: QueryConfig,
): number | undefined {
  if (taskBudget === undefined) return remaining;
  return Math.max(0, (remaining ?? taskBudget.total) - replacedTokens);
}

export function oneTurnOlder(tracking: AutoCompactTracking | undefined): AutoCompactTracking | undefined {
  return tracking && { ...tracking, turnCounter: tracking.turnCounter + 1 };
}
