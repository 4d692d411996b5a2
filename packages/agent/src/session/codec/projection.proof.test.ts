/**
 * Invariant I5 and the core of I6 over random runs: the log's projection contains nothing that was retracted, and
 * equals what the loop sends.
 */
import { anyPlan, checkProjection, playRun, readRun, storyOf } from '@heddle/testing/properties';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { entriesOf } from './entries.ts';

const PROVING = process.env['HEDDLE_PROVE'] === '1';
const RUNS = PROVING ? 20_000 : 300;
const SEED = Number(process.env['HEDDLE_SEED'] ?? 2);

it('a session resumed at any request would send that request', async () => {
  let requests = 0;
  await fc.assert(
    fc.asyncProperty(anyPlan, async (plan) => {
      const run = await playRun(plan);
      requests += run.hits.requests;
      const complaints = checkProjection(readRun(run), entriesOf);
      if (complaints.length > 0) throw new Error(`${complaints.join('\n')}\n${storyOf(run)}`);
    }),
    { numRuns: RUNS, seed: SEED },
  );
  expect(requests).toBeGreaterThan(RUNS);
});
