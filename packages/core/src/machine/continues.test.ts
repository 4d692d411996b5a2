/** The two tables of section 4: the messages after each transition, and every other field. */
import { describe, expect, it } from 'vitest';
import { decide } from './decide.ts';
import type { MachineEvent } from './effects.ts';
import {
  type Ledger,
  type LoopState,
  type State,
  TRANSITION_REASONS,
  type TransitionReason,
} from './state.ts';
import * as given from './test/given.ts';
import { config, loop, WORN } from './test/given.ts';

const CONFIG = config({
  gates: { contextCollapse: true, emitToolUseSummaries: true },
  tokenBudget: 100_000,
  taskBudget: { total: 50_000 },
});

/** A state in which every guard is used, except those that the transition requires. */
const CASES: Record<TransitionReason, { before: LoopState; event: MachineEvent }> = {
  next_turn: { before: WORN, event: given.attached() },
  max_output_tokens_escalate: {
    before: worn({ maxOutputTokensOverride: undefined, maxOutputTokensRecoveryCount: 0 }),
    event: given.failed('output_cap'),
  },
  max_output_tokens_recovery: { before: WORN, event: given.failed('output_cap') },
  collapse_drain_retry: { before: worn({}, { drained: false }), event: given.drained(true) },
  reactive_compact_retry: {
    before: worn({ hasAttemptedReactiveCompact: false }),
    event: given.compacted({ result: { ok: true, id: 'c1', replacedTokens: 15_000 } }),
  },
  stop_hook_blocking: { before: WORN, event: given.hooksRan({ blocking: [given.HOOK] }) },
  token_budget_continuation: { before: WORN, event: given.hooksRan({ outputTokens: 4_000 }) },
};

describe('each transition, from a state in which every guard is used', () => {
  it.each(TRANSITION_REASONS)('%s is the reason in the next State', (reason) => {
    expect(after(reason).state.transition?.reason).toBe(reason);
  });

  const messages: Record<TransitionReason, State['messages']> = {
    next_turn: ['prepared', 'answer', 'results', 'attachments'],
    max_output_tokens_escalate: ['prepared'],
    max_output_tokens_recovery: ['prepared', 'answer', 'resume_request'],
    collapse_drain_retry: ['prepared'],
    reactive_compact_retry: ['compacted'],
    stop_hook_blocking: ['prepared', 'answer', 'attachments', 'hook_errors'],
    token_budget_continuation: ['prepared', 'answer', 'attachments', 'budget_nudge'],
  };
  it.each(TRANSITION_REASONS)('%s sets the messages of the next State', (reason) => {
    expect(after(reason).state.messages).toEqual(messages[reason]);
  });

  // Each row lists the changed fields. All other fields are kept.
  const state: Record<TransitionReason, Partial<State>> = {
    next_turn: {
      maxOutputTokensRecoveryCount: 0,
      hasAttemptedReactiveCompact: false,
      maxOutputTokensOverride: undefined,
      pendingToolUseSummary: 7,
      turnCount: 8,
      autoCompactTracking: { compacted: true, turnCounter: 5, id: 'boundary', consecutiveFailures: 2 },
    },
    max_output_tokens_escalate: { maxOutputTokensOverride: 64_000 },
    max_output_tokens_recovery: { maxOutputTokensRecoveryCount: 3, maxOutputTokensOverride: undefined },
    collapse_drain_retry: {},
    reactive_compact_retry: {
      hasAttemptedReactiveCompact: true,
      autoCompactTracking: { compacted: true, turnCounter: 0, id: 'c1', consecutiveFailures: 2 },
    },
    stop_hook_blocking: {
      maxOutputTokensRecoveryCount: 0,
      maxOutputTokensOverride: undefined,
      pendingToolUseSummary: undefined,
      stopHookActive: true,
    },
    token_budget_continuation: {
      maxOutputTokensRecoveryCount: 0,
      hasAttemptedReactiveCompact: false,
      maxOutputTokensOverride: undefined,
      pendingToolUseSummary: undefined,
      stopHookActive: false,
    },
  };
  it.each(TRANSITION_REASONS)('%s changes the fields of its column and no other', (reason) => {
    const { messages: _messages, transition: _transition, ...fields } = after(reason).state;
    const { messages: _before, transition: _why, ...kept } = CASES[reason].before.state;
    expect(fields).toEqual({ ...kept, ...state[reason] });
  });

  const ledger: Record<TransitionReason, Partial<Ledger>> = {
    next_turn: { drained: false },
    max_output_tokens_escalate: {},
    max_output_tokens_recovery: {},
    collapse_drain_retry: { drained: true },
    reactive_compact_retry: { taskBudgetRemaining: 25_000 },
    stop_hook_blocking: { stopHookBlocks: 4 },
    token_budget_continuation: {
      budget: { continuationCount: 3, lastDeltaTokens: 1_000, lastGlobalTurnTokens: 4_000, startedAt: 10 },
    },
  };
  it.each(TRANSITION_REASONS)('%s changes its part of the ledger and no other', (reason) => {
    expect(after(reason).ledger).toEqual({ ...CASES[reason].before.ledger, ...ledger[reason] });
  });
});

