/**
 * Random plans. Small numbers and few values, so that things meet: calls repeat, aborts fall into retries, a drain follows a
 * cut. What is rare in life is common here. (A file of its own because it needs fast-check, which nothing that ships does.)
 */
import fc from 'fast-check';
import type {
  AfterDoes,
  BeforeDoes,
  CallFate,
  PermissionDoes,
  PlannedAttempt,
  PlannedBlock,
  PlannedCall,
  PlannedConsumer,
  PlannedEnd,
  PlannedGathering,
  PlannedPrepare,
  PlannedSettings,
  PlannedSummary,
  PlannedTurnEnd,
  RunPlan,
  ScriptedErrorClass,
  StreamEnding,
  ToolName,
} from './plan.ts';

/** The first is the likely one, and what the others shrink to. */
function mostly<Value>(likely: Value, weight: number, ...others: readonly Value[]): fc.Arbitrary<Value> {
  return fc.oneof(
    { weight, arbitrary: fc.constant(likely) },
    { weight: 10, arbitrary: fc.constantFrom(...others) },
  );
}

function maybe<Value>(arbitrary: fc.Arbitrary<Value>, weight: number): fc.Arbitrary<Value | undefined> {
  return fc.oneof({ weight: 10 - weight, arbitrary: fc.constant(undefined) }, { weight, arbitrary });
}

const list = <Value>(arbitrary: fc.Arbitrary<Value>, maxLength: number): fc.Arbitrary<Value[]> =>
  fc.array(arbitrary, { maxLength, size: 'max' });

const aWhile = mostly(0, 25, 1, 20, 150, 700);

const fates = {
  takesMs: fc.constantFrom(0, 1, 50, 300, 1_000, 20_000),
  ends: mostly<CallFate['ends']>('returns', 40, 'fails', 'throws'),
  deaf: mostly(false, 60, true),
  progress: mostly(0, 20, 1, 3),
  newContext: mostly<CallFate['newContext']>('none', 90, 'directory', 'another_tool', 'throws'),
  before: fc.record({
    waitMs: aWhile,
    does: mostly<BeforeDoes>(
      'pass',
      100,
      'allow',
      'deny',
      'updated_input',
      'updated_input',
      'context',
      'stop',
      'throws',
    ),
  }),
  permission: fc.record({
    waitMs: aWhile,
    does: mostly<PermissionDoes>(
      'allow',
      100,
      'deny',
      'interrupt',
      'updated_input',
      'updated_input',
      'throws',
    ),
  }),
  after: fc.record({
    waitMs: aWhile,
    does: mostly<AfterDoes>('pass', 120, 'context', 'updated_result', 'stop', 'throws'),
  }),
};

const TOOLS: readonly ToolName[] = ['Read', 'Read', 'Shell', 'Look', 'Wait', 'Write', 'Edit', 'Note', 'Hold'];

const EASY: CallFate = {
  takesMs: 1,
  ends: 'returns',
  deaf: false,
  progress: 0,
  newContext: 'none',
  before: { waitMs: 0, does: 'pass' },
  permission: { waitMs: 0, does: 'allow' },
  after: { waitMs: 0, does: 'pass' },
};
const EASY_CALL: PlannedCall = { kind: 'call', waitMs: 0, tool: 'Read', form: 'good', value: 0, fate: EASY };

const parallelCall: fc.Arbitrary<PlannedCall> = fc.record({
  kind: fc.constant('call'),
  waitMs: aWhile,
  tool: fc.constantFrom<ToolName>('Read', 'Shell', 'Wait', 'Note'),
  form: fc.constant('good'),
  value: fc.nat(1),
  fate: fc.record({
    ...fates,
    takesMs: fc.constantFrom(1, 200, 1_000, 5_000),
    ends: mostly<CallFate['ends']>('returns', 15, 'fails', 'throws'),
    deaf: mostly(false, 30, true),
  }),
});

const anyCall: fc.Arbitrary<PlannedCall> = fc.record({
  kind: fc.constant('call'),
  waitMs: aWhile,
  tool: fc.constantFrom(...TOOLS),
  form: mostly<PlannedCall['form']>('good', 90, 'unknown_tool', 'bad_json', 'rejected', 'invalid'),
  value: fc.nat(1),
  fate: fc.record(fates),
});

