/**
 * The guards: each stops one recovery from running forever. A guard reads only the LoopState and the limits. `decide` checks
 * whether the configuration has the recovery switched on.
 */
import { diminished } from './ledger.ts';
import type { Limits, QueryConfig } from './config.ts';
import type { PreparedContext } from './effects.ts';
import type { LoopState, State } from './state.ts';

export interface Guards {
  /** Collapses are staged once between two good answers. */
  mayStage(loop: LoopState): boolean;
  /** One drain between two turns. */
  mayDrain(loop: LoopState): boolean;
  /** One compaction in answer to an error, until the run makes progress. */
  mayCompact(loop: LoopState): boolean;
  /** The cap is raised only if no override is in force. */
  overrideIsFree(state: State): boolean;
  /** The cap is raised only before the first resumption. */
  nothingResumedYet(state: State): boolean;
  mayResume(state: State, limits: Limits): boolean;
  mayBlockAgain(loop: LoopState, limits: Limits): boolean;
  /** The circuit breaker of autocompact. */
  mayAutoCompact(state: State, limits: Limits): boolean;
  mayTakeAnotherTurn(state: State, maxTurns: number | undefined): boolean;
  /** The same call has had the same result this many times. */
  repeatsTooOften(count: number, limits: Limits): boolean;
  gainsDiminish: typeof diminished;
}

export const GUARDS: Guards = {
  mayStage: ({ ledger }) => !ledger.stagedSinceAnswer,
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

/** True if a call must fail and no recovery is left. False if a recovery is available, or has just run. */
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
