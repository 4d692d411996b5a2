/** Every reachable abstract state and every step between two of them, small enough for millions. */
import type { LoopState } from '@heddle/core';
import type { Scenario } from './scenario.ts';
import { describeEvent, describePending } from './words.ts';
import { type Pending, possibleEvents } from './world.ts';

export interface Graph {
  readonly scenario: Scenario;
  /** By number of the state, in the order of their distance from the beginning: state 0 is the first iteration's. */
  readonly turns: readonly LoopState[];
  readonly pendings: readonly Pending[];
  /** The steps of state `n` are numbered `firstStep[n]` up to `firstStep[n + 1]`. Steps to a terminal are not among them. */
  readonly firstStep: readonly number[];
  readonly to: readonly number[];
  readonly marks: readonly number[];
  /** Which of the possible events took the step. */
  readonly event: readonly number[];
  /** The first step that led to a state; -1 for state 0. */
  readonly foundBy: readonly number[];
}

/** The step that comes from where? By bisection: the steps of a state lie side by side. */
function fromOf({ firstStep }: Graph, step: number): number {
  let low = 0;
  let high = firstStep.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((firstStep[middle] ?? 0) <= step) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** The shortest way to a state. */
export function stepsTo(graph: Graph, state: number): number[] {
  const steps: number[] = [];
  for (let step = graph.foundBy[state] ?? -1; step >= 0; step = graph.foundBy[fromOf(graph, step)] ?? -1)
    steps.push(step);
  return steps.toReversed();
}

/** One line for each effect that was performed, with what came back. That an iteration begins goes without saying. */
export function traceOf(graph: Graph, steps: readonly number[]): string[] {
  return steps.flatMap((step) => {
    const from = fromOf(graph, step);
    const turn = graph.turns[from];
    const pending = graph.pendings[from];
    if (turn === undefined || pending === undefined || pending.type === 'begin') return [];
    const happened = possibleEvents(turn, pending, graph.scenario)[graph.event[step] ?? 0];
    return happened ? [`${describePending(pending)} → ${describeEvent(happened)}`] : [];
  });
}
