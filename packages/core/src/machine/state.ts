/**
 * `LoopState`: the ten-field `State` that an iteration starts from, and the `Ledger` of the run. Both are plain data: they can
 * be stored, compared, enumerated and replayed. `continues.ts` builds a complete new State at each transition.
 *
 * Seven fields of the State are guards and counters. The other three are handles: they name objects that the driver holds,
 * and `decide` never looks inside.
 *
 * The Ledger has the counters that do not belong to the ten fields. They differ from the State in
 * their lifetime: a field of the State describes how the next iteration starts, an entry of the Ledger counts over
 * iterations (or until the next good answer) and changes only in the rows that name it.
 */
import type { ModelError } from '../messages/model-error.ts';

export interface State {
  /** Handle: the parts of the next conversation, in order. The driver composes the history from them. */
  readonly messages: HistoryParts;
  /**
   * Handle: the revision of the tool use context. It grows by one whenever tools change the working directory, the permission
   * mode or the loaded tools. The driver holds the object of the current revision.
   */
  readonly toolUseContext: Handle;
  readonly autoCompactTracking: AutoCompactTracking | undefined;
  readonly maxOutputTokensRecoveryCount: number;
  readonly hasAttemptedReactiveCompact: boolean;
  readonly maxOutputTokensOverride: number | undefined;
  /** Handle: the number of the turn whose tool calls are being summarized. The driver holds the promise. */
  readonly pendingToolUseSummary: Handle | undefined;
  readonly stopHookActive: boolean;
  readonly turnCount: number;
  readonly transition: Transition | undefined;
}

export interface Ledger {
  /** Lives for the run: gains are compared over all continuations. */
  readonly budget: BudgetLedger;
  /** Lives for the run: `next_turn` does not reset it, so hooks cannot block forever with tool calls in between. */
  readonly stopHookBlocks: number;
  /** Lives until `next_turn`. Staged collapses were committed in answer to an overflow. */
  readonly drained: boolean;
  /** Lives until the next good answer. Collapses were staged, and no more are staged before the model has answered. */
  readonly stagedSinceAnswer: boolean;
  /** Lives for the run: a circle of calls spans turns. */
  readonly repetition: RepetitionLedger;
  /** The rest of the task budget after a compaction hid work from the server. Undefined: all of it. */
  readonly taskBudgetRemaining: number | undefined;
}

export interface LoopState {
  readonly state: State;
  readonly ledger: Ledger;
}

/** Numbers an object that the driver holds. Two handles are equal if they name the same object. */
export type Handle = number;

/** The parts of a conversation, in order. `decide` chooses them, and the driver has the messages of each. */
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

/** The recent calls, the last one last, with the number of equal results since something new happened. */
export type RepetitionLedger = readonly SeenCall[];

export interface SeenCall extends RepeatedCall {
  readonly fingerprint: string;
}

export interface RepeatedCall {
  readonly tool: string;
  /** How often it returned the same result. */
  readonly count: number;
}

/** `autoCompactTracking`: the compactions of earlier prompts. Undefined if there was none. */
export function initialLoopState(given: {
  readonly startedAt: number;
  readonly autoCompactTracking?: AutoCompactTracking | undefined;
}): LoopState {
  return {
    state: {
      messages: ['given'],
      toolUseContext: 0,
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
      stagedSinceAnswer: false,
      repetition: [],
      taskBudgetRemaining: undefined,
    },
  };
}

/** Why a run ended. Every run ends with exactly one of these and yields nothing after it. */
export type Terminal =
  | {
      readonly reason: 'completed';
      /** The answer was still cut at the cap after all recoveries. */
      readonly truncated?: true;
      readonly refused?: true;
      readonly budget?: BudgetReport;
    }
  | { readonly reason: 'api_error'; readonly error: ModelError }
  | { readonly reason: 'max_turns'; readonly turnCount: number; readonly maxTurns: number }
  | { readonly reason: 'max_budget_usd'; readonly limitUsd: number; readonly spentUsd: number }
  | { readonly reason: 'aborted_streaming' }
  | { readonly reason: 'aborted_tools' }
  | { readonly reason: 'blocking_limit' }
  | { readonly reason: 'stop_hook_prevented'; readonly hook: string; readonly message: string }
  | { readonly reason: 'hook_stopped'; readonly hook: string; readonly message: string }
  | { readonly reason: 'prompt_too_long' }
  | { readonly reason: 'image_error'; readonly message: string }
  | { readonly reason: 'model_error'; readonly message: string }
  | { readonly reason: 'repetition_stopped'; readonly calls: readonly RepeatedCall[] };

export interface BudgetReport {
  readonly continuations: number;
  readonly percentUsed: number;
  readonly diminished: boolean;
  readonly durationMs: number;
}

export type TerminalReason = Terminal['reason'];

/** `max_budget_usd` is returned by the engine around the loop, which alone knows prices. */
export const TERMINAL_REASONS = [
  'completed',
  'api_error',
  'max_turns',
  'max_budget_usd',
  'aborted_streaming',
  'aborted_tools',
  'blocking_limit',
  'stop_hook_prevented',
  'hook_stopped',
  'prompt_too_long',
  'image_error',
  'model_error',
  'repetition_stopped',
] as const satisfies readonly TerminalReason[];

/** Why an iteration continued. */
export type Transition =
  | { readonly reason: 'next_turn' }
  | { readonly reason: 'max_output_tokens_escalate'; readonly maxOutputTokens: number }
  | { readonly reason: 'max_output_tokens_recovery'; readonly attempt: number }
  | { readonly reason: 'collapse_drain_retry' }
  | { readonly reason: 'reactive_compact_retry' }
  | { readonly reason: 'stop_hook_blocking'; readonly blocks: number }
  | { readonly reason: 'token_budget_continuation'; readonly percentUsed: number };

export type TransitionReason = Transition['reason'];

export const TRANSITION_REASONS = [
  'next_turn',
  'max_output_tokens_escalate',
  'max_output_tokens_recovery',
  'collapse_drain_retry',
  'reactive_compact_retry',
  'stop_hook_blocking',
  'token_budget_continuation',
] as const satisfies readonly TransitionReason[];
