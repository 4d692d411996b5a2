import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { EVENT_DEADLINE_MS, HOOK_DEADLINE_MS, PROOF_DEADLINE_MS, TEST_DEADLINE_MS } from '@heddle/testing';
import { LongestFirst } from './scripts/vitest-longest-first.ts';
import { PlainCount } from './scripts/vitest-plain-count.ts';

// Proofs (`*.proof.test.ts`) run in every test run with reduced counts; `npm run prove` asks for the full ones. The proof of
// the published packages has no smaller size: it waits for `prove`.
const proving = process.env['HEDDLE_PROVE'] === '1';

/**
 * Files that need a process of their own, because they measure its memory. All others share one process per worker: loading
 * the same modules again for each file would take a third of the time. A test restores what it changes in its process.
 */
const ALONE = ['packages/mcp/src/servers/misbehaving.test.ts', 'packages/tools/src/read/read.test.ts'];

const tests = proving
  ? ['packages/*/src/**/*.proof.test.ts', 'scripts/**/*.proof.test.ts']
  : ['packages/*/src/**/*.test.ts', 'scripts/**/!(*.proof).test.ts'];

export default defineConfig({
  test: {
    pool: 'forks',
    // Node loads the sources itself. With the module runner of Vite, a run takes a tenth more processor time.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // One more than cores: tests of programs and terminals spend a fifth of their time waiting for them.
    maxWorkers: availableParallelism() + 1,
    globalSetup: ['scripts/vitest-shared-folder.ts'],
    testTimeout: proving ? PROOF_DEADLINE_MS : TEST_DEADLINE_MS,
    hookTimeout: HOOK_DEADLINE_MS,
    expect: { poll: { timeout: EVENT_DEADLINE_MS } },
    passWithNoTests: proving,
    reporters: ['default', new PlainCount()],
    sequence: { sequencer: LongestFirst },
    projects: [
      { extends: true, test: { name: 'alone', include: proving ? [] : ALONE } },
      { extends: true, test: { name: 'shared', isolate: proving, include: tests, exclude: ALONE } },
    ],
  },
});
