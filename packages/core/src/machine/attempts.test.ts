import { describe, expect, it } from 'vitest';
import type { ModelError, ModelErrorClass } from '../messages/model-error.ts';
import {
  backoff,
  DEFAULT_RETRY,
  decideAttempt,
  FIRST_ATTEMPT,
  type AttemptFacts,
  type AttemptState,
  withJitter,
} from './attempts.ts';

const FINE: AttemptFacts = {
  error: undefined,
  calls: 0,
  paused: false,
  empty: false,
};

function failed(errorClass: ModelErrorClass, details: Partial<ModelError> = {}): AttemptFacts {
  return { ...FINE, error: { type: 'model_error', class: errorClass, message: errorClass, ...details } };
}

const FALLBACK: Partial<AttemptState> = { fallbacksLeft: 1 };

function judge(facts: AttemptFacts, tries: Partial<AttemptState> = {}) {
  return decideAttempt(facts, { ...FIRST_ATTEMPT, ...tries }, DEFAULT_RETRY);
}

describe('an attempt', () => {
  it('that ended well is accepted', () => {
    expect(judge(FINE)).toEqual({ do: 'accept' });
  });

  it('with complete calls is accepted, because repeating it would run them twice', () => {
    for (const errorClass of ['network', 'overloaded', 'output_cap', 'refused_block', 'not_found'] as const) {
      expect(judge({ ...failed(errorClass), calls: 1 }, FALLBACK)).toEqual({ do: 'accept' });
    }
    expect(judge({ ...FINE, calls: 1, paused: true })).toEqual({ do: 'accept' });
  });

  it('is accepted if the loop has a recovery for its error', () => {
    for (const errorClass of ['overflow', 'media', 'output_cap', 'refusal'] as const) {
      expect(judge(failed(errorClass))).toEqual({ do: 'accept' });
    }
  });

  it('is retried ten times after a temporary error', () => {
    for (const errorClass of ['network', 'stall', 'rate_limit', 'overloaded', 'server'] as const) {
      expect(judge(failed(errorClass))).toMatchObject({ do: 'retry', delayMs: 500, tries: { attempts: 2 } });
      expect(judge(failed(errorClass), { attempts: 10 })).toMatchObject({
        do: 'retry',
        tries: { attempts: 11 },
      });
      expect(judge(failed(errorClass), { attempts: 11 })).toEqual({ do: 'accept' });
    }
  });

  it('is not retried after a permanent error', () => {
    for (const errorClass of [
      'auth',
      'permission',
      'not_found',
      'bad_request',
      'aborted',
      'internal',
    ] as const) {
      expect(judge(failed(errorClass))).toEqual({ do: 'accept' });
    }
  });

  it('is not retried if the server forbids it', () => {
    for (const errorClass of ['network', 'stall', 'rate_limit', 'overloaded', 'server'] as const) {
      expect(judge(failed(errorClass, { shouldRetry: false }))).toEqual({ do: 'accept' });
      expect(judge(failed(errorClass, { shouldRetry: true }))).toMatchObject({ do: 'retry' });
    }
  });

  it.each([
    'auth',
    'permission',
    'not_found',
    'bad_request',
    'overflow',
    'media',
    'output_cap',
    'refusal',
    'refused_block',
    'empty',
    'aborted',
    'internal',
  ] as const)('that failed with %s is not tried again just because the server says so', (errorClass) => {
    expect(judge(failed(errorClass, { shouldRetry: true }))).toEqual({ do: 'accept' });
  });

  it('keeps its own remedy if the server allows a retry', () => {
    const block = { message: 1, block: 0 };
    expect(judge(failed('refused_block', { block, shouldRetry: true }))).toMatchObject({
      do: 'replace_block',
    });
    expect(judge(failed('not_found', { shouldRetry: true }), FALLBACK)).toMatchObject({ do: 'fall_back' });
  });

  it('waits as long as the server asks for, up to a limit', () => {
    expect(judge(failed('rate_limit', { retryAfterMs: 7_000 }))).toMatchObject({ delayMs: 7_000 });
    expect(judge(failed('rate_limit', { retryAfterMs: 0 }))).toMatchObject({ delayMs: 0 });
    expect(judge(failed('rate_limit', { retryAfterMs: 600_001 }))).toEqual({ do: 'accept' });
  });
});

