/** Every reachable abstract state and every step between two of them, small enough for millions. */
import type { LoopState } from '@heddle/core';
import type { Scenario } from './scenario.ts';
import { describeMachineEvent, describePending } from './describe-step.ts';
import { type Pending, possibleEvents } from './world.ts';

export interface Graph {
  readonly scenario: Scenario;
  /** By number, in the order of distance from the start. State 0 is that of the first iteration. */
  readonly turns: readonly LoopState[];
  readonly pendings: readonly Pending[];
  /** The steps of state `n` are numbered `firstStep[n]` up to `firstStep[n + 1]`. Steps to a terminal are not among them. */
  readonly firstStep: readonly number[];
  readonly to: readonly number[];
  readonly marks: readonly number[];
  /** The index of the event that took the step. */
  readonly eventIndex: readonly number[];
  /** The first step that led to a state; -1 for state 0. */
  readonly foundBy: readonly number[];
}

/** Finds the source state of a step by bisection: the steps of a state are adjacent. */
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

/** Returns the shortest path to a state. */
export function stepsTo(graph: Graph, state: number): number[] {
  const steps: number[] = [];
  for (let step = graph.foundBy[state] ?? -1; step >= 0; step = graph.foundBy[fromOf(graph, step)] ?? -1)
    steps.push(step);
  return steps.toReversed();
}

/** One line per performed effect with its outcome. The start of an iteration is omitted. */
export function traceOf(graph: Graph, steps: readonly number[]): string[] {
  return steps.flatMap((step) => {
    const from = fromOf(graph, step);
    const loop = graph.turns[from];
    const pending = graph.pendings[from];
    if (loop === undefined || pending === undefined || pending.type === 'begin') return [];
    const event = possibleEvents(loop, pending, graph.scenario)[graph.eventIndex[step] ?? 0];
    return event ? [`${describePending(pending)} → ${describeMachineEvent(event)}`] : [];
  });
}
