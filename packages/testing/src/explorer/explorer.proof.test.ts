/**
 * Walks the machine with the shipped counts in every configuration, or in a few of them without the full
 * proof.
 */
import { describe, expect, it } from 'vitest';
import {
  describeProofs,
  describeViolation,
  everyCombination,
  type Proof,
  prove,
  REAL_SCENARIOS,
  type Route,
  routesOf,
  SKETCHES,
  SMALL_SCENARIOS,
} from './index.ts';

const proving = process.env['HEDDLE_PROVE'] === '1';
const combinations = everyCombination();

describe('the shipped machine, walked with the counts that ship', () => {
  const walked: Proof[] = [];
  const few = new Set(['no recovery at all', 'no repetition detector']);
  const scenarios = proving ? REAL_SCENARIOS : REAL_SCENARIOS.filter(({ name }) => few.has(name));

  it.each(scenarios)('keeps every law: $name', (one) => {
    const proof = prove(one);
    walked.push(proof);
    expect(proof.violations.map(describeViolation)).toEqual([]);
  });

  it('makes at most seven calls between two good answers, and blocks at most eight times', () => {
    console.log(describeProofs(walked));
    const worst = new Map(walked.flatMap(({ most }) => most.map((one) => [one.name, one.most])));
    for (const { name, most } of walked.flatMap((proof) => proof.most)) {
      worst.set(name, Math.max(worst.get(name) ?? 0, most));
    }
    expect(worst.get('model calls between two good answers')).toBe(7);
    expect(worst.get('resumptions between two good answers')).toBe(3);
    expect(worst.get('hook blocks in a run')).toBe(8);
  });
});

describe('the shipped machine, walked in every combination of what it reads', () => {
  const scenarios = proving ? combinations : combinations.filter((_, at) => at % 193 === 0);

  it(`keeps every law in ${scenarios.length} configurations`, () => {
    const proofs = scenarios.map((one) => prove(one));
    console.log(describeProofs(proofs).split('\n').slice(-1).join('\n'));
    expect(proofs.flatMap(({ violations }) => violations.map(describeViolation))).toEqual([]);
  });

  it('gives each combination a name of its own', () => {
    expect(new Set(combinations.map(({ name }) => name)).size).toBe(576);
  });
});

describe('the states that the walk takes for one', () => {
  const scenarios = proving ? SMALL_SCENARIOS : SMALL_SCENARIOS.slice(5, 7);

  it.each(scenarios)('behave alike: $name', (one) => {
    const { violations } = prove(one, { doubtAbstraction: true });
    expect(violations.map(describeViolation)).toEqual([]);
  });
});

describe('the sketches from which the machine is drawn', () => {
  const scenarios = proving ? SMALL_SCENARIOS : SMALL_SCENARIOS.slice(0, 8);

  it('show every route that is taken anywhere', () => {
    const shown = new Set(routesOf(SKETCHES).map(nameOf));
    expect(
      routesOf(scenarios)
        .map(nameOf)
        .filter((pipeline) => !shown.has(pipeline)),
    ).toEqual([]);
  });

  function nameOf({ from, on, aborted, to }: Route): string {
    return [from, on, aborted ? 'aborted' : '', to.kind, to.name].join(' ');
  }
});
