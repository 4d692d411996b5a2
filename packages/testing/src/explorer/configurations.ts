/** The walked configurations: each gate that the machine reads, on and off. */
import { DEFAULT_LIMITS, type Limits } from '@heddle/core';
import { type Scenario, scenario, type ScenarioOptions, SMALL_LIMITS } from './scenario.ts';

/** Two gains that count use it up. */
const BUDGET = 1_000;

const NO_RECOVERY = {
  outputEscalation: false,
  reactiveCompact: false,
  autoCompact: false,
  contextCollapse: false,
};

/**
 * Everything on, and one difference at a time. The repetition count multiplies all states and does not
 * affect other questions, so some run without it. `everyCombination` includes it in all of them.
 */
function variants(limits: Limits): Scenario[] {
  const variants: readonly ScenarioOptions[] = [
    { name: 'every recovery' },
    { name: 'no escalation', gates: { outputEscalation: false } },
    { name: 'no reactive compaction', gates: { reactiveCompact: false } },
    { name: 'no autocompact', gates: { autoCompact: false } },
    { name: 'no collapse', gates: { contextCollapse: false } },
    { name: 'no repetition detector', gates: { repetition: false } },
    { name: 'no recovery at all', gates: NO_RECOVERY },
    { name: 'someone can be asked', canAsk: true },
    { name: 'summaries of tools', gates: { emitToolUseSummaries: true, repetition: false } },
    { name: 'task budget', taskBudget: { total: 1_000 }, gates: { repetition: false } },
    { name: 'the caller set the cap', outputCap: 16_000, gates: { repetition: false } },
    { name: 'a compaction', querySource: 'compact', gates: { repetition: false } },
    { name: 'turn limit', maxTurns: 3, gates: { repetition: false } },
    { name: 'turn limit of one', maxTurns: 1 },
    { name: 'turn limit, repetition', maxTurns: limits.repetitionStop + 2, gates: NO_RECOVERY },
    {
      name: 'turn limit, someone can be asked',
      maxTurns: limits.repetitionStop + 2,
      canAsk: true,
      gates: NO_RECOVERY,
    },
    { name: 'token budget', tokenBudget: BUDGET, gates: { repetition: false } },
    {
      name: 'token budget and turn limit',
      tokenBudget: BUDGET,
      maxTurns: 2,
      gates: { repetition: false, contextCollapse: false },
    },
    {
      name: 'token budget, switched off',
      tokenBudget: BUDGET,
      gates: { tokenBudget: false, repetition: false },
    },
    {
      name: 'token budget of a subagent',
      tokenBudget: BUDGET,
      isSubagent: true,
      gates: { repetition: false },
    },
  ];
  return variants.map((variant) => scenario({ ...variant, limits }));
}

/** Short counts: seconds. */
export const SMALL_SCENARIOS: readonly Scenario[] = variants(SMALL_LIMITS);

/** The counts that ship: minutes. */
export const REAL_SCENARIOS: readonly Scenario[] = [
  ...variants(DEFAULT_LIMITS),
  scenario({
    name: 'token budget of three gains',
    tokenBudget: 1_500,
    gates: { repetition: false },
    limits: DEFAULT_LIMITS,
  }),
];

/**
 * A few states that cover every guard and every route: enough for a drawing, or to detect a missing guard.
 */
export const SKETCHES: readonly Scenario[] = [
  scenario({ name: 'every recovery', limits: { outputRecoveries: 1 } }),
  scenario({ name: 'turn limit', maxTurns: 2, canAsk: true, gates: NO_RECOVERY }),
  scenario({ name: 'token budget', tokenBudget: BUDGET, gates: NO_RECOVERY }),
  scenario({
    name: 'collapse is the only recovery of an overflow',
    gates: { ...NO_RECOVERY, contextCollapse: true, repetition: false },
    limits: { outputRecoveries: 0 },
  }),
];

/**
 * Two alternating calls and the order in which they are forgotten: everything that the repetition detector
 * stores.
 */
export const CIRCLE_SCENARIO: Scenario = scenario({
  name: 'two calls in turn',
  repeatable: ['the same call', 'the other call'],
  gates: NO_RECOVERY,
  limits: { repetitionNudge: 2, repetitionStop: 3, outputRecoveries: 0, stopHookBlocks: 0 },
});

/** Every combination of the machine's inputs, with short counts. */
export function everyCombination(): Scenario[] {
  const choices: readonly (readonly ScenarioOptions[])[] = [
    [{ name: 'escalation' }, { name: '', gates: { outputEscalation: false } }],
    [{ name: 'reactive' }, { name: '', gates: { reactiveCompact: false } }],
    [{ name: 'auto' }, { name: '', gates: { autoCompact: false } }],
    [{ name: 'collapse' }, { name: '', gates: { contextCollapse: false } }],
    [{ name: 'repetition' }, { name: 'ask', canAsk: true }, { name: '', gates: { repetition: false } }],
    [
      { name: '' },
      { name: 'budget', tokenBudget: BUDGET },
      { name: 'subagent', tokenBudget: BUDGET, isSubagent: true },
    ],
    [{ name: '' }, { name: 'turns', maxTurns: 2 }],
    [{ name: '' }, { name: 'compact', querySource: 'compact' }],
  ];
  const none: readonly ScenarioOptions[] = [{ name: '' }];
  return choices
    .reduce((all, choice) => all.flatMap((one) => choice.map((other) => both(one, other))), none)
    .map((options) => scenario({ ...options, name: options.name || 'nothing' }));
}

function both(one: ScenarioOptions, other: ScenarioOptions): ScenarioOptions {
  const name = [one.name, other.name].filter((word) => word !== '').join(' ');
  return { ...one, ...other, name, gates: { ...one.gates, ...other.gates } };
}
