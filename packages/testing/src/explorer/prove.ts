/** Walks scenarios one after the other and collects the results. */
import { explore, type Exploration, type ExploreOptions } from './explore.ts';
import { mostOnAnyPath, pathViolations } from './laws/path-laws.ts';
import type { Scenario } from './scenario.ts';

export interface Proof extends Omit<Exploration, 'graph'> {
  readonly scenario: string;
  /** The use of each bound on the worst path. */
  readonly most: ReturnType<typeof mostOnAnyPath>;
}

export function prove(scenario: Scenario, options: ExploreOptions = {}): Proof {
  const { graph, violations, ...figures } = explore(scenario, options);
  return {
    ...figures,
    scenario: scenario.name,
    most: mostOnAnyPath(graph),
    violations: [...violations, ...pathViolations(graph)],
  };
}

/** One line for each scenario and one for all. */
export function describeProofs(proofs: readonly Proof[]): string {
  const width = Math.max(5, ...proofs.map(({ scenario }) => scenario.length));
  const line = (name: string, states: number, steps: number, misfits: number) =>
    `${name.padEnd(width)} ${figure(states)} states ${figure(steps)} edges ${figure(misfits)} misfits`;
  const sum = (read: (proof: Proof) => number) => proofs.reduce((total, proof) => total + read(proof), 0);
  return [
    ...proofs.map(({ scenario, states, steps, misfits }) => line(scenario, states, steps, misfits)),
    line(
      'total',
      sum(({ states }) => states),
      sum(({ steps }) => steps),
      sum(({ misfits }) => misfits),
    ),
  ].join('\n');
}

function figure(count: number): string {
  return String(count)
    .replaceAll(/\B(?=(\d{3})+$)/g, ',')
    .padStart(12);
}