describe('the fallback model', () => {
  it('takes over at the third overload in all, and resets the counts', () => {
    const overloaded = failed('overloaded');
    expect(judge(overloaded, { ...FALLBACK, attempts: 2, overloads: 1 })).toMatchObject({ do: 'retry' });
    expect(judge(overloaded, { ...FALLBACK, attempts: 5, overloads: 2 })).toEqual({
      do: 'fall_back',
      keeps: 'nothing',
      tries: FIRST_ATTEMPT,
    });
  });

  it('takes over at once from a model that does not exist', () => {
    expect(judge(failed('not_found'), FALLBACK)).toMatchObject({ do: 'fall_back' });
  });

  it('takes over again from a fallback, as long as one is left', () => {
    const first = judge(failed('not_found'), { fallbacksLeft: 2 });
    expect(first).toMatchObject({ do: 'fall_back', tries: { fallbacksLeft: 1 } });
    expect(judge(failed('not_found'), { fallbacksLeft: 1 })).toMatchObject({ do: 'fall_back' });
    expect(judge(failed('not_found'))).toEqual({ do: 'accept' });
  });

  it('is not used if none was given', () => {
    expect(judge(failed('overloaded'), { attempts: 3, overloads: 2 })).toMatchObject({ do: 'retry' });
  });
});

describe('rejected thinking', () => {
  const rejected: AttemptFacts = { ...failed('bad_request', { rejects: 'thinking' }), asksForThinking: true };

  it('is left out of one further attempt', () => {
    expect(judge(rejected)).toEqual({
      do: 'leave_out_thinking',
      keeps: 'earlier attempts',
      tries: { ...FIRST_ATTEMPT, withoutThinking: true },
    });
    expect(judge(rejected, { withoutThinking: true })).toEqual({ do: 'accept' });
  });

  it('cannot be left out of a request that has none', () => {
    expect(judge({ ...rejected, asksForThinking: false })).toEqual({ do: 'accept' });
  });
});

describe('the other remedies', () => {
  it('continue a paused answer, up to a limit', () => {
    const paused = { ...FINE, paused: true };
    expect(judge(paused)).toMatchObject({ do: 'resume_pause', tries: { pauses: 1 } });
    expect(judge(paused, { pauses: DEFAULT_RETRY.maxPauses })).toEqual({ do: 'accept' });
  });

  it('ask again after an empty answer, once', () => {
    const empty = { ...FINE, empty: true };
    expect(judge(empty)).toMatchObject({ do: 'ask_again', tries: { askedAgain: true } });
    expect(judge(empty, { askedAgain: true })).toEqual({ do: 'accept' });
  });

  it('replace a block that was refused by name, up to a limit', () => {
    const refused = failed('refused_block', { block: { message: 2, block: 0 } });
    expect(judge(refused)).toMatchObject({ do: 'replace_block', tries: { refusedBlocks: 1 } });
    expect(judge(refused, { refusedBlocks: DEFAULT_RETRY.maxRefusedBlocks })).toEqual({ do: 'accept' });
    expect(judge(failed('refused_block'))).toEqual({ do: 'accept' });
  });
});

describe('a paused answer', () => {
  const inPause = { pauses: 1, paused: true, fallbacksLeft: 1 };

  it('is continued by a retry, a replaced block and left-out thinking', () => {
    const refused = failed('refused_block', { block: { message: 2, block: 0 } });
    const rejected = { ...failed('bad_request', { rejects: 'thinking' as const }), asksForThinking: true };
    for (const facts of [failed('network'), refused, rejected]) {
      expect(judge(facts, inPause)).toMatchObject({ keeps: 'earlier attempts', tries: { paused: true } });
    }
    const again = judge({ ...FINE, paused: true }, inPause);
    expect(again).toMatchObject({ keeps: 'everything', tries: { paused: true, pauses: 2 } });
  });

  it('ends with a fallback and with a repeated request', () => {
    for (const facts of [failed('not_found'), { ...FINE, empty: true }]) {
      expect(judge(facts, inPause)).toMatchObject({ keeps: 'nothing', tries: { paused: false } });
    }
  });
});

it('an aborted attempt is accepted, whatever remedy it has', () => {
  for (const facts of [failed('network'), failed('not_found'), { ...FINE, empty: true }]) {
    expect(judge({ ...facts, aborted: true }, FALLBACK)).toEqual({ do: 'accept' });
  }
});

describe('the wait', () => {
  it('doubles up to a limit', () => {
    const waits = Array.from({ length: 9 }, (_, index) => backoff(index + 1, DEFAULT_RETRY));
    expect(waits).toEqual([500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 32_000, 32_000]);
  });

  it('has a quarter of jitter, unless the server asked for an exact wait', () => {
    expect(judge(failed('network'), { attempts: 3 })).toMatchObject({ delayMs: 2_000, jitterMs: 500 });
    expect(judge(failed('network', { retryAfterMs: 2_000 }))).toMatchObject({ delayMs: 2_000, jitterMs: 0 });
    expect(withJitter({ delayMs: 2_000, jitterMs: 0 }, () => 0.5)).toBe(2_000);
  });

  it('has up to a quarter of jitter, and is never less than its base', () => {
    for (const random of [0, 0.25, 0.5, 0.75, 0.999_999]) {
      const wait = withJitter({ delayMs: 2_000, jitterMs: 500 }, () => random);
      expect(wait).toBeGreaterThanOrEqual(2_000);
      expect(wait).toBeLessThanOrEqual(2_500);
    }
  });
});
