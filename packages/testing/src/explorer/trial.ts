/** Runs a machine on one input and checks its output. */
import type { Decision, decide } from '@heddle/core';
import { isSameData } from './frozen.ts';
import { findDecisionFault } from './well-formed.ts';

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
