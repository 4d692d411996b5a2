/** Short words for the tests of the machine: a Turn, a configuration, and each thing that can happen. */
import type { ModelErrorClass } from '../../messages/model-error.ts';
import { type ConfigChanges, type QueryConfig, queryConfig } from '../config.ts';
import { decide } from '../decide.ts';
import type { Step } from '../effect.ts';
import type { Happened, PreparedContext } from '../happened.ts';
import { firstTurn, type Ledger, type State, type Turn } from '../state.ts';

type What<T extends Happened['type']> = Partial<Extract<Happened, { type: T }>>;

export function config(changes: ConfigChanges = {}): QueryConfig {
  return queryConfig({ sessionId: 'session', ...changes });
}

export function turn(state: Partial<State> = {}, ledger: Partial<Ledger> = {}): Turn {
  const first = firstTurn({ startedAt: 0 });
  return { state: { ...first.state, ...state }, ledger: { ...first.ledger, ...ledger } };
}

/** A Turn in which every guard is used and every field differs from its first value. */
export const WORN: Turn = turn(
  {
    messages: ['prepared', 'answer'],
    toolUseContext: 'another context',
    autoCompactTracking: { compacted: true, turnCounter: 4, id: 'boundary', consecutiveFailures: 2 },
    maxOutputTokensRecoveryCount: 2,
    hasAttemptedReactiveCompact: true,
    maxOutputTokensOverride: 64_000,
    pendingToolUseSummary: 'an old summary',
    stopHookActive: true,
    turnCount: 7,
    transition: { reason: 'stop_hook_blocking', blocks: 3 },
  },
  {
    budget: { continuationCount: 2, lastDeltaTokens: 900, lastGlobalTurnTokens: 3_000, startedAt: 10 },
    stopHookBlocks: 3,
    drained: true,
    repetition: [{ fingerprint: 'ls', tool: 'Bash', count: 2 }],
    taskBudgetRemaining: 40_000,
  },
);

export function prepared(context: Partial<PreparedContext> = {}, more: What<'prepared'> = {}): Happened {
  const full: PreparedContext = {
    overLimit: false,
    staged: false,
    autoCompact: { outcome: 'idle' },
    ...context,
  };
  return { type: 'prepared', context: full, aborted: undefined, ...more };
}

export function answered(more: What<'streamed'> = {}): Happened {
  return { type: 'streamed', calls: 0, ended: { well: true }, staged: false, aborted: undefined, ...more };
}

export function failed(name: ModelErrorClass, more: What<'streamed'> = {}): Happened {
  return answered({
    ended: { well: false, error: { type: 'model_error', class: name, message: name } },
    ...more,
  });
}

export function drained(committed: boolean, more: What<'drained'> = {}): Happened {
  return { type: 'drained', committed, aborted: undefined, ...more };
}

export function compacted(more: What<'compacted'> = {}): Happened {
  return {
    type: 'compacted',
    cause: 'overflow',
    result: { ok: true, id: 'c1', replacedTokens: 0 },
    aborted: undefined,
    ...more,
  };
}

export function hooksRan(more: What<'hooks_ran'> = {}): Happened {
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

export function toolsRan(more: What<'tools_ran'> = {}): Happened {
  const calls = [{ tool: 'Bash', fingerprint: 'ls' }];
  return { type: 'tools_ran', calls, stoppedBy: undefined, aborted: undefined, ...more };
}

export function asked(goOn: boolean, more: What<'asked'> = {}): Happened {
  return { type: 'asked', goOn, aborted: undefined, ...more };
}

export function attached(more: What<'attached'> = {}): Happened {
  return { type: 'attached', aborted: undefined, ...more };
}

export function threw(more: What<'threw'> = {}): Happened {
  return { type: 'threw', during: 'stream', media: false, message: 'broken', aborted: undefined, ...more };
}

export const HOOK = { hook: 'lint', message: 'not yet' };

/** What is done next, in a word, and what is done before it: `['stop completed', 'release']`. */
export function next(happened: Happened, given: { turn?: Turn; config?: QueryConfig } = {}): string[] {
  const decision = decide(given.turn ?? turn(), happened, given.config ?? config());
  const first = decision.first.map(stepWord);
  switch (decision.kind) {
    case 'do':
      return [`do ${decision.effect.type}`, ...first];
    case 'continue':
      return [`continue ${decision.turn.state.transition?.reason}`, ...first];
    case 'stop':
      return [`stop ${decision.terminal.reason}`, ...first];
  }
}

function stepWord(step: Step): string {
  return step.type === 'say' ? `say ${step.what.about}` : step.type;
}