const words = fc.record({
  kind: mostly<Exclude<PlannedBlock['kind'], 'call'>>(
    'text',
    20,
    'thinking',
    'thinking',
    'thinking',
    'redacted_thinking',
    'blank',
    'foreign',
  ),
  waitMs: aWhile,
});

const block: fc.Arbitrary<PlannedBlock> = fc.oneof(
  { weight: 3, arbitrary: words },
  { weight: 5, arbitrary: anyCall },
);

const ENDINGS: readonly StreamEnding[] = [
  'cut',
  'cut',
  'cut',
  'window_full',
  'pause',
  'pause',
  'refusal',
  'reset',
  'reset',
  'closed',
  'stall',
  'throws',
];

const CLASSES: readonly ScriptedErrorClass[] = [
  'overflow',
  'overflow',
  'overflow',
  'overflow',
  'media',
  'media',
  'rate_limit',
  'overloaded',
  'overloaded',
  'overloaded',
  'server',
  'auth',
  'permission',
  'not_found',
  'not_found',
  'network',
  'bad_request',
  'refused_block',
  'refused_block',
];

const ending: fc.Arbitrary<PlannedEnd> = fc.record({ end: fc.constantFrom(...ENDINGS) });

function errorOf(classes: fc.Arbitrary<ScriptedErrorClass>): fc.Arbitrary<PlannedEnd> {
  return fc.record({
    end: fc.constant('error'),
    class: classes,
    retryAfterMs: maybe(fc.constantFrom(10, 2_000, 700_000), 1),
    shouldRetry: maybe(fc.boolean(), 1),
    place: fc.nat(60),
  });
}

const error = errorOf(fc.constantFrom(...CLASSES));

function attemptOf(
  blocks: fc.Arbitrary<PlannedBlock[]>,
  end: fc.Arbitrary<PlannedEnd>,
): fc.Arbitrary<PlannedAttempt> {
  return fc.record({
    blocks,
    end,
    unfinished: maybe(fc.constantFrom(0.5, 0.9), 3),
    outputTokens: maybe(fc.constantFrom(10, 600, 5_000), 3),
  });
}

const stops: fc.Arbitrary<PlannedEnd> = fc.record({ end: fc.constant<StreamEnding>('stop') });
const goesWrong: fc.Arbitrary<PlannedEnd> = fc.oneof(
  { weight: 1, arbitrary: ending },
  { weight: 2, arbitrary: error },
);
/** What the loop itself can recover from. */
const isRecovered: fc.Arbitrary<PlannedEnd> = fc.oneof(
  fc.record({ end: fc.constantFrom<StreamEnding>('cut', 'cut', 'window_full') }),
  errorOf(fc.constantFrom<ScriptedErrorClass>('overflow', 'overflow', 'media')),
);

const anyAttempt = fc.oneof(
  {
    weight: 8,
    arbitrary: attemptOf(
      list(block, 5),
      fc.oneof(
        { weight: 14, arbitrary: stops },
        { weight: 4, arbitrary: ending },
        { weight: 3, arbitrary: error },
      ),
    ),
  },
  // Much that goes wrong goes wrong before a word was said.
  { weight: 2, arbitrary: attemptOf(fc.constant([]), goesWrong) },
);

/** Calls side by side, some of which cancel the others. */
const batch = attemptOf(fc.array(parallelCall, { minLength: 2, maxLength: 6, size: 'max' }), stops);
const recoverable = attemptOf(list(block, 2), isRecovered);
/** The same harmless call again and again. */
const repetition = attemptOf(fc.constant([EASY_CALL]), stops);

const attempts: fc.Arbitrary<PlannedAttempt[]> = fc.oneof(
  { weight: 6, arbitrary: list(anyAttempt, 12) },
  { weight: 1, arbitrary: list(fc.oneof(anyAttempt, batch), 6) },
  {
    weight: 2,
    arbitrary: list(
      fc.oneof({ weight: 3, arbitrary: recoverable }, { weight: 1, arbitrary: anyAttempt }),
      10,
    ),
  },
  {
    weight: 1,
    arbitrary: list(fc.oneof({ weight: 6, arbitrary: repetition }, { weight: 1, arbitrary: anyAttempt }), 10),
  },
);

