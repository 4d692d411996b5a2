/**
 * The seven ways to go on. Each builds a complete new State in one expression; read side by side they are the field table
 * of the specification, column by column.
 */
import type { QueryConfig } from './config.ts';
import type { AutoCompactTracking, BudgetLedger, State, LoopState } from './state.ts';
import type { Transition } from './terminal.ts';

/** A turn that goes on, and knows why. */
export interface ContinueDecision extends LoopState {
  readonly state: State & { readonly transition: Transition };
}

export function nextTurn({ state, ledger }: LoopState, config: QueryConfig): ContinueDecision {
  return {
    state: {
      messages: ['prepared', 'answer', 'results', 'attachments'],
      toolUseContext: state.toolUseContext,
      autoCompactTracking: oneTurnOlder(state.autoCompactTracking),
      maxOutputTokensRecoveryCount: 0,
      hasAttemptedReactiveCompact: false,
      maxOutputTokensOverride: undefined,
      pendingToolUseSummary: config.gates.emitToolUseSummaries
        ? `summary of turn ${state.turnCount}`
        : undefined,
      stopHookActive: state.stopHookActive,
      turnCount: state.turnCount + 1,
      transition: { reason: 'next_turn' },
    },
    ledger: { ...ledger, drained: false },
  };
}

export function escalate({ state, ledger }: LoopState, { limits }: QueryConfig): ContinueDecision {
  return {
    state: {
      messages: ['prepared'],
      toolUseContext: state.toolUseContext,
      autoCompactTracking: state.autoCompactTracking,
      maxOutputTokensRecoveryCount: state.maxOutputTokensRecoveryCount,
      hasAttemptedReactiveCompact: state.hasAttemptedReactiveCompact,
      maxOutputTokensOverride: limits.escalatedOutputTokens,
      pendingToolUseSummary: state.pendingToolUseSummary,
      stopHookActive: state.stopHookActive,
      turnCount: state.turnCount,
      transition: { reason: 'max_output_tokens_escalate', maxOutputTokens: limits.escalatedOutputTokens },
    },
    ledger,
  };
}

export function resume({ state, ledger }: LoopState): ContinueDecision {
  const attempt = state.maxOutputTokensRecoveryCount + 1;
  return {
    state: {
      messages: ['prepared', 'answer', 'resume_request'],
      toolUseContext: state.toolUseContext,
      autoCompactTracking: state.autoCompactTracking,
      maxOutputTokensRecoveryCount: attempt,
      hasAttemptedReactiveCompact: state.hasAttemptedReactiveCompact,
      maxOutputTokensOverride: undefined,
      pendingToolUseSummary: state.pendingToolUseSummary,
      stopHookActive: state.stopHookActive,
      turnCount: state.turnCount,
      transition: { reason: 'max_output_tokens_recovery', attempt },
    },
    ledger,
  };
}

export function retryAfterDrain({ state, ledger }: LoopState): ContinueDecision {
  return {
    state: {
      messages: ['prepared'],
      toolUseContext: state.toolUseContext,
      autoCompactTracking: state.autoCompactTracking,
      maxOutputTokensRecoveryCount: state.maxOutputTokensRecoveryCount,
      hasAttemptedReactiveCompact: state.hasAttemptedReactiveCompact,
      maxOutputTokensOverride: state.maxOutputTokensOverride,
      pendingToolUseSummary: state.pendingToolUseSummary,
      stopHookActive: state.stopHookActive,
      turnCount: state.turnCount,
      transition: { reason: 'collapse_drain_retry' },
    },
    ledger: { ...ledger, drained: true },
  };
}

export function retryAfterCompact(
  { state, ledger }: LoopState,
  { id, replacedTokens }: { readonly id: string; readonly replacedTokens: number },
  config: QueryConfig,
): ContinueDecision {
  return {
    state: {
      messages: ['compacted'],
      toolUseContext: state.toolUseContext,
      autoCompactTracking: {
        compacted: true,
        turnCounter: 0,
        id,
        consecutiveFailures: state.autoCompactTracking?.consecutiveFailures ?? 0,
      },
      maxOutputTokensRecoveryCount: state.maxOutputTokensRecoveryCount,
      hasAttemptedReactiveCompact: true,
      maxOutputTokensOverride: state.maxOutputTokensOverride,
      pendingToolUseSummary: state.pendingToolUseSummary,
      stopHookActive: state.stopHookActive,
      turnCount: state.turnCount,
      transition: { reason: 'reactive_compact_retry' },
    },
    ledger: {
      ...ledger,
      taskBudgetRemaining: deductReplacedTokens(ledger.taskBudgetRemaining, replacedTokens, config),
    },
  };
}

export function obeyStopHooks({ state, ledger }: LoopState): ContinueDecision {
  const blocks = ledger.stopHookBlocks + 1;
  return {
    state: {
      messages: ['prepared', 'answer', 'attachments', 'hook_errors'],
      toolUseContext: state.toolUseContext,
      autoCompactTracking: state.autoCompactTracking,
      maxOutputTokensRecoveryCount: 0,
      // Kept: clearing it here once made an endless circle of compaction, error and hook.
      hasAttemptedReactiveCompact: state.hasAttemptedReactiveCompact,
      maxOutputTokensOverride: undefined,
      pendingToolUseSummary: undefined,
      stopHookActive: true,
      turnCount: state.turnCount,
      transition: { reason: 'stop_hook_blocking', blocks },
    },
    ledger: { ...ledger, stopHookBlocks: blocks },
  };
}

export function continueOnBudget(
  { state, ledger }: LoopState,
  percentUsed: number,
  budget: BudgetLedger,
): ContinueDecision {
  return {
    state: {
      messages: ['prepared', 'answer', 'attachments', 'budget_nudge'],
      toolUseContext: state.toolUseContext,
      autoCompactTracking: state.autoCompactTracking,
      maxOutputTokensRecoveryCount: 0,
      hasAttemptedReactiveCompact: false,
      maxOutputTokensOverride: undefined,
      pendingToolUseSummary: undefined,
      stopHookActive: false,
      turnCount: state.turnCount,
      transition: { reason: 'token_budget_continuation', percentUsed },
    },
    ledger: { ...ledger, budget },
  };
}

/** The server cannot see work that a compaction replaced, so its tokens leave the remainder we report. */
export function deductReplacedTokens(
  remaining: number | undefined,
  replacedTokens: number,
  { taskBudget }: QueryConfig,
): number | undefined {
  if (taskBudget === undefined) return remaining;
  return Math.max(0, (remaining ?? taskBudget.total) - replacedTokens);
}

function oneTurnOlder(tracking: State['autoCompactTracking']): AutoCompactTracking | undefined {
  return tracking && { ...tracking, turnCounter: tracking.turnCounter + 1 };
}
