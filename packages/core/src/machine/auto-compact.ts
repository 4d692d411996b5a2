/** What the machine remembers of a compaction before a call: its lineage, its failures in a row, the budget it hid. */
import type { QueryConfig } from './config.ts';
import { lessTheReplaced } from './continues.ts';
import type { AutoCompactResult } from './happened.ts';
import type { AutoCompactTracking, Turn } from './state.ts';

export function noteAutoCompact(turn: Turn, result: AutoCompactResult, config: QueryConfig): Turn {
  const { state, ledger } = turn;
  switch (result.outcome) {
    case 'idle':
      return turn;
    case 'failed': {
      const before = state.autoCompactTracking ?? NEVER_FIRED;
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

const NEVER_FIRED: AutoCompactTracking = {
  compacted: false,
  turnCounter: 0,
  id: '',
  consecutiveFailures: 0,
};
