/**
 * Walks the machine of attempts inside one model call: every reachable state against every way an attempt can end. The laws
 * are those of the outer walk: each remedy is bounded, and every path ends.
 */
import {
  ATTEMPT_GUARDS,
  type AttemptDecision,
  type AttemptFacts,
  type AttemptGuards,
  type AttemptState,
  decideAttempt,
  DEFAULT_RETRY,
  FIRST_ATTEMPT,
  type ModelError,
  type ModelErrorClass,
  type RetryPolicy,
} from '@heddle/core';
import { deepFreeze, isSameData } from './frozen.ts';
import type { LawViolation } from './violation.ts';
import { EVERY_ERROR } from './world.ts';

export interface AttemptScenario {
  readonly name: string;
  readonly policy: RetryPolicy;
  /** Fallback models at the start. */
  readonly fallbacks: number;
}

/** The same policy with shorter counts: every guard still has a before, an at and an after. */
const SMALL_POLICY: RetryPolicy = {
  ...DEFAULT_RETRY,
  maxAttempts: 3,
  overloadsBeforeFallback: 2,
  maxPauses: 2,
  maxRefusedBlocks: 2,
};

export const ATTEMPT_SCENARIOS: readonly AttemptScenario[] = [
  { name: 'two fallback models', policy: SMALL_POLICY, fallbacks: 2 },
  { name: 'one fallback model', policy: SMALL_POLICY, fallbacks: 1 },
  { name: 'one model', policy: SMALL_POLICY, fallbacks: 0 },
  { name: 'no retry', policy: { ...SMALL_POLICY, maxAttempts: 1, maxPauses: 0 }, fallbacks: 1 },
  { name: 'shipped retries', policy: { ...SMALL_POLICY, maxAttempts: 11 }, fallbacks: 1 },
];

export interface AttemptStep {
  readonly scenario: AttemptScenario;
  readonly tries: AttemptState;
  readonly facts: AttemptFacts;
  readonly decision: AttemptDecision;
}

export interface AttemptExploration {
  readonly states: number;
  readonly steps: number;
  readonly decisions: ReadonlySet<AttemptDecision['do']>;
  /** Attempts on the longest path; undefined if a path never ends. */
  readonly longest: number | undefined;
  /** At most one for each law. */
  readonly violations: readonly LawViolation[];
}

export interface AttemptOptions {
  readonly guards?: AttemptGuards;
  readonly onStep?: (step: AttemptStep) => void;
}

const SAME_AGAIN = 'the same attempt is decided the same way again';
const PATHS_END = 'every path of attempts ends';
const WITHIN_BOUND = 'the attempts of a stream stay within the sum of their bounds';

export function exploreAttempts(scenario: AttemptScenario, options: AttemptOptions = {}): AttemptExploration {
  const { guards = ATTEMPT_GUARDS, onStep } = options;
  const first = deepFreeze({ ...FIRST_ATTEMPT, fallbacksLeft: scenario.fallbacks });
  const nodes: AttemptNode[] = [{ tries: first, foundBy: undefined, next: [] }];
  const numbers = new Map([[keyOf(first, scenario), 0]]);
  const violations = new Map<string, LawViolation>();
  const decisions = new Set<AttemptDecision['do']>();
  let steps = 0;
  const report = (law: string, message: string, node: number, step?: AttemptStep): void => {
    if (violations.has(law)) return;
    const trace = [...traceTo(nodes, node), ...(step ? [describeStep(step)] : [])];
    violations.set(law, { law, scenario: scenario.name, message, trace });
  };
  for (const [node, { tries, next }] of nodes.entries()) {
    for (const facts of EVERY_END) {
      steps += 1;
      const decision = decideAttempt(facts, tries, scenario.policy, guards);
      const again = decideAttempt(facts, tries, scenario.policy, guards);
      const step: AttemptStep = { scenario, tries, facts, decision };
      for (const [law, holds] of STEP_LAWS) if (!holds(step)) report(law, decision.do, node, step);
      if (!isSameData(decision, again)) report(SAME_AGAIN, decision.do, node, step);
      decisions.add(decision.do);
      onStep?.(step);
      if (decision.do === 'accept') continue;
      const key = keyOf(decision.tries, scenario);
      const known = numbers.get(key) ?? nodes.length;
      if (known === nodes.length) {
        numbers.set(key, known);
        nodes.push({ tries: deepFreeze(decision.tries), foundBy: { node, step }, next: [] });
      }
      if (!next.includes(known)) next.push(known);
    }
  }
  const { longest, onCircle } = longestPath(nodes);
  if (onCircle !== undefined) report(PATHS_END, 'a circle', onCircle);
  const bound = mostAttempts(scenario);
  if (longest !== undefined && longest > bound) report(WITHIN_BOUND, `${longest} of ${bound}`, 0);
  return { states: nodes.length, steps, decisions, longest, violations: [...violations.values()] };
}

