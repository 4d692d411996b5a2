/** A worker of the search for scripts with effects: one share of the scripts, in a scratch project of its own. */
import { parentPort } from 'node:worker_threads';
import { findEffects } from './bash-fuzzer/find-effects.ts';
import { createScratch } from './bash-fuzzer/scratch-container.ts';

const [seed = Number.NaN, decided = 0, executedShare = 0] = process.argv.slice(2).map(Number);
const scratch = createScratch();
try {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a port of a worker thread has no origin
  parentPort?.postMessage(await findEffects({ seed, decided, executedShare, scratch }));
} finally {
  scratch.remove();
}