describe('a transition', () => {
  it('keeps the reactive guard when a hook blocks', () => {
    expect(after('stop_hook_blocking').state.hasAttemptedReactiveCompact).toBe(true);
  });

  it('starts no summary if summaries are off', () => {
    expect(decide(WORN, given.attached(), config()).loop.state.pendingToolUseSummary).toBeUndefined();
  });

  it('counts a new revision of the tool use context when tools changed it', () => {
    const changed = decide(loop(), given.toolsRan({ contextChanged: true }), config()).loop;
    expect(changed.state.toolUseContext).toBe(1);
    expect(decide(changed, given.attached(), config()).loop.state.toolUseContext).toBe(1);
    expect(decide(changed, given.toolsRan(), config()).loop.state.toolUseContext).toBe(1);
  });

  it('counts the blocks of hooks in a run, also over turns', () => {
    const blocked = decide(loop(), given.hooksRan({ blocking: [given.HOOK] }), config()).loop;
    const later = decide(blocked, given.attached(), config()).loop;
    expect(later.ledger.stopHookBlocks).toBe(1);
    expect(later.state.stopHookActive).toBe(true);
  });

  it('reports the number of resumptions, of blocks, and the used percentage', () => {
    expect(after('max_output_tokens_recovery').state.transition).toEqual({
      reason: 'max_output_tokens_recovery',
      attempt: 3,
    });
    expect(after('stop_hook_blocking').state.transition).toEqual({ reason: 'stop_hook_blocking', blocks: 4 });
    expect(after('token_budget_continuation').state.transition).toEqual({
      reason: 'token_budget_continuation',
      percentUsed: 4,
    });
  });
});

describe('the staging of collapses', () => {
  const on = config({ gates: { contextCollapse: true } });
  const stages = (before: LoopState, gates = on) => decide(before, { type: 'began' }, gates);

  it('is allowed once after each good answer', () => {
    expect(stages(loop())).toMatchObject({ effect: { type: 'prepare', stage: true } });
    const prepared = decide(loop(), given.prepared(), on).loop;
    expect(stages(prepared)).toMatchObject({ effect: { stage: false } });
    const resumed = decide(prepared, given.failed('output_cap'), on).loop;
    expect(stages(resumed)).toMatchObject({ effect: { stage: false } });
    for (const good of [given.answered(), given.answered({ calls: 1 })]) {
      expect(stages(decide(prepared, good, on).loop)).toMatchObject({ effect: { stage: true } });
    }
  });

  it('is off if collapses are off', () => {
    expect(stages(loop(), config())).toMatchObject({ effect: { stage: false } });
  });
});

function worn(state: Partial<State>, ledger: Partial<Ledger> = {}): LoopState {
  return { state: { ...WORN.state, ...state }, ledger: { ...WORN.ledger, ...ledger } };
}

function after(reason: TransitionReason): LoopState {
  const { before, event } = CASES[reason];
  return decide(before, event, CONFIG).loop;
}
