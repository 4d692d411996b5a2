/**
 * The seven transitions, as a table: one row for each transition, one column for each field of the State and the Ledger.
 * The type requires every cell, so a new field or a new transition cannot be forgotten.
 */
import type { QueryConfig } from './config.ts';
import { deductReplacedTokens, oneTurnOlder } from './ledger.ts';
import {
  type BudgetLedger,
  type HistoryParts,
  initialLoopState,
  type Ledger,
  type LoopState,
  type State,
  type Transition,
  type TransitionReason,
} from './state.ts';

/** The state of a run that continues, with the reason. */
export interface ContinueDecision extends LoopState {
  readonly state: State & { readonly transition: Transition };
}

/** The data of the event that some transitions need. */
interface Facts {
  readonly next_turn: object;
  readonly max_output_tokens_escalate: object;
  readonly max_output_tokens_recovery: object;
  readonly collapse_drain_retry: object;
  readonly reactive_compact_retry: { readonly id: string; readonly replacedTokens: number };
  readonly stop_hook_blocking: object;
  readonly token_budget_continuation: { readonly percentUsed: number; readonly ledger: BudgetLedger };
}

interface Input<F> {
  readonly state: State;
  readonly ledger: Ledger;
  readonly config: QueryConfig;
  readonly facts: F;
}

/** `keep`: the field stays as it is. `reset`: it gets the value of a new run. A function returns its new value. */
type Cell<T, F> = 'keep' | 'reset' | ((input: Input<F>) => T);

type Row<R extends TransitionReason> = {
  readonly [Field in Exclude<keyof State, 'messages' | 'transition'>]: Cell<State[Field], Facts[R]>;
} & {
  readonly [Field in keyof Ledger]: Cell<Ledger[Field], Facts[R]>;
} & {
  readonly messages: HistoryParts;
  readonly transition: (input: Input<Facts[R]>) => Extract<Transition, { reason: R }>;
};

const CONTINUES: { readonly [R in TransitionReason]: Row<R> } = {
  next_turn: {
    messages: ['prepared', 'answer', 'results', 'attachments'],
    toolUseContext: 'keep',
    autoCompactTracking: ({ state }) => oneTurnOlder(state.autoCompactTracking),
    maxOutputTokensRecoveryCount: 'reset',
    hasAttemptedReactiveCompact: 'reset',
    maxOutputTokensOverride: 'reset',
    pendingToolUseSummary: ({ state, config }) =>
      config.gates.emitToolUseSummaries ? state.turnCount : undefined,
    stopHookActive: 'keep',
    turnCount: ({ state }) => state.turnCount + 1,
    transition: () => ({ reason: 'next_turn' }),
    budget: 'keep',
    stopHookBlocks: 'keep',
    drained: 'reset',
    stagedSinceAnswer: 'keep',
    repetition: 'keep',
    taskBudgetRemaining: 'keep',
  },
  max_output_tokens_escalate: {
    messages: ['prepared'],
    toolUseContext: 'keep',
    autoCompactTracking: 'keep',
    maxOutputTokensRecoveryCount: 'keep',
    hasAttemptedReactiveCompact: 'keep',
    maxOutputTokensOverride: ({ config }) => config.limits.escalatedOutputTokens,
    pendingToolUseSummary: 'keep',
    stopHookActive: 'keep',
    turnCount: 'keep',
    transition: ({ config }) => ({
      reason: 'max_output_tokens_escalate',
      maxOutputTokens: config.limits.escalatedOutputTokens,
    }),
    budget: 'keep',
    stopHookBlocks: 'keep',
    drained: 'keep',
    stagedSinceAnswer: 'keep',
    repetition: 'keep',
    taskBudgetRemaining: 'keep',
  },
  max_output_tokens_recovery: {
    messages: ['prepared', 'answer', 'resume_request'],
    toolUseContext: 'keep',
    autoCompactTracking: 'keep',
    maxOutputTokensRecoveryCount: ({ state }) => state.maxOutputTokensRecoveryCount + 1,
    hasAttemptedReactiveCompact: 'keep',
    maxOutputTokensOverride: 'reset',
    pendingToolUseSummary: 'keep',
    stopHookActive: 'keep',
    turnCount: 'keep',
    transition: ({ state }) => ({
      reason: 'max_output_tokens_recovery',
      attempt: state.maxOutputTokensRecoveryCount + 1,
    }),
    budget: 'keep',
    stopHookBlocks: 'keep',
    drained: 'keep',
    stagedSinceAnswer: 'keep',
    repetition: 'keep',
    taskBudgetRemaining: 'keep',
  },
  collapse_drain_retry: {
    messages: ['prepared'],
    toolUseContext: 'keep',
    autoCompactTracking: 'keep',
    maxOutputTokensRecoveryCount: 'keep',
    hasAttemptedReactiveCompact: 'keep',
    maxOutputTokensOverride: 'keep',
    pendingToolUseSummary: 'keep',
    stopHookActive: 'keep',
    turnCount: 'keep',
    transition: () => ({ reason: 'collapse_drain_retry' }),
    budget: 'keep',
    stopHookBlocks: 'keep',
    drained: () => true,
    stagedSinceAnswer: 'keep',
    repetition: 'keep',
    taskBudgetRemaining: 'keep',
  },
  reactive_compact_retry: {
    messages: ['compacted'],
    toolUseContext: 'keep',
    autoCompactTracking: ({ state, facts }) => ({
      compacted: true,
      turnCounter: 0,
      id: facts.id,
      consecutiveFailures: state.autoCompactTracking?.consecutiveFailures ?? 0,
    }),
    maxOutputTokensRecoveryCount: 'keep',
    hasAttemptedReactiveCompact: () => true,
    maxOutputTokensOverride: 'keep',
    pendingToolUseSummary: 'keep',
    stopHookActive: 'keep',
    turnCount: 'keep',
    transition: () => ({ reason: 'reactive_compact_retry' }),
    budget: 'keep',
    stopHookBlocks: 'keep',
    drained: 'keep',
    stagedSinceAnswer: 'keep',
    repetition: 'keep',
    taskBudgetRemaining: ({ ledger, facts, config }) =>
      deductReplacedTokens(ledger.taskBudgetRemaining, facts.replacedTokens, config),
  },
  stop_hook_blocking: {
    messages: ['prepared', 'answer', 'attachments', 'hook_errors'],
    toolUseContext: 'keep',
    autoCompactTracking: 'keep',
    maxOutputTokensRecoveryCount: 'reset',
    // Kept: a reset here once made an endless cycle of compaction, error and hook.
    hasAttemptedReactiveCompact: 'keep',
    maxOutputTokensOverride: 'reset',
    pendingToolUseSummary: 'reset',
    stopHookActive: () => true,
    turnCount: 'keep',
    transition: ({ ledger }) => ({ reason: 'stop_hook_blocking', blocks: ledger.stopHookBlocks + 1 }),
    budget: 'keep',
    stopHookBlocks: ({ ledger }) => ledger.stopHookBlocks + 1,
    drained: 'keep',
    stagedSinceAnswer: 'keep',
    repetition: 'keep',
    taskBudgetRemaining: 'keep',
  },
  token_budget_continuation: {
    messages: ['prepared', 'answer', 'attachments', 'budget_nudge'],
    toolUseContext: 'keep',
    autoCompactTracking: 'keep',
    maxOutputTokensRecoveryCount: 'reset',
    hasAttemptedReactiveCompact: 'reset',
    maxOutputTokensOverride: 'reset',
    pendingToolUseSummary: 'reset',
    stopHookActive: 'reset',
    turnCount: 'keep',
    transition: ({ facts }) => ({ reason: 'token_budget_continuation', percentUsed: facts.percentUsed }),
    budget: ({ facts }) => facts.ledger,
    stopHookBlocks: 'keep',
    drained: 'keep',
    stagedSinceAnswer: 'keep',
    repetition: 'keep',
    taskBudgetRemaining: 'keep',
  },
};