/** One attempt, one pause and one block after the other, one question again, and for each model its retries. */
export function mostAttempts({ policy, fallbacks }: AttemptScenario): number {
  const ofAllModels = policy.maxPauses + policy.maxRefusedBlocks + 1;
  const ofEachModel = policy.maxAttempts + 1;
  return ofAllModels + (fallbacks + 1) * ofEachModel;
}

/** Guards that allow everything, to replace a real one: the walk must then report a violation. */
export const PERMISSIVE_ATTEMPTS: AttemptGuards = {
  mayResumePause: () => true,
  mayAskAgain: () => true,
  mayReplaceBlock: () => true,
  mayLeaveOutThinking: () => true,
  mayFallBack: () => true,
  mayRetry: () => true,
};

/** Words for the end of an attempt, by aspect. */
export function aspectsOfAttempt(facts: AttemptFacts): Readonly<Record<string, string>> {
  const { error } = facts;
  return {
    calls: facts.calls > 0 ? 'tool calls' : 'no call',
    ended: error?.class ?? (facts.paused ? 'paused' : facts.empty ? 'empty' : 'ended well'),
    ...(error?.rejects === 'thinking' && facts.asksForThinking ? { rejects: 'thinking rejected' } : {}),
    ...(error?.block && !facts.refusedInVain ? { block: 'block can be replaced' } : {}),
    ...(error?.shouldRetry === false ? { advice: 'server rules out a retry' } : {}),
    ...((error?.retryAfterMs ?? 0) > DEFAULT_RETRY.maxServerWaitMs ? { wait: 'wait too long' } : {}),
  };
}

interface AttemptNode {
  readonly tries: AttemptState;
  /** The first step that led here; undefined for the first state. */
  readonly foundBy: { readonly node: number; readonly step: AttemptStep } | undefined;
  readonly next: number[];
}

const STEP_LAWS = Object.entries<(step: AttemptStep) => boolean>({
  'an answer with complete calls is never requested again': ({ facts, decision }) =>
    facts.calls === 0 || decision.do === 'accept',
  'no attempt starts after an abort': ({ facts, decision }) => !facts.aborted || decision.do === 'accept',
  'an error with a recovery in the loop is left to the loop': ({ facts, decision }) =>
    !LEFT_TO_THE_LOOP.has(facts.error?.class ?? 'internal') || decision.do === 'accept',
  'a paused answer stays with the model that began it': ({ decision }) =>
    (decision.do !== 'fall_back' && decision.do !== 'ask_again') ||
    (!decision.tries.paused && decision.keeps === 'nothing'),
  'a pause keeps the answer': ({ decision }) =>
    decision.do !== 'resume_pause' || (decision.tries.paused && decision.keeps === 'everything'),
  'a delay stays within the policy': ({ scenario: { policy }, decision }) =>
    decision.do !== 'retry' ||
    (decision.delayMs <= Math.max(policy.maxDelayMs, policy.maxServerWaitMs) &&
      decision.jitterMs <= policy.maxDelayMs / 4),
});

