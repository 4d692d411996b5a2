import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { EVENT_DEADLINE_MS, HOOK_DEADLINE_MS, TEST_DEADLINE_MS } from '@heddle/testing';
import { PlainCount } from './scripts/vitest-plain-count.ts';

// Proofs (`*.proof.test.ts`) run in every test run with reduced counts; `npm run prove` asks for the full ones. The proof of
// the published packages has no smaller size: it waits for `prove`.
const proving = process.env['HEDDLE_PROVE'] === '1';

/** Packages whose tests share one process per worker: they keep no state outside of a test, and loading them costs most. */
const SHARED = '{core,context,testing}';

const testsIn = (packages: string): string[] => [
  proving ? `packages/${packages}/src/**/*.proof.test.ts` : `packages/${packages}/src/**/*.test.ts`,
];
const scripts = proving ? 'scripts/**/*.proof.test.ts' : 'scripts/**/!(*.proof).test.ts';

export default defineConfig({
  test: {
    pool: 'forks',
    // One for each core; by default one core would be left idle, which on two is half of the machine.
    maxWorkers: availableParallelism(),
    globalSetup: ['scripts/vitest-shared-folder.ts'],
    testTimeout: proving ? 30 * 60_000 : TEST_DEADLINE_MS,
    hookTimeout: HOOK_DEADLINE_MS,
    expect: { poll: { timeout: EVENT_DEADLINE_MS } },
    passWithNoTests: proving,
    reporters: ['default', new PlainCount()],
    projects: [
      { extends: true, test: { name: 'shared', isolate: false, include: testsIn(SHARED) } },
      {
        extends: true,
        test: { name: 'isolated', include: [...testsIn('*'), scripts], exclude: [`packages/${SHARED}/**`] },
      },
    ],
  },
});
