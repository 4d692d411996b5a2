/** What the machine remembers of compactions: their lineage, failures in a row, the budget they hid. It outlasts a prompt. */
import type { QueryConfig } from './config.ts';
import { lessTheReplaced } from './continues.ts';
import type { AutoCompactResult } from './happened.ts';
import type { CompactionLineage } from './effect.ts';
import { NEVER_COMPACTED, type State, type Turn } from './state.ts';

export function noteAutoCompact(turn: Turn, result: AutoCompactResult, config: QueryConfig): Turn {
  const { state, ledger } = turn;
  switch (result.outcome) {
    case 'idle':
      return turn;
    case 'failed': {
      const before = state.autoCompactTracking ?? NEVER_COMPACTED;
      const autoCompactTracking = { ...before, consecutiveFailures: before.consecutiveFailures + 1 };
      return { state: { ...state, autoCompactTracking }, ledger };
    }
    case 'compacted': {
      const { id, replacedTokens } = result;
      const autoCompactTracking = { compacted: true, turnCounter: 0, id, consecutiveFailures: 0 };
      const taskBudgetRemaining = lessTheReplaced(ledger.taskBudgetRemaining, replacedTokens, config);
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
