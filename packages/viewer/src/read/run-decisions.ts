/** Replays a run of a log through the machine, iteration by iteration. */
import {
  describeDecision,
  describeEvent,
  describeGuard,
  describeState,
  findSettings,
} from '@heddle/agent/sessions';
import {
  type Decision,
  type EntryBody,
  type RecordedRun,
  recordedRuns,
  traceIterations,
  type TracedIteration,
} from '@heddle/core';
import type { DecidedIteration, DecisionStep, RunDecisions } from '../model/decisions.ts';
import { smallEntry } from './small-entry.ts';
import type { SessionIndex } from './session-index.ts';

/** The line of each entry. */
export type EntryLines = WeakMap<EntryBody, number>;

/** The decisions of every run, for an export. */
export function allDecisions(index: SessionIndex): RunDecisions[] {
  const lines: EntryLines = new WeakMap();
  const entries: EntryBody[] = [];
  for (const { line, decoded } of index.lines(0)) {
    if (decoded.kind !== 'entry') continue;
    const small = smallEntry(decoded.entry);
    lines.set(small, line);
    entries.push(small);
  }
  return [...recordedRuns(entries)].map((recorded, run) => {
    const { settings, iterations } = decisionsOf(recorded, lines);
    const decided = [...iterations];
    return {
      run,
      settings,
      steps: decided.flatMap(({ steps }) => steps),
      iterations: decided.map(({ iteration }) => iteration),
    };
  });
}

interface ReplayedIteration {
  readonly iteration: DecidedIteration;
  readonly steps: readonly DecisionStep[];
}

/** `iterations` yields each iteration when it is asked for, so that a long run need not be in memory. */
export function decisionsOf(
  recorded: RecordedRun,
  lines: EntryLines,
): { readonly settings: string; readonly iterations: Iterable<ReplayedIteration> } {
  const { settings, config } = findSettings(recorded);
  return { settings, iterations: replayed(traceIterations(recorded, config), lines) };
}

function* replayed(traced: Iterable<TracedIteration>, lines: EntryLines): Generator<ReplayedIteration> {
  let iteration = 0;
  for (const one of traced) {
    const { verdict, recorded } = one;
    const stored = recorded.entries.map((entry) => ({ line: lines.get(entry) ?? 0, text: entryText(entry) }));
    iteration++;
    yield { iteration: { iteration, verdict, stored }, steps: stepsOf(one, iteration) };
  }
}

function stepsOf({ steps, recorded }: TracedIteration, iteration: number): DecisionStep[] {
  const tools = recorded.entries.flatMap((entry) => (entry.type === 'intent' ? [entry.tool] : []));
  let effect = 'begin';
  return steps.map(({ loop, event, guards, decision }) => {
    const step: DecisionStep = {
      iteration,
      effect,
      event: describeEvent(event, tools),
      guards: guards.map((one) => ({ name: one.guard, answer: one.answer, text: describeGuard(one) })),
      decision: describeDecision(decision),
      next: nextOf(decision),
      state: describeState(loop),
    };
    if (decision.kind === 'do') effect = decision.effect.type;
    return step;
  });
}

function nextOf(decision: Decision): DecisionStep['next'] {
  switch (decision.kind) {
    case 'do':
      return { kind: 'do', name: decision.effect.type };
    case 'continue':
      return { kind: 'continue', name: decision.transition.reason };
    case 'stop':
      return { kind: 'stop', name: decision.terminal.reason };
  }
}

function entryText(entry: EntryBody): string {
  switch (entry.type) {
    case 'intent':
      return `intent ${entry.tool}`;
    case 'outcome':
      return entry.isError ? 'outcome: error' : 'outcome';
    case 'transition':
      return `transition ${entry.transition.reason}`;
    case 'end':
      return `end ${entry.terminal.reason}`;
    case 'context':
      return `context ${entry.report.level}`;
    default:
      return entry.type;
  }
}
