/**
 * The seven ways to go on. Each builds a complete new State in one expression; read side by side they are the field table
 * of the specification, column by column.
 */
import type { QueryConfig } from './config.ts';
import type { AutoCompactTracking, BudgetLedger, State, Turn } from './state.ts';
import type { Transition } from './transition.ts';

/** A turn that goes on, and knows why. */
export interface Onward extends Turn {
  readonly state: State & { readonly transition: Transition };
}

export function nextTurn({ state, ledger }: Turn, config: QueryConfig): Onward {
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

export function escalate({ state, ledger }: Turn, { limits }: QueryConfig): Onward {
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

export function resume({ state, ledger }: Turn): Onward {
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

export function retryAfterDrain({ state, ledger }: Turn): Onward {
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
  { state, ledger }: Turn,
  { id, replacedTokens }: { readonly id: string; readonly replacedTokens: number },
  config: QueryConfig,
): Onward {
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
      taskBudgetRemaining: lessTheReplaced(ledger.taskBudgetRemaining, replacedTokens, config),
    },
  };
}

export function obeyStopHooks({ state, ledger }: Turn): Onward {
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

export function continueOnBudget({ state, ledger }: Turn, percentUsed: number, budget: BudgetLedger): Onward {
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
export function lessTheReplaced(
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
