import { describe, expect, it } from 'vitest';
import type { ModelError, ModelErrorClass } from '../messages/model-error.ts';
import {
  backoff,
  DEFAULT_RETRY,
  decideAttempt,
  NO_ATTEMPTS,
  type AttemptFacts,
  type AttemptCounts,
} from './retry.ts';

const FINE: AttemptFacts = {
  error: undefined,
  calls: 0,
  paused: false,
  empty: false,
  fallbackAvailable: false,
};

function failed(errorClass: ModelErrorClass, details: Partial<ModelError> = {}): AttemptFacts {
  return { ...FINE, error: { type: 'model_error', class: errorClass, message: errorClass, ...details } };
}

function judge(facts: AttemptFacts, tries: Partial<AttemptCounts> = {}) {
  return decideAttempt(facts, { ...NO_ATTEMPTS, ...tries }, DEFAULT_RETRY, () => 0);
}

describe('an attempt', () => {
  it('that ended well is accepted', () => {
    expect(judge(FINE)).toEqual({ do: 'accept' });
  });

  it('with complete calls is accepted however it ended: repeating it would run them twice', () => {
    for (const errorClass of ['network', 'overloaded', 'output_cap', 'refused_block', 'not_found'] as const) {
      expect(judge({ ...failed(errorClass), calls: 1, fallbackAvailable: true })).toEqual({ do: 'accept' });
    }
    expect(judge({ ...FINE, calls: 1, paused: true })).toEqual({ do: 'accept' });
  });

  it('that the loop has a remedy for is left to the loop', () => {
    for (const errorClass of ['overflow', 'media', 'output_cap', 'refusal'] as const) {
      expect(judge(failed(errorClass))).toEqual({ do: 'accept' });
    }
  });

  it('is retried ten times if it failed in passing', () => {
    for (const errorClass of ['network', 'stall', 'rate_limit', 'overloaded', 'server'] as const) {
      expect(judge(failed(errorClass))).toMatchObject({ do: 'retry', delayMs: 500, tries: { attempts: 2 } });
      expect(judge(failed(errorClass), { attempts: 10 })).toMatchObject({
        do: 'retry',
        tries: { attempts: 11 },
      });
      expect(judge(failed(errorClass), { attempts: 11 })).toEqual({ do: 'accept' });
    }
  });

  it('that cannot succeed is not', () => {
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

  it('is not tried again, whatever its class, when the server says so', () => {
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

  it('keeps its own remedy when the server says to try again', () => {
    const block = { message: 1, block: 0 };
    expect(judge(failed('refused_block', { block, shouldRetry: true }))).toMatchObject({
      do: 'replace_block',
    });
    const gone = { ...failed('not_found', { shouldRetry: true }), fallbackAvailable: true };
    expect(judge(gone)).toMatchObject({ do: 'fall_back' });
  });

  it('waits as long as the server asks for, within reason', () => {
    expect(judge(failed('rate_limit', { retryAfterMs: 7_000 }))).toMatchObject({ delayMs: 7_000 });
    expect(judge(failed('rate_limit', { retryAfterMs: 0 }))).toMatchObject({ delayMs: 0 });
    expect(judge(failed('rate_limit', { retryAfterMs: 600_001 }))).toEqual({ do: 'accept' });
  });
});

describe('the fallback model', () => {
  const with_ = (facts: AttemptFacts): AttemptFacts => ({ ...facts, fallbackAvailable: true });

  it('takes over at the third overload, counted over all tries, and begins afresh', () => {
    expect(judge(with_(failed('overloaded')), { attempts: 2, overloads: 1 })).toMatchObject({ do: 'retry' });
    expect(judge(with_(failed('overloaded')), { attempts: 5, overloads: 2 })).toEqual({
      do: 'fall_back',
      tries: NO_ATTEMPTS,
    });
  });

  it('takes over at once from a model that is not there', () => {
    expect(judge(with_(failed('not_found')))).toMatchObject({ do: 'fall_back' });
  });

  it('takes over again from a fallback, as long as one is left', () => {
    expect(judge(with_(failed('not_found')))).toMatchObject({ do: 'fall_back' });
    expect(judge(failed('not_found'))).toEqual({ do: 'accept' });
  });

  it('is not there where none was given', () => {
    expect(judge(failed('overloaded'), { attempts: 3, overloads: 2 })).toMatchObject({ do: 'retry' });
  });
});

describe('rejected thinking', () => {
  const rejected: AttemptFacts = { ...failed('bad_request', { rejects: 'thinking' }), asksForThinking: true };

  it('is left out of one further attempt', () => {
    expect(judge(rejected)).toEqual({
      do: 'leave_out_thinking',
      tries: { ...NO_ATTEMPTS, withoutThinking: true },
    });
    expect(judge(rejected, { withoutThinking: true })).toEqual({ do: 'accept' });
  });

  it('cannot be left out of a request that has none', () => {
    expect(judge({ ...rejected, asksForThinking: false })).toEqual({ do: 'accept' });
  });
});

describe('the other remedies', () => {
  it('continue a paused answer, so often', () => {
    const paused = { ...FINE, paused: true };
    expect(judge(paused)).toMatchObject({ do: 'resume_pause', tries: { pauses: 1 } });
    expect(judge(paused, { pauses: DEFAULT_RETRY.maxPauses })).toEqual({ do: 'accept' });
  });

  it('ask again after an empty answer, once', () => {
    const empty = { ...FINE, empty: true };
    expect(judge(empty)).toMatchObject({ do: 'ask_again', tries: { askedAgain: true } });
    expect(judge(empty, { askedAgain: true })).toEqual({ do: 'accept' });
  });

  it('replace a block that was refused by name, so often', () => {
    const refused = failed('refused_block', { block: { message: 2, block: 0 } });
    expect(judge(refused)).toMatchObject({ do: 'replace_block', tries: { refusedBlocks: 1 } });
    expect(judge(refused, { refusedBlocks: DEFAULT_RETRY.maxRefusedBlocks })).toEqual({ do: 'accept' });
    expect(judge(failed('refused_block'))).toEqual({ do: 'accept' });
  });
});

describe('the wait', () => {
  it('doubles up to a limit', () => {
    const waits = Array.from({ length: 9 }, (_, index) => backoff(index + 1, DEFAULT_RETRY, () => 0));
    expect(waits).toEqual([500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 32_000, 32_000]);
  });

  it('has up to a quarter of chance in it, never less than its base', () => {
    for (const random of [0, 0.25, 0.5, 0.75, 0.999_999]) {
      const wait = backoff(3, DEFAULT_RETRY, () => random);
      expect(wait).toBeGreaterThanOrEqual(2_000);
      expect(wait).toBeLessThanOrEqual(2_500);
    }
  });
});
