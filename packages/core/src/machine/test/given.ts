/** Builders for the tests of the machine: a state, a configuration, and each event. */
import type { ModelErrorClass } from '../../messages/model-error.ts';
import { type ConfigChanges, type QueryConfig, queryConfig } from '../config.ts';
import { decide } from '../decide.ts';
import type { MachineEvent, PreparedContext, Step } from '../effects.ts';
import { initialLoopState, type Ledger, type State, type LoopState } from '../state.ts';

type What<T extends MachineEvent['type']> = Partial<Extract<MachineEvent, { type: T }>>;

export function config(changes: ConfigChanges = {}): QueryConfig {
  return queryConfig({ sessionId: 'session', ...changes });
}

export function loop(state: Partial<State> = {}, ledger: Partial<Ledger> = {}): LoopState {
  const first = initialLoopState({ startedAt: 0 });
  return { state: { ...first.state, ...state }, ledger: { ...first.ledger, ...ledger } };
}

/** A state in which every guard is used and every field differs from its initial value. */
export const WORN: LoopState = loop(
  {
    messages: ['prepared', 'answer'],
    toolUseContext: 3,
    autoCompactTracking: { compacted: true, turnCounter: 4, id: 'boundary', consecutiveFailures: 2 },
    maxOutputTokensRecoveryCount: 2,
    hasAttemptedReactiveCompact: true,
    maxOutputTokensOverride: 64_000,
    pendingToolUseSummary: 5,
    stopHookActive: true,
    turnCount: 7,
    transition: { reason: 'stop_hook_blocking', blocks: 3 },
  },
  {
    budget: { continuationCount: 2, lastDeltaTokens: 900, lastGlobalTurnTokens: 3_000, startedAt: 10 },
    stopHookBlocks: 3,
    drained: true,
    stagedSinceAnswer: true,
    repetition: [{ fingerprint: 'ls', tool: 'Bash', count: 2 }],
    taskBudgetRemaining: 40_000,
  },
);

export function prepared(context: Partial<PreparedContext> = {}, more: What<'prepared'> = {}): MachineEvent {
  const full: PreparedContext = {
    overLimit: false,
    staged: false,
    autoCompact: { outcome: 'idle' },
    ...context,
  };
  return { type: 'prepared', context: full, aborted: undefined, ...more };
}

export function answered(more: What<'streamed'> = {}): MachineEvent {
  return { type: 'streamed', calls: 0, ended: { well: true }, staged: false, aborted: undefined, ...more };
}

export function failed(name: ModelErrorClass, more: What<'streamed'> = {}): MachineEvent {
  return answered({
    ended: { well: false, error: { type: 'model_error', class: name, message: name } },
    ...more,
  });
}

export function drained(committed: boolean, more: What<'drained'> = {}): MachineEvent {
  return { type: 'drained', committed, aborted: undefined, ...more };
}

export function compacted(more: What<'compacted'> = {}): MachineEvent {
  return {
    type: 'compacted',
    cause: 'overflow',
    result: { ok: true, id: 'c1', replacedTokens: 0 },
    aborted: undefined,
    ...more,
  };
}

export function hooksRan(more: What<'hooks_ran'> = {}): MachineEvent {
  return {
    type: 'hooks_ran',
    prevented: undefined,
    blocking: [],
    outputTokens: 0,
    now: 0,
    aborted: undefined,
    ...more,
  };
}

export function toolsRan(more: What<'tools_ran'> = {}): MachineEvent {
  const calls = [{ tool: 'Bash', fingerprint: 'ls' }];
  return {
    type: 'tools_ran',
    calls,
    stoppedBy: undefined,
    contextChanged: false,
    aborted: undefined,
    ...more,
  };
}

export function asked(continues: boolean, more: What<'asked'> = {}): MachineEvent {
  return { type: 'asked', continues, aborted: undefined, ...more };
}

export function attached(more: What<'attached'> = {}): MachineEvent {
  return { type: 'attached', aborted: undefined, ...more };
}

export function threw(more: What<'threw'> = {}): MachineEvent {
  return { type: 'threw', during: 'stream', media: false, message: 'broken', aborted: undefined, ...more };
}

export const HOOK = { hook: 'lint', message: 'not yet' };

/** Returns the decision as a short text, and the steps before it: `['stop completed', 'release']`. */
export function next(event: MachineEvent, given: { loop?: LoopState; config?: QueryConfig } = {}): string[] {
  const decision = decide(given.loop ?? loop(), event, given.config ?? config());
  const first = decision.first.map(stepWord);
  switch (decision.kind) {
    case 'do':
      return [`do ${decision.effect.type}`, ...first];
    case 'continue':
      return [`continue ${decision.loop.state.transition?.reason}`, ...first];
    case 'stop':
      return [`stop ${decision.terminal.reason}`, ...first];
  }
}

function stepWord(step: Step): string {
  return step.type === 'notify' ? `notify ${step.notice.about}` : step.type;
}
