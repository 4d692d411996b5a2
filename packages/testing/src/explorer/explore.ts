/**
 * The walk: every reachable abstract state of the machine with every possible event, nearest states first,
 * so that the path to each state is the shortest.
 */
import {
  decide,
  type Decision,
  initialLoopState,
  GUARDS,
  type Guards,
  type MachineEvent,
  type LoopState,
} from '@heddle/core';
import { keyOf, turnKey } from './abstraction.ts';
import { deepFreeze, isSameData } from './frozen.ts';
import { type Graph, stepsTo, traceOf } from './graph.ts';
import { STEP_LAWS, type StepLaw } from './laws/step-laws.ts';
import type { Scenario } from './scenario.ts';
import { marksOf, type ExploredStep } from './step.ts';
import { type Machine, tryOnce, tryTwice } from './trial.ts';
import type { LawViolation } from './violation.ts';
import { describeMachineDecision, describeMachineEvent, describePending } from './describe-step.ts';
import { EVERY_PENDING, type Pending, possibleEvents } from './world.ts';

export interface ExploreOptions {
  /** The shipped machine, unless another one is tested. */
  readonly machine?: Machine;
  readonly guards?: Guards;
  readonly laws?: readonly StepLaw[];
  /** Called for every step, including steps to a terminal. */
  readonly onStep?: (step: ExploredStep) => void;
  /** Compares states that the abstraction treats as equal, and reports differences. */
  readonly doubtAbstraction?: boolean;
}

export interface Exploration {
  readonly graph: Graph;
  readonly states: number;
  /** Pairs of a state and a fitting event: all were decided. */
  readonly steps: number;
  /** Pairs of a state and an event that cannot occur then: also decided, without an exception. */
  readonly misfits: number;
  /** States that were compared with another one of the same key. */
  readonly compared: number;
  readonly transitions: ReadonlySet<string>;
  readonly terminals: ReadonlySet<string>;
  /** At most one for each law. */
  readonly violations: readonly LawViolation[];
}

const TOTAL = 'every pair of a state and an event is handled';
const ALIKE = 'states with one key behave alike';

export function explore(scenario: Scenario, options: ExploreOptions = {}): Exploration {
  const { machine = decide, guards = GUARDS, laws = STEP_LAWS, onStep, doubtAbstraction = false } = options;
  const config = deepFreeze(scenario.config);
  const numbers = new Map<string, number>();
  const knownTurns = new Set<string>();
  const compared = new Set<number>();
  const violations = new Map<string, LawViolation>();
  const transitions = new Set<string>();
  const terminals = new Set<string>();
  const turns: LoopState[] = [];
  const pendings: Pending[] = [];
  const foundBy: number[] = [];
  const firstStep: number[] = [0];
  const to: number[] = [];
  const marks: number[] = [];
  const eventIndex: number[] = [];
  const graph: Graph = { scenario, turns, pendings, firstStep, to, marks, eventIndex, foundBy };
  let steps = 0;
  let misfits = 0;

  enter(initialLoopState({ startedAt: 0 }), BEGIN);
  for (const [state, loop] of turns.entries()) {
    const pending = pendings[state] ?? BEGIN;
    for (const [number, event] of possibleEvents(loop, pending, scenario).entries()) {
      take(state, number, { loop, pending, event });
    }
    firstStep.push(to.length);
    meetMisfits(state, loop, pending);
  }
  return {
    graph,
    states: turns.length,
    steps,
    misfits,
    compared: compared.size,
    transitions,
    terminals,
    violations: [...violations.values()],
  };

  function take(state: number, number: number, given: Given): void {
    steps += 1;
    const trial = tryTwice(machine, given.loop, given.event, config, guards);
    if ('fault' in trial) return report(TOTAL, trial.fault, state, given);
    const { decision } = trial;
    const step: ExploredStep = { ...given, scenario, decision };
    for (const law of laws) {
      const complaint = law.complaint(step);
      if (complaint !== undefined) report(law.name, complaint, state, given, decision);
    }
    onStep?.(step);
    if (decision.kind === 'continue') transitions.add(decision.loop.state.transition?.reason ?? '');
    if (decision.kind === 'stop') terminals.add(decision.terminal.reason);
    else connect(state, number, enter(decision.loop, pendingAfter(decision)), marksOf(step));
  }

  /** Returns the number of the state, a new one if its key is new. */
  function enter(loop: LoopState, pending: Pending): number {
    const key = keyOf(loop, pending, scenario);
    const known = numbers.get(key);
    if (known !== undefined) {
      if (doubtAbstraction) compare(known, loop, pending);
      return known;
    }
    numbers.set(key, turns.length);
    foundBy.push(turns.length === 0 ? -1 : to.length);
    turns.push(deepFreeze(loop));
    pendings.push(deepFreeze(pending));
    return turns.length - 1;
  }

  /** Many events take the same step. One of them is kept. */
  function connect(state: number, number: number, target: number, mark: number): void {
    for (let step = firstStep[state] ?? 0; step < to.length; step += 1) {
      if (to[step] === target && marks[step] === mark) return;
    }
    to.push(target);
    marks.push(mark);
    eventIndex.push(number);
  }

  /** Events that do not fit the pending effect must not cause an exception either. Once per state. */
  function meetMisfits(state: number, loop: LoopState, pending: Pending): void {
    const key = turnKey(loop, scenario);
    if (knownTurns.has(key)) return;
    knownTurns.add(key);
    for (const other of EVERY_PENDING) {
      if (other.type === pending.type) continue;
      for (const event of possibleEvents(loop, other, scenario)) {
        const trial = tryOnce(machine, loop, event, config, guards);
        if ('fault' in trial) report(TOTAL, trial.fault, state, { loop, pending, event });
        misfits += 1;
      }
    }
  }

  /** Once per state, with the first other state of the same key. */
  function compare(known: number, stranger: LoopState, pending: Pending): void {
    const loop = turns[known];
    if (loop === undefined || compared.has(known) || isSameData(loop, stranger)) return;
    compared.add(known);
    const theirs = possibleEvents(deepFreeze(stranger), pending, scenario);
    for (const [number, event] of possibleEvents(loop, pending, scenario).entries()) {
      const here = outcomeOf(loop, event);
      const there = outcomeOf(stranger, theirs[number] ?? event);
      if (here !== there)
        report(ALIKE, `'${here}' here and '${there}' there`, known, { loop, pending, event });
    }
  }

  function outcomeOf(loop: LoopState, event: MachineEvent): string {
    const trial = tryOnce(machine, loop, event, config, guards);
    if ('fault' in trial) return trial.fault;
    const { decision } = trial;
    if (decision.kind === 'stop') return `stop ${decision.terminal.reason}`;
    return keyOf(decision.loop, pendingAfter(decision), scenario);
  }

  function report(law: string, message: string, state: number, given: Given, decision?: Decision): void {
    if (violations.has(law)) return;
    const next = decision ? ` → ${describeMachineDecision(decision)}` : '';
    const last = `${describePending(given.pending)} → ${describeMachineEvent(given.event)}${next}`;
    const trace = [...traceOf(graph, stepsTo(graph, state)), last];
    violations.set(law, { law, scenario: scenario.name, message, trace });
  }
}

type Given = Pick<ExploredStep, 'loop' | 'pending' | 'event'>;

const BEGIN: Pending = { type: 'begin' };

function pendingAfter(decision: Exclude<Decision, { kind: 'stop' }>): Pending {
  return decision.kind === 'do' ? decision.effect : BEGIN;
}
