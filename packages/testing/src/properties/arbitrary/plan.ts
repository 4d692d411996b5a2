/**
 * Random plans. Small numbers and few values, so that events coincide: calls repeat, aborts occur during
 * retries, a drain follows a cut. Rare cases are frequent here.
 */
import fc from 'fast-check';
import type { RunPlan } from '../plan.ts';
import { anyAttempts } from './attempts.ts';
import { among, list, on } from './chance.ts';
import { anyConsumer, anyGathering, anyPrepare, anySettings, anyTurnEnd } from './surroundings.ts';

export const anyPlan: fc.Arbitrary<RunPlan> = fc.record({
  attempts: anyAttempts,
  start: among(
    ['prompt', 40],
    ['image', 20],
    ['conversation', 20],
    ['open_turn', 10],
    ['open_turn_and_prompt', 10],
  ),
  openTurn: list(
    fc.record({
      writer: among(['first_model', 50], ['fallback_model', 30], ['another_model', 20]),
      thinks: on(70),
    }),
    3,
  ),
  settings: anySettings,
  prepares: list(anyPrepare, 6),
  drains: list(among(['commits', 50], ['commits_nothing', 25], ['throws', 25]), 3),
  compactions: list(among(['works', 55], ['fails', 22], ['throws', 23]), 3),
  staged: list(on(75), 4),
  turnEnds: list(anyTurnEnd, 4),
  gatherings: list(anyGathering, 4),
  continues: list(fc.boolean(), 3),
  summaries: list(fc.constantFrom('at_once', 'late', 'nothing', 'throws'), 4),
  consumer: anyConsumer,
});
