/**
 * The guards: what keeps each recovery from happening for ever. Each is a question about the Turn alone. Configuration
 * (is the recovery switched on?) is asked in `decide`; remembering (has it been used up?) is asked here and nowhere else.
 */
import { diminished } from './budget.ts';
import type { Limits, QueryConfig } from './config.ts';
import { deductReplacedTokens } from './continues.ts';
import type { CompactionLineage } from './effect.ts';
import type { AutoCompactResult, PreparedContext } from './happened.ts';
import { type LoopState, NEVER_COMPACTED, type State } from './state.ts';

export interface Guards {
  /** One drain between two turns. */
  mayDrain(turn: LoopState): boolean;
  /** One compaction in answer to an error, until real progress was made. */
  mayCompact(turn: LoopState): boolean;
  /** No escalation while an override is in force… */
  overrideIsFree(state: State): boolean;
  /** …nor once a resumption was asked for. */
  nothingResumedYet(state: State): boolean;
  mayResume(state: State, limits: Limits): boolean;
  mayBlockAgain(turn: LoopState, limits: Limits): boolean;
  /** The circuit breaker of autocompact. */
  mayAutoCompact(state: State, limits: Limits): boolean;
  mayTakeAnotherTurn(state: State, maxTurns: number | undefined): boolean;
  /** The end of a circle: this many times the same call with the same result. */
  repeatsTooOften(count: number, limits: Limits): boolean;
  gainsDiminish: typeof diminished;
}

export const GUARDS: Guards = {
  mayDrain: ({ ledger }) => !ledger.drained,
  mayCompact: ({ state }) => !state.hasAttemptedReactiveCompact,
  overrideIsFree: (state) => state.maxOutputTokensOverride === undefined,
  nothingResumedYet: (state) => state.maxOutputTokensRecoveryCount === 0,
  mayResume: (state, limits) => state.maxOutputTokensRecoveryCount < limits.outputRecoveries,
  mayBlockAgain: ({ ledger }, limits) => ledger.stopHookBlocks < limits.stopHookBlocks,
  mayAutoCompact: (state, limits) =>
    (state.autoCompactTracking?.consecutiveFailures ?? 0) < limits.autoCompactFailures,
  mayTakeAnotherTurn: (state, maxTurns) => !maxTurns || state.turnCount + 1 <= maxTurns,
  repeatsTooOften: (count, limits) => count >= limits.repetitionStop,
  gainsDiminish: diminished,
};

/** Unless some remedy is at hand that the failure would set in motion, or has just been tried. */
export function blockingLimitApplies(
  { state, ledger }: LoopState,
  { overLimit, staged, autoCompact }: PreparedContext,
  { gates, limits, querySource }: QueryConfig,
  guards: Guards,
): boolean {
  if (!overLimit || querySource === 'compact') return false;
  const justCompacted =
    autoCompact.outcome === 'compacted' || state.transition?.reason === 'reactive_compact_retry';
  const remedy =
    (gates.autoCompact && guards.mayAutoCompact(state, limits)) ||
    (gates.reactiveCompact && guards.mayCompact({ state, ledger })) ||
    (gates.contextCollapse && staged);
  return !justCompacted && !remedy;
}

export function noteAutoCompact(turn: LoopState, result: AutoCompactResult, config: QueryConfig): LoopState {
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
