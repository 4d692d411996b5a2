/** Random blocks of an answer, and calls with their planned outcome. */
import fc from 'fast-check';
import { SUCCESSFUL_OUTCOME } from '../planned-outcomes.ts';
import type { PlannedBlock, PlannedCall } from '../plan.ts';
import { among, aWhile, off } from './chance.ts';

const fate = {
  takesMs: fc.constantFrom(0, 1, 50, 300, 1_000, 3_000, 20_000),
  ends: among(['returns', 80], ['fails', 10], ['throws', 10]),
  deaf: off(85),
  progress: among([0, 66], [1, 17], [3, 17]),
  newContext: among(['none', 90], ['directory', 3], ['another_tool', 4], ['throws', 3]),
  before: fc.record({
    waitMs: aWhile,
    does: among(
      ['pass', 90],
      ['allow', 1],
      ['deny', 1],
      ['updated_input', 3],
      ['context', 2],
      ['stop', 2],
      ['throws', 1],
    ),
  }),
  permission: fc.record({
    waitMs: aWhile,
    does: among(['allow', 90], ['deny', 2], ['interrupt', 2], ['updated_input', 4], ['throws', 2]),
  }),
  after: fc.record({
    waitMs: aWhile,
    does: among(['pass', 92], ['context', 2], ['updated_result', 2], ['stop', 2], ['throws', 2]),
  }),
} as const;

const anyCall: fc.Arbitrary<PlannedCall> = fc.record({
  kind: fc.constant('call'),
  waitMs: aWhile,
  tool: among(
    ['Read', 2],
    ['Shell', 1],
    ['Look', 1],
    ['Wait', 1],
    ['Write', 1],
    ['Edit', 1],
    ['Note', 1],
    ['Hold', 1],
  ),
  form: among(['good', 92], ['unknown_tool', 2], ['bad_json', 2], ['rejected', 2], ['invalid', 2]),
  value: fc.nat(1),
  fate: fc.record(fate),
});

/** One of several parallel calls, long enough to be running when another one fails. */
export const parallelCall: fc.Arbitrary<PlannedCall> = fc.record({
  kind: fc.constant('call'),
  waitMs: aWhile,
  tool: among(['Read', 1], ['Shell', 1], ['Wait', 2], ['Note', 1]),
  form: fc.constant('good'),
  value: fc.nat(1),
  fate: fc.record({
    ...fate,
    takesMs: fc.constantFrom(1, 200, 1_000, 5_000),
    ends: among(['returns', 60], ['fails', 20], ['throws', 20]),
    deaf: off(75),
  }),
});

/** The same read-only call, repeatedly. */
export const REPEATED_CALL: PlannedCall = {
  kind: 'call',
  waitMs: 0,
  tool: 'Read',
  form: 'good',
  value: 0,
  fate: { ...SUCCESSFUL_OUTCOME, takesMs: 1 },
};

const words: fc.Arbitrary<PlannedBlock> = fc.record({
  kind: among(['text', 66], ['thinking', 17], ['redacted_thinking', 5], ['blank', 6], ['foreign', 6]),
  waitMs: aWhile,
});

export const anyBlock: fc.Arbitrary<PlannedBlock> = fc.oneof(
  { withCrossShrink: true },
  { weight: 3, arbitrary: words },
  { weight: 5, arbitrary: anyCall },
);
