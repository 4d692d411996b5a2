/** Runs a machine on one input and checks its output. */
import {
  type decide,
  type Decision,
  type Effect,
  type Step as FirstStep,
  TERMINAL_REASONS,
  TRANSITION_REASONS,
} from '@heddle/core';
import { isSameData } from './frozen.ts';

export type Machine = typeof decide;

export type Trial = { readonly decision: Decision } | { readonly fault: string };

/** The state and the event are deeply frozen, so a machine that changes them throws. */
export function tryOnce(machine: Machine, ...question: Parameters<Machine>): Trial {
  try {
    const decision = machine(...question);
    const fault = findDecisionFault(decision);
    return fault === undefined ? { decision } : { fault };
  } catch (error) {
    return { fault: `it throws: ${String(error)}` };
  }
}

/** The same input must give the same output. */
export function tryTwice(machine: Machine, ...question: Parameters<Machine>): Trial {
  const first = tryOnce(machine, ...question);
  const second = tryOnce(machine, ...question);
  return isSameData(first, second) ? first : { fault: 'it decides differently the second time' };
}

const EFFECTS: Readonly<Record<Effect['type'], true>> = {
  prepare: true,
  stream: true,
  drain: true,
  compact: true,
  run_tools: true,
  ask: true,
  attach: true,
  stop_hooks: true,
};
const FIRST_STEPS: Readonly<Record<FirstStep['type'], true>> = {
  close_open_calls: true,
  drop_unfinished: true,
  keep_partial: true,
  keep_interrupted: true,
  tombstone_attempt: true,
  release: true,
  fire_stop_failure: true,
  notify: true,
};
const TRANSITIONS: ReadonlySet<string> = new Set(TRANSITION_REASONS);
const TERMINALS: ReadonlySet<string> = new Set(TERMINAL_REASONS);
const STATE_FIELDS = 10;
const LEDGER_FIELDS = 6;

/** Returns the problem with the decision, or undefined if it is well formed. */
/** Checks that a value is a decision. The compiler guarantees it for the shipped machine, but not for a mutant. */
function findDecisionFault(decision: Decision): string | undefined {
  const { loop, first } = decision;
  if (!first.every((step) => Object.hasOwn(FIRST_STEPS, step.type))) return 'its first steps are unknown';
  if (Object.keys(loop.state).length !== STATE_FIELDS) return 'its State does not have ten fields';
  if (Object.keys(loop.ledger).length !== LEDGER_FIELDS) return 'its Ledger does not have six fields';
  switch (decision.kind) {
    case 'do':
      return Object.hasOwn(EFFECTS, decision.effect.type) ? undefined : 'its effect is unknown';
    case 'continue':
      return TRANSITIONS.has(loop.state.transition?.reason ?? '')
        ? undefined
        : 'it continues without a known reason';
    case 'stop':
      return TERMINALS.has(decision.terminal.reason) ? undefined : 'it stops without a known reason';
    default:
      return 'it is of no known kind';
  }
}
