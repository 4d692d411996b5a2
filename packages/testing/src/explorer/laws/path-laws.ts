/** Laws about paths: required ends, and limits on how often something can happen. */
import { type Graph, traceOf } from '../graph.ts';
import { type Counting, findCircle, mostCounted, shortestExcess } from '../paths.ts';
import { followsBudget, type Scenario } from '../scenario.ts';
import { MARK } from '../step.ts';
import type { LawViolation } from '../violation.ts';

export interface Bound extends Counting {
  readonly name: string;
  /** The limit. Undefined if the configuration sets no bound. */
  limit(scenario: Scenario): number | undefined;
}

const NOTHING = 0;

export const BOUNDS: readonly Bound[] = [
  bound('drains between two good answers', MARK.collapse_drain_retry, MARK.goodAnswer, () => 1),
  bound(
    'reactive compactions between two good answers',
    MARK.reactive_compact_retry,
    MARK.goodAnswer,
    () => 1,
  ),
  bound('escalations between two good answers', MARK.max_output_tokens_escalate, MARK.goodAnswer, () => 1),
  bound('resumptions between two good answers', MARK.max_output_tokens_recovery, MARK.goodAnswer, recoveries),
  bound(
    'model calls between two good answers',
    MARK.modelCall,
    MARK.goodAnswer,
    (scene) => 4 + recoveries(scene),
  ),
  bound('stagings of collapses between two good answers', MARK.staging, MARK.goodAnswer, ({ config }) =>
    config.gates.contextCollapse ? 1 : 0,
  ),
  bound('drains between two turns', MARK.collapse_drain_retry, MARK.next_turn, () => 1),
  bound(
    'reactive compactions without progress, hooks or not',
    MARK.reactive_compact_retry,
    MARK.next_turn | MARK.token_budget_continuation,
    () => 1,
  ),
  bound(
    'hook blocks in a run',
    MARK.stop_hook_blocking,
    NOTHING,
    ({ config }) => config.limits.stopHookBlocks,
  ),
  bound(
    'failed autocompactions since the last that worked',
    MARK.autoCompactFailed,
    MARK.autoCompacted,
    ({ config }) => config.limits.autoCompactFailures,
  ),
  bound(
    'calls of one circle and nothing else',
    MARK.repeatableCall,
    MARK.newCall | MARK.toldToGoOn,
    repetitions,
  ),
  bound(
    'continuations on a token budget in a run',
    MARK.token_budget_continuation,
    NOTHING,
    budgetContinuations,
  ),
  bound('turns after the first', MARK.next_turn, NOTHING, ({ config }) =>
    config.maxTurns ? config.maxTurns - 1 : undefined,
  ),
];

/** Returns the maximum on any path for each bound, at most one more than allowed. */
export function mostOnAnyPath(
  graph: Graph,
): { readonly name: string; readonly most: number; readonly limit: number }[] {
  return BOUNDS.flatMap((law) => {
    const limit = law.limit(graph.scenario);
    return limit === undefined ? [] : [{ name: law.name, most: mostCounted(graph, law, limit), limit }];
  });
}

const GOOD_CIRCLES = 'every circle contains a good answer';
const PATHS_END = 'every path ends once a turn limit is set';

export function pathViolations(graph: Graph): LawViolation[] {
  const circles = [violatedCircle(graph, GOOD_CIRCLES, MARK.goodAnswer)];
  if (graph.scenario.config.maxTurns) circles.push(violatedCircle(graph, PATHS_END, NOTHING));
  return [...circles.flat(), ...BOUNDS.flatMap((law) => violatedBound(graph, law))];
}

function violatedBound(graph: Graph, law: Bound): LawViolation[] {
  const limit = law.limit(graph.scenario);
  if (limit === undefined || mostCounted(graph, law, limit) <= limit) return [];
  const trace = traceOf(graph, shortestExcess(graph, law, limit));
  return [
    {
      law: `at most so many ${law.name}`,
      scenario: graph.scenario.name,
      message: `more than ${limit}`,
      trace,
    },
  ];
}

function violatedCircle(graph: Graph, law: string, without: number): LawViolation[] {
  const found = findCircle(graph, without);
  if (found === undefined) return [];
  const trace = [
    ...traceOf(graph, found.way),
    '— and from here round and round:',
    ...traceOf(graph, found.circle),
  ];
  return [{ law, scenario: graph.scenario.name, message: `a circle of ${found.circle.length} steps`, trace }];
}

function bound(name: string, counts: number, resets: number, limit: Bound['limit']): Bound {
  return { name, counts, resets, limit };
}

function recoveries({ config }: Scenario): number {
  return config.limits.outputRecoveries;
}

/**
 * Before a circle is complete, each call that joins it restarts the others. Each of them then stays one
 * below the limit until the last one reaches it.
 */
function repetitions({ config, repeatable: { length } }: Scenario): number | undefined {
  if (!config.gates.repetition) return undefined;
  return ((length * (length + 1)) / 2) * (config.limits.repetitionStop - 1) + 1;
}

/**
 * The first few may gain nothing. From then on, every second one gains enough, until the share is used.
 */
function budgetContinuations({ config }: Scenario): number {
  if (!followsBudget(config)) return 0;
  const { budgetShare, budgetMinimumGain, budgetContinuations } = config.limits;
  const gains = Math.ceil(((config.tokenBudget ?? 0) * budgetShare) / budgetMinimumGain) - 1;
  return budgetContinuations + 2 * gains;
}
