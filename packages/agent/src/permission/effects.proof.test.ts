/**
 * No script that is allowed because it only reads has an effect. The scripts come from a grammar of their own; those that are
 * allowed run in a scratch container, not in the read-only view: the proof itself is under test.
 */
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterAll, describe, expect, it } from 'vitest';
import { createReadOnlyView } from '../sandbox/view/view.ts';
import type { Found } from './test/bash-fuzzer/find-effects.ts';
import { createScratch } from './test/bash-fuzzer/scratch-container.ts';

const proving = process.env['HEDDLE_PROVE'] === '1';
const DECIDED = proving ? 1_000_000 : 1_000;
const LEAST_EXECUTED = DECIDED / 20;
/** A little more than the least: scripts that are made twice are executed once. */
const EXECUTED_SHARE = 1 / 16;
const WORKERS = availableParallelism();
const seed = Number(process.env['HEDDLE_SEED'] ?? 20_261_115);

const hasContainers = process.platform === 'linux' && (await createReadOnlyView().readiness()).ready;
const scratch = createScratch();
afterAll(() => scratch.remove());

/** One share of the scripts, each with a seed of its own, on a core of its own. Rejects if the worker fails. */
async function searchShare(index: number): Promise<Found> {
  const argv = [seed + index, Math.ceil(DECIDED / WORKERS), EXECUTED_SHARE];
  const worker = new Worker(path.join(import.meta.dirname, 'test/run-search.ts'), { argv });
  try {
    const [found]: unknown[] = await once(worker, 'message');
    if (!isFound(found)) throw new Error('The worker sent something else than its findings.');
    return found;
  } finally {
    await worker.terminate();
  }
}

function isFound(sent: unknown): sent is Found {
  return typeof sent === 'object' && sent !== null && 'executed' in sent && 'effects' in sent;
}

describe.runIf(hasContainers)('scripts that are allowed because they only read', () => {
  it(`have no effect, among ${DECIDED} random ones (seed ${seed})`, async () => {
    const found = await Promise.all(Array.from({ length: WORKERS }, (_, index) => searchShare(index)));
    const effects = found.flatMap((share) => share.effects);
    const executed = found.reduce((sum, share) => sum + share.executed, 0);
    expect(effects).toEqual([]);
    expect(executed).toBeGreaterThan(LEAST_EXECUTED);
    process.stdout.write(`Executed ${executed} of ${DECIDED} scripts.\n`);
  });

  it('are reported if one of them has an effect', async () => {
    const effects = new Map<string, string | undefined>([
      ['ls; git status', undefined],
      ['touch MARK', 'changed'],
      ['echo >> a', 'changed'],
      ['touch ~/MARK', 'changed'],
      ['touch /tmp/MARK', 'made /tmp/MARK'],
      ['git branch MARK', 'changed'],
      ['kill -9 $PPID', 'the end of its container'],
      ['cat < /dev/tcp/127.0.0.1/7777', 'a connection'],
      ['setsid sleep 60', 'a process: sleep'],
      ['cat a', undefined],
    ]);
    const seen = await scratch.run([...effects.keys()]);
    for (const [index, effect] of [...effects.values()].entries()) {
      if (effect === undefined) expect(seen[index]).toBeUndefined();
      else expect(seen[index] ?? 'none').toContain(effect);
    }
  });
});
