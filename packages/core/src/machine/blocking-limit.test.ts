/** Section 6: a call that must fail is not made, unless a recovery is left. Tests one condition at a time. */
import { describe, expect, it } from 'vitest';
import type { Gates, QuerySource } from './config.ts';
import type { AutoCompactResult } from './effects.ts';
import type { State } from './state.ts';
import { config, next, prepared, loop } from './test/given.ts';

const BLOCKED = ['stop blocking_limit', 'notify prompt_too_long'];
const CALLED = ['do stream'];
const TRACKING = { compacted: false, turnCounter: 0, id: '' };

interface Where {
  overLimit?: boolean;
  staged?: boolean;
  autoCompact?: AutoCompactResult;
  gates?: Partial<Gates>;
  querySource?: QuerySource;
  state?: Partial<State>;
}

/** No recovery is left, except those that the test adds. */
function over({
  overLimit = true,
  staged = false,
  autoCompact = { outcome: 'idle' },
  gates,
  querySource,
  state,
}: Where = {}) {
  const off = { autoCompact: false, reactiveCompact: false, contextCollapse: false };
  return next(prepared({ overLimit, staged, autoCompact }), {
    loop: loop(state),
    config: config({ gates: { ...off, ...gates }, querySource: querySource ?? 'sdk' }),
  });
}

describe('the blocking limit', () => {
  it('applies if the context is over it and every recovery is off', () => {
    expect(over()).toEqual(BLOCKED);
  });

  it('does not apply under it', () => {
    expect(over({ overLimit: false })).toEqual(CALLED);
  });

  it('does not apply while autocompact is on', () => {
    expect(over({ gates: { autoCompact: true } })).toEqual(CALLED);
  });

  it('applies once the breaker of autocompact is open', () => {
    const state = { autoCompactTracking: { ...TRACKING, consecutiveFailures: 3 } };
    expect(over({ gates: { autoCompact: true }, state })).toEqual(BLOCKED);
  });

  it('applies if this preparation opened the breaker', () => {
    const state = { autoCompactTracking: { ...TRACKING, consecutiveFailures: 2 } };
    expect(over({ gates: { autoCompact: true }, state })).toEqual(CALLED);
    expect(over({ gates: { autoCompact: true }, state, autoCompact: { outcome: 'failed' } })).toEqual(
      BLOCKED,
    );
  });

  it('does not apply while reactive compaction is on and unused', () => {
    expect(over({ gates: { reactiveCompact: true } })).toEqual(CALLED);
  });

  it('applies once the reactive guard is set', () => {
    expect(over({ gates: { reactiveCompact: true }, state: { hasAttemptedReactiveCompact: true } })).toEqual(
      BLOCKED,
    );
  });

  it('does not apply while collapses are staged', () => {
    expect(over({ gates: { contextCollapse: true }, staged: true })).toEqual(CALLED);
  });

  it('applies if collapse is on with nothing staged, or off with a staged collapse', () => {
    expect(over({ gates: { contextCollapse: true } })).toEqual(BLOCKED);
    expect(over({ staged: true })).toEqual(BLOCKED);
  });

  it('does not apply to a query that is itself a compaction', () => {
    expect(over({ querySource: 'compact' })).toEqual(CALLED);
  });

  it('does not apply right after an autocompaction', () => {
    expect(over({ autoCompact: { outcome: 'compacted', id: 'boundary', replacedTokens: 10 } })).toEqual(
      CALLED,
    );
  });

  it('does not apply right after a reactive compaction', () => {
    const state: Partial<State> = {
      hasAttemptedReactiveCompact: true,
      transition: { reason: 'reactive_compact_retry' },
    };
    expect(over({ gates: { reactiveCompact: true }, state })).toEqual(CALLED);
  });
});
