/**
 * Questions about all paths of a graph: is there a circle, and how often can something happen on one path?
 */
import { type Graph, stepsTo } from './graph.ts';

/**
 * Returns the shortest path into a circle without marked steps, and the circle. Undefined if there is
 * none.
 */
export function findCircle(graph: Graph, without: number): { way: number[]; circle: number[] } | undefined {
  for (const state of onOrAfterCircles(graph, without)) {
    const circle = shortestWay(graph, state, state, without);
    if (circle !== undefined) return { way: stepsTo(graph, state), circle };
  }
  return undefined;
}

export interface Counting {
  /** Steps with one of these marks are counted… */
  readonly counts: number;
  /** …since the last step with one of these. */
  readonly resets: number;
}

/** Returns the highest count on any path, but at most `atMost` + 1, so that endless paths terminate. */
export function mostCounted(
  { turns, firstStep, to, marks }: Graph,
  { counts, resets }: Counting,
  atMost: number,
): number {
  const best = new Int32Array(turns.length).fill(-1);
  const work = [0];
  let most = 0;
  best[0] = 0;
  for (let state = work.pop(); state !== undefined; state = work.pop()) {
    for (let step = firstStep[state] ?? 0; step < (firstStep[state + 1] ?? 0); step += 1) {
      const mark = marks[step] ?? 0;
      const before = mark & resets ? 0 : (best[state] ?? 0);
      const count = Math.min(before + (mark & counts ? 1 : 0), atMost + 1);
      const target = to[step] ?? 0;
      if (count <= (best[target] ?? -1)) continue;
      best[target] = count;
      most = Math.max(most, count);
      work.push(target);
    }
  }
  return most;
}

/** Returns the shortest path whose count exceeds `atMost`. */
export function shortestExcess(graph: Graph, { counts, resets }: Counting, atMost: number): number[] {
  const { firstStep, to, marks } = graph;
  const layers = atMost + 2;
  const reachedBy = new Map<number, { step: number; before: number }>();
  const queue = [0];
  reachedBy.set(0, { step: -1, before: -1 });
  for (const place of queue) {
    const state = Math.floor(place / layers);
    for (let step = firstStep[state] ?? 0; step < (firstStep[state + 1] ?? 0); step += 1) {
      const mark = marks[step] ?? 0;
      const count = (mark & resets ? 0 : place % layers) + (mark & counts ? 1 : 0);
      const next = (to[step] ?? 0) * layers + count;
      if (reachedBy.has(next)) continue;
      reachedBy.set(next, { step, before: place });
      if (count > atMost) return wayBack(next, reachedBy);
      queue.push(next);
    }
  }
  return [];
}

/**
 * Returns the remaining states, nearest first, after repeated removal of every state without an incoming
 * step.
 */
function onOrAfterCircles({ turns, firstStep, to, marks }: Graph, without: number): number[] {
  const stepsInto = new Int32Array(turns.length);
  for (const [step, target] of to.entries()) {
    if (!((marks[step] ?? 0) & without)) stepsInto[target] = (stepsInto[target] ?? 0) + 1;
  }
  const states = Array.from(turns.keys());
  const free = states.filter((state) => stepsInto[state] === 0);
  for (const state of free) {
    for (let step = firstStep[state] ?? 0; step < (firstStep[state + 1] ?? 0); step += 1) {
      if ((marks[step] ?? 0) & without) continue;
      const target = to[step] ?? 0;
      const left = (stepsInto[target] ?? 0) - 1;
      stepsInto[target] = left;
      if (left === 0) free.push(target);
    }
  }
  return states.filter((state) => (stepsInto[state] ?? 0) > 0);
}

function shortestWay(
  { firstStep, to, marks }: Graph,
  from: number,
  goal: number,
  without: number,
): number[] | undefined {
  const reachedBy = new Map<number, { step: number; before: number }>();
  const queue = [from];
  for (const state of queue) {
    for (let step = firstStep[state] ?? 0; step < (firstStep[state + 1] ?? 0); step += 1) {
      if ((marks[step] ?? 0) & without) continue;
      const target = to[step] ?? 0;
      if (reachedBy.has(target)) continue;
      reachedBy.set(target, { step, before: state === from ? -1 : state });
      if (target === goal) return wayBack(goal, reachedBy);
      queue.push(target);
    }
  }
  return undefined;
}

function wayBack(goal: number, reachedBy: ReadonlyMap<number, { step: number; before: number }>): number[] {
  const steps: number[] = [];
  for (let at = reachedBy.get(goal); at !== undefined && at.step >= 0; at = reachedBy.get(at.before))
    steps.push(at.step);
  return steps.toReversed();
}
