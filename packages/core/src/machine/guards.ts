/**
 * The guards: what keeps each recovery from happening for ever. Each is a question about the Turn alone. Configuration
 * (is the recovery switched on?) is asked in `decide`; remembering (has it been used up?) is asked here and nowhere else.
 */
import { diminished } from './budget.ts';
import type { Limits } from './config.ts';
import type { State, Turn } from './state.ts';

export interface Guards {
  /** One drain between two turns. */
  mayDrain(turn: Turn): boolean;
  /** One compaction in answer to an error, until real progress was made. */
  mayCompact(turn: Turn): boolean;
  /** No escalation while an override is in force… */
  overrideIsFree(state: State): boolean;
  /** …nor once a resumption was asked for. */
  nothingResumedYet(state: State): boolean;
  mayResume(state: State, limits: Limits): boolean;
  mayBlockAgain(turn: Turn, limits: Limits): boolean;
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
