/**
 * `Turn` = the ten-field `State` an iteration starts from, and the `Ledger` of the run. Both are plain data: they can be
 * stored, compared, enumerated and replayed. At every continue site a complete new State is built in one expression.
 */
import type { Transition } from './terminal.ts';

export interface State {
  /** Handle: what the next iteration's conversation is made of. The driver holds the messages and cooks the recipe. */
  readonly messages: HistoryParts;
  /** Handle: the driver swaps the object behind it when a tool replaces the context. */
  readonly toolUseContext: Handle;
  readonly autoCompactTracking: AutoCompactTracking | undefined;
  readonly maxOutputTokensRecoveryCount: number;
  readonly hasAttemptedReactiveCompact: boolean;
  readonly maxOutputTokensOverride: number | undefined;
  /** Handle: the driver holds the promise. */
  readonly pendingToolUseSummary: Handle | undefined;
  readonly stopHookActive: boolean;
  readonly turnCount: number;
  readonly transition: Transition | undefined;
}

export interface Ledger {
  readonly budget: BudgetLedger;
  readonly stopHookBlocks: number;
  readonly drained: boolean;
  readonly repetition: RepetitionLedger;
  /** What is left of the task budget since a compaction hid part of the work from the server; undefined: all of it. */
  readonly taskBudgetRemaining: number | undefined;
}

export interface LoopState {
  readonly state: State;
  readonly ledger: Ledger;
}

/** Names an object that the driver holds. `decide` carries it along and never looks inside. */
export type Handle = string;

/** The pieces of a conversation, in order. What each is, the driver knows; which ones come next, only `decide` does. */
export type HistoryParts = readonly HistoryPart[];

export type HistoryPart =
  | 'given'
  | 'prepared'
  | 'answer'
  | 'results'
  | 'attachments'
  | 'resume_request'
  | 'compacted'
  | 'hook_errors'
  | 'budget_nudge';

export interface AutoCompactTracking {
  readonly compacted: boolean;
  /** Turns since the last compaction of any kind. */
  readonly turnCounter: number;
  /** Of the last compaction; empty if there was none. */
  readonly id: string;
  readonly consecutiveFailures: number;
}

export const NEVER_COMPACTED: AutoCompactTracking = {
  compacted: false,
  turnCounter: 0,
  id: '',
  consecutiveFailures: 0,
};

export interface BudgetLedger {
  readonly continuationCount: number;
  readonly lastDeltaTokens: number;
  readonly lastGlobalTurnTokens: number;
  readonly startedAt: number;
}

/** The calls seen lately, the last one last, and how often each came back with the same result while nothing new happened. */
export type RepetitionLedger = readonly SeenCall[];

export interface SeenCall extends RepeatedCall {
  readonly fingerprint: string;
}

export interface RepeatedCall {
  readonly tool: string;
  /** How often it came back with the same result. */
  readonly count: number;
}

/** `autoCompactTracking`: what earlier prompts of the conversation left; undefined if nothing was compacted. */
export function initialLoopState(given: {
  readonly startedAt: number;
  readonly autoCompactTracking?: AutoCompactTracking | undefined;
}): LoopState {
  return {
    state: {
      messages: ['given'],
      toolUseContext: 'context',
      autoCompactTracking: given.autoCompactTracking,
      maxOutputTokensRecoveryCount: 0,
      hasAttemptedReactiveCompact: false,
      maxOutputTokensOverride: undefined,
      pendingToolUseSummary: undefined,
      stopHookActive: false,
      turnCount: 1,
      transition: undefined,
    },
    ledger: {
      budget: {
        continuationCount: 0,
        lastDeltaTokens: 0,
        lastGlobalTurnTokens: 0,
        startedAt: given.startedAt,
      },
      stopHookBlocks: 0,
      drained: false,
      repetition: [],
      taskBudgetRemaining: undefined,
    },
  };
}
