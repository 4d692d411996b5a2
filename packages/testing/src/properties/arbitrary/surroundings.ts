/** Random results of the ports, random settings, and consumers that stop at random times. */
import fc from 'fast-check';
import type {
  PlannedConsumer,
  PlannedGathering,
  PlannedPrepare,
  PlannedSettings,
  PlannedTurnEnd,
} from '../plan.ts';
import { among, aWhile, maybe, off, on } from './chance.ts';

export const anySettings: fc.Arbitrary<PlannedSettings> = fc.record({
  config: fc.record({
    gates: fc.record({
      streamingToolExecution: on(80),
      emitToolUseSummaries: fc.boolean(),
      outputEscalation: fc.boolean(),
      tokenBudget: on(85),
      contextCollapse: on(75),
      reactiveCompact: on(60),
      autoCompact: fc.boolean(),
      repetition: on(85),
    }),
    limits: fc.record({
      repetitionNudge: fc.constant(2),
      repetitionStop: among([3, 80], [12, 20]),
      stopHookBlocks: fc.constantFrom(1, 2, 8),
      toolConcurrency: fc.constantFrom(10, 3, 2, 1),
      autoCompactFailures: fc.constantFrom(1, 3),
    }),
    retry: fc.record({
      maxAttempts: fc.constantFrom(1, 3, 4, 10),
      maxPauses: fc.constantFrom(1, 2, 10),
      maxRefusedBlocks: fc.constantFrom(1, 5),
      overloadsBeforeFallback: fc.constantFrom(1, 2, 3),
    }),
    canAsk: on(65),
    bare: off(75),
    partialMessages: off(75),
  }),
  maxTurns: among([0, 5], [1, 1], [2, 1], [5, 1]),
  tokenBudget: maybe(fc.constantFrom(100, 2_000, 20_000), 40),
  taskBudget: maybe(fc.constant(10_000), 20),
  maxOutputTokensOverride: maybe(fc.constant(16_000), 10),
  fallbacks: among([0, 45], [1, 35], [2, 20]),
  thinking: among(['unset', 40], ['adaptive', 20], ['enabled', 40]),
  role: among(['main', 80], ['subagent', 10], ['compaction', 10]),
  skipCacheWrite: off(85),
  userContext: fc.boolean(),
  readyPort: fc.boolean(),
});

export const anyPrepare: fc.Arbitrary<PlannedPrepare> = fc.record({
  does: among(
    ['pass', 80],
    ['over_limit', 6],
    ['autocompact', 3],
    ['autocompact_fails', 3],
    ['replaces', 3],
    ['report', 1],
    ['throws', 2],
    ['throws_media', 2],
  ),
  waitMs: aWhile,
});

export const anyTurnEnd: fc.Arbitrary<PlannedTurnEnd> = fc.record({
  does: among(
    ['pass', 50],
    ['block', 22],
    ['team_blocks', 12],
    ['prevent', 5],
    ['throws', 5],
    ['stop_failure_throws', 6],
  ),
  waitMs: aWhile,
  progress: fc.boolean(),
});

export const anyGathering: fc.Arbitrary<PlannedGathering> = fc.record({
  commands: among([0, 66], [1, 17], [2, 17]),
  finds: among(['nothing', 82], ['reminder', 8], ['file', 6], ['throws', 4]),
  waitMs: aWhile,
});

const anyAbort = fc.constantFrom('interrupt' as const, 'cancel' as const);

export const anyConsumer: fc.Arbitrary<PlannedConsumer> = fc.record({
  slowEvery: among([0, 66], [1, 12], [2, 11], [5, 11]),
  patience: fc.oneof(
    { withCrossShrink: true },
    { weight: 11, arbitrary: fc.record({ until: fc.constant('end') }) },
    {
      weight: 4,
      arbitrary: fc.record({
        until: fc.constant('event'),
        at: fc.integer({ min: 1, max: 40 }),
        how: fc.constantFrom('interrupt', 'cancel', 'leave'),
      }),
    },
    { weight: 3, arbitrary: fc.record({ until: fc.constant('tick'), at: fc.nat(150), how: anyAbort }) },
    { weight: 4, arbitrary: fc.record({ until: fc.constant('time'), at: fc.nat(2_000), how: anyAbort }) },
  ),
});
