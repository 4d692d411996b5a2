import { anyPlan, complaintsAbout, Hits, playRun, storyOf } from '@heddle/testing/properties';
import fc from 'fast-check';
import { expect, it } from 'vitest';

const RUNS = Number(process.env['RUNS'] ?? 1000);
it('every run keeps the invariants', async () => {
  const hits = new Hits();
  await fc.assert(
    fc.asyncProperty(anyPlan, async (plan) => {
      const run = await playRun(plan);
      hits.add(run.hits.counts());
      const complaints = complaintsAbout(run);
      if (complaints.length > 0) throw new Error(`${complaints.join('\n')}\n${storyOf(run)}`);
    }),
    { numRuns: RUNS, seed: Number(process.env['SEED'] ?? 1) },
  );
  console.log(hits.table());
  expect(hits.missed()).toEqual([]);
}, 6_000_000);
