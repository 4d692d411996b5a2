/** Should a run that has answered go on, because its token budget is not used? */
import type { Limits } from './config.ts';
import type { BudgetLedger } from './state.ts';

export interface BudgetReport {
  readonly continuations: number;
  readonly percentUsed: number;
  readonly diminished: boolean;
  readonly durationMs: number;
}

export type BudgetVerdict =
  | { readonly goOn: true; readonly percentUsed: number; readonly ledger: BudgetLedger }
  | { readonly goOn: false; readonly report: BudgetReport };

export function judgeBudget(
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
    return { goOn: true, percentUsed, ledger: next };
  }
  return {
    goOn: false,
    report: {
      continuations: ledger.continuationCount,
      percentUsed,
      diminished: noMoreGain,
      durationMs: spent.now - ledger.startedAt,
    },
  };
}

/** Two small gains in a row, after enough continuations to be sure that it is not a pause for breath. */
export function diminished(ledger: BudgetLedger, gained: number, limits: Limits): boolean {
  return (
    ledger.continuationCount >= limits.budgetContinuations &&
    gained < limits.budgetMinimumGain &&
    ledger.lastDeltaTokens < limits.budgetMinimumGain
  );
}