const LEFT_TO_THE_LOOP: ReadonlySet<ModelErrorClass> = new Set([
  'overflow',
  'media',
  'output_cap',
  'refusal',
]);

/** Counts beyond their bound make no difference. Without a guard they grow, and this makes the circle visible. */
function keyOf(tries: AttemptState, { policy }: AttemptScenario): string {
  return JSON.stringify([
    Math.min(tries.attempts, policy.maxAttempts + 1),
    Math.min(tries.overloads, policy.overloadsBeforeFallback),
    Math.min(tries.pauses, policy.maxPauses + 1),
    Math.min(tries.refusedBlocks, policy.maxRefusedBlocks + 1),
    tries.askedAgain,
    tries.withoutThinking,
    Math.max(tries.fallbacksLeft, -1),
    tries.paused,
  ]);
}

/** Removes the states without a step into them, one by one. States that remain are on a circle, or behind one. */
function longestPath(nodes: readonly AttemptNode[]): { longest?: number; onCircle?: number } {
  const stepsInto = nodes.map(() => 0);
  for (const { next } of nodes) for (const to of next) stepsInto[to] = (stepsInto[to] ?? 0) + 1;
  const depth = nodes.map(() => 1);
  const free = stepsInto.flatMap((count, node) => (count === 0 ? [node] : []));
  for (const node of free) {
    for (const to of nodes[node]?.next ?? []) {
      depth[to] = Math.max(depth[to] ?? 1, (depth[node] ?? 1) + 1);
      stepsInto[to] = (stepsInto[to] ?? 0) - 1;
      if (stepsInto[to] === 0) free.push(to);
    }
  }
  if (free.length === nodes.length) return { longest: Math.max(...depth) };
  return { onCircle: stepsInto.findIndex((count) => count > 0) };
}

const BOTH = [false, true] as const;
const TOO_LONG = DEFAULT_RETRY.maxServerWaitMs + 1;

/** Every way an attempt can end. A property is varied only where the machine may read it. */
const EVERY_END: readonly AttemptFacts[] = deepFreeze(
  [
    ...BOTH.flatMap((paused) => BOTH.map((empty) => ({ error: undefined, calls: 0, paused, empty }))),
    ...Object.values(EVERY_ERROR).map((error) => failed(error)),
    ...(['network', 'overloaded', 'auth'] as const).flatMap((name) =>
      BOTH.map((shouldRetry) => failed({ ...EVERY_ERROR[name], shouldRetry })),
    ),
    ...[0, TOO_LONG].map((retryAfterMs) => failed({ ...EVERY_ERROR.rate_limit, retryAfterMs })),
    ...BOTH.map((refusedInVain) =>
      failed({ ...EVERY_ERROR.refused_block, block: { message: 1, block: 0 } }, { refusedInVain }),
    ),
    ...BOTH.map((asksForThinking) =>
      failed({ ...EVERY_ERROR.bad_request, rejects: 'thinking' }, { asksForThinking }),
    ),
  ].flatMap((facts): AttemptFacts[] => [facts, { ...facts, calls: 1 }, { ...facts, aborted: true }]),
);

function failed(error: ModelError, more: Partial<AttemptFacts> = {}): AttemptFacts {
  return { error, calls: 0, paused: false, empty: true, ...more };
}

function traceTo(nodes: readonly AttemptNode[], node: number): string[] {
  const foundBy = nodes[node]?.foundBy;
  return foundBy ? [...traceTo(nodes, foundBy.node), describeStep(foundBy.step)] : [];
}

function describeStep({ facts, decision }: AttemptStep): string {
  const words = [...Object.values(aspectsOfAttempt(facts)), ...(facts.aborted ? ['aborted'] : [])];
  return `attempt → ${words.join(', ')} → ${decision.do}`;
}
