/**
 * Checks the invariants of the loop in random runs: faults at every port, aborts at every await, tools that fail, hang or ignore
 * their signal. The checks read one log and share no code with the loop. A failing run is reduced to a minimal one and
 * printed line by line.
 */
import { anyPlan, complaintsAbout, Hits, playRun, storyOf } from '@heddle/testing/properties';
import fc from 'fast-check';
import { expect, it } from 'vitest';

const PROVING = process.env['HEDDLE_PROVE'] === '1';
const RUNS = PROVING ? 100_000 : 500;
/** The seed is fixed, so every run tests the same cases. */
const SEED = Number(process.env['HEDDLE_SEED'] ?? 1);

it(`keeps its invariants in ${RUNS} random runs`, async () => {
  const hits = new Hits();
  await fc.assert(
    fc.asyncProperty(anyPlan, async (plan) => {
      const run = await playRun(plan);
      hits.add(run.hits.counts());
      const complaints = complaintsAbout(run);
      if (complaints.length > 0) throw new Error(`${complaints.join('\n')}\n${storyOf(run)}`);
    }),
    { numRuns: RUNS, seed: SEED },
  );
  console.log(hits.table());
  expect(hits.missed()).toEqual([]);
});