const FIRST = initialLoopState({ startedAt: 0 });

/** Builds the complete next State and Ledger from the row of a transition. */
export function continueWith<R extends TransitionReason>(
  reason: R,
  { state, ledger }: LoopState,
  config: QueryConfig,
  facts: Facts[R],
): ContinueDecision {
  const row: Row<R> = CONTINUES[reason];
  const input: Input<Facts[R]> = { state, ledger, config, facts };
  const next = <T>(cell: Cell<T, Facts[R]>, now: T, first: T): T => {
    if (cell === 'keep') return now;
    return typeof cell === 'function' ? cell(input) : first;
  };
  const { state: firstState, ledger: firstLedger } = FIRST;
  return {
    state: {
      messages: row.messages,
      toolUseContext: next(row.toolUseContext, state.toolUseContext, firstState.toolUseContext),
      autoCompactTracking: next(
        row.autoCompactTracking,
        state.autoCompactTracking,
        firstState.autoCompactTracking,
      ),
      maxOutputTokensRecoveryCount: next(
        row.maxOutputTokensRecoveryCount,
        state.maxOutputTokensRecoveryCount,
        firstState.maxOutputTokensRecoveryCount,
      ),
      hasAttemptedReactiveCompact: next(
        row.hasAttemptedReactiveCompact,
        state.hasAttemptedReactiveCompact,
        firstState.hasAttemptedReactiveCompact,
      ),
      maxOutputTokensOverride: next(
        row.maxOutputTokensOverride,
        state.maxOutputTokensOverride,
        firstState.maxOutputTokensOverride,
      ),
      pendingToolUseSummary: next(
        row.pendingToolUseSummary,
        state.pendingToolUseSummary,
        firstState.pendingToolUseSummary,
      ),
      stopHookActive: next(row.stopHookActive, state.stopHookActive, firstState.stopHookActive),
      turnCount: next(row.turnCount, state.turnCount, firstState.turnCount),
      transition: row.transition(input),
    },
    ledger: {
      budget: next(row.budget, ledger.budget, firstLedger.budget),
      stopHookBlocks: next(row.stopHookBlocks, ledger.stopHookBlocks, firstLedger.stopHookBlocks),
      drained: next(row.drained, ledger.drained, firstLedger.drained),
      stagedSinceAnswer: next(row.stagedSinceAnswer, ledger.stagedSinceAnswer, firstLedger.stagedSinceAnswer),
      repetition: next(row.repetition, ledger.repetition, firstLedger.repetition),
      taskBudgetRemaining: next(
        row.taskBudgetRemaining,
        ledger.taskBudgetRemaining,
        firstLedger.taskBudgetRemaining,
      ),
    },
  };
}