const usually = (weight: number) => mostly(true, weight, false);

const settings: fc.Arbitrary<PlannedSettings> = fc.record({
  config: fc.record({
    gates: fc.record({
      streamingToolExecution: usually(40),
      emitToolUseSummaries: fc.boolean(),
      outputEscalation: fc.boolean(),
      tokenBudget: usually(60),
      contextCollapse: fc.boolean(),
      reactiveCompact: fc.boolean(),
      autoCompact: fc.boolean(),
      repetition: usually(60),
    }),
    limits: fc.record({
      repetitionNudge: fc.constant(2),
      repetitionStop: fc.constantFrom(3, 3, 12),
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
    canAsk: fc.boolean(),
    bare: mostly(false, 30, true),
    partialMessages: mostly(false, 30, true),
  }),
  maxTurns: fc.constantFrom(0, 0, 0, 0, 0, 1, 2, 5),
  tokenBudget: maybe(fc.constantFrom(100, 2_000, 20_000), 4),
  taskBudget: maybe(fc.constant(10_000), 2),
  maxOutputTokensOverride: maybe(fc.constant(16_000), 1),
  fallback: fc.boolean(),
  role: mostly<PlannedSettings['role']>('main', 40, 'subagent', 'compaction'),
  skipCacheWrite: mostly(false, 60, true),
  userContext: fc.boolean(),
  readyPort: fc.boolean(),
});

const prepare: fc.Arbitrary<PlannedPrepare> = fc.record({
  does: mostly<PlannedPrepare['does']>(
    'pass',
    90,
    'over_limit',
    'over_limit',
    'over_limit',
    'autocompact',
    'autocompact_fails',
    'autocompact_fails',
    'report',
    'throws',
    'throws_media',
  ),
  waitMs: aWhile,
});

const turnEnd: fc.Arbitrary<PlannedTurnEnd> = fc.record({
  does: mostly<PlannedTurnEnd['does']>(
    'pass',
    10,
    'block',
    'block',
    'block',
    'block',
    'team_blocks',
    'team_blocks',
    'prevent',
    'throws',
    'stop_failure_throws',
  ),
  waitMs: aWhile,
  progress: fc.boolean(),
});

const gathering: fc.Arbitrary<PlannedGathering> = fc.record({
  commands: mostly(0, 20, 1, 2),
  finds: mostly<PlannedGathering['finds']>(
    'nothing',
    50,
    'reminder',
    'reminder',
    'reminder',
    'file',
    'file',
    'throws',
  ),
  waitMs: aWhile,
});

const consumer: fc.Arbitrary<PlannedConsumer> = fc.record({
  slowEvery: mostly(0, 20, 1, 2, 5),
  patience: fc.oneof(
    { weight: 11, arbitrary: fc.record({ until: fc.constant('end') }) },
    {
      weight: 4,
      arbitrary: fc.record({
        until: fc.constant('event'),
        at: fc.integer({ min: 1, max: 40 }),
        then: fc.constantFrom('interrupt', 'cancel', 'leave'),
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        until: fc.constant('tick'),
        at: fc.nat(150),
        then: fc.constantFrom('interrupt', 'cancel'),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        until: fc.constant('time'),
        at: fc.nat(4_000),
        then: fc.constantFrom('interrupt', 'cancel'),
      }),
    },
  ),
});

export const anyPlan: fc.Arbitrary<RunPlan> = fc.record({
  attempts,
  start: mostly<RunPlan['start']>('prompt', 10, 'image', 'conversation'),
  settings,
  prepares: list(prepare, 6),
  drains: list(mostly<RunPlan['drains'][number]>('commits', 10, 'commits_nothing', 'throws'), 3),
  compactions: list(mostly<RunPlan['compactions'][number]>('works', 15, 'fails', 'fails', 'throws'), 3),
  staged: list(fc.boolean(), 4),
  turnEnds: list(turnEnd, 4),
  gatherings: list(gathering, 4),
  goOn: list(fc.boolean(), 3),
  summaries: list(fc.constantFrom<PlannedSummary>('at_once', 'late', 'nothing', 'throws'), 4),
  consumer,
});
