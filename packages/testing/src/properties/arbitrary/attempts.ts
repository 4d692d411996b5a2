/** Random attempts, and random lists of them: any sequence, batches, successive recoveries, repetition. */
import fc from 'fast-check';
import type { PlannedAttempt, PlannedBlock, PlannedEnd, ScriptedErrorClass } from '../plan.ts';
import { anyBlock, parallelCall, REPEATED_CALL } from './calls.ts';
import { among, list, maybe } from './chance.ts';

const stops: fc.Arbitrary<PlannedEnd> = fc.record({ end: fc.constant('stop') });

const ending: fc.Arbitrary<PlannedEnd> = fc.record({
  end: among(
    ['cut', 4],
    ['window_full', 1],
    ['pause', 2],
    ['refusal', 1],
    ['reset', 2],
    ['closed', 1],
    ['stall', 1],
    ['throws', 1],
  ),
});

const error = errorOf(
  among(
    ['overflow', 4],
    ['media', 2],
    ['rate_limit', 1],
    ['overloaded', 4],
    ['server', 1],
    ['auth', 1],
    ['permission', 1],
    ['not_found', 3],
    ['network', 1],
    ['bad_request', 1],
    ['refused_block', 3],
  ),
);

/** Errors that the loop itself can recover from. */
const recovered: fc.Arbitrary<PlannedEnd> = fc.oneof(
  fc.record({ end: among(['cut', 2], ['window_full', 1]) }),
  errorOf(among(['overflow', 2], ['media', 1])),
);

function errorOf(classes: fc.Arbitrary<ScriptedErrorClass>): fc.Arbitrary<PlannedEnd> {
  return fc.record({
    end: fc.constant('error'),
    class: classes,
    retryAfterMs: maybe(fc.constantFrom(10, 2_000, 700_000), 15),
    shouldRetry: maybe(fc.boolean(), 10),
    place: fc.nat(60),
    rejectsThinking: fc.boolean(),
  });
}

function attemptOf(
  blocks: fc.Arbitrary<PlannedBlock[]>,
  end: fc.Arbitrary<PlannedEnd>,
): fc.Arbitrary<PlannedAttempt> {
  return fc.record({
    blocks,
    end,
    unfinished: maybe(fc.constantFrom(0.5, 0.9), 30),
    outputTokens: maybe(fc.constantFrom(10, 600, 5_000), 30),
  });
}

const anyAttempt = fc.oneof(
  {
    weight: 4,
    arbitrary: attemptOf(
      list(anyBlock, 5),
      fc.oneof(
        { weight: 14, arbitrary: stops },
        { weight: 4, arbitrary: ending },
        { weight: 3, arbitrary: error },
      ),
    ),
  },
  // Many failures occur before the first text.
  { weight: 1, arbitrary: attemptOf(fc.constant([]), fc.oneof(ending, error)) },
);

const batch = attemptOf(fc.array(parallelCall, { minLength: 2, maxLength: 6, size: 'max' }), stops);
const recoverable = attemptOf(list(anyBlock, 2), recovered);
const repetition = attemptOf(fc.constant([REPEATED_CALL]), stops);

function mixed(
  one: fc.Arbitrary<PlannedAttempt>,
  weight: number,
  length: number,
): fc.Arbitrary<PlannedAttempt[]> {
  return list(fc.oneof({ weight, arbitrary: one }, { weight: 1, arbitrary: anyAttempt }), length);
}

export const anyAttempts: fc.Arbitrary<PlannedAttempt[]> = fc.oneof(
  { weight: 6, arbitrary: list(anyAttempt, 12) },
  { weight: 2, arbitrary: mixed(batch, 1, 6) },
  { weight: 2, arbitrary: mixed(recoverable, 3, 10) },
  { weight: 2, arbitrary: mixed(repetition, 9, 10) },
);
