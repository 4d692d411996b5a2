import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { PlainCount } from './scripts/vitest-plain-count.ts';

// Proofs (`*.proof.test.ts`) run in every test run with reduced counts; `npm run prove` asks for the full ones. The proof of
// the published packages has no smaller size: it waits for `prove`.
const proving = process.env['HEDDLE_PROVE'] === '1';

export default defineConfig({
  test: {
    include: proving
      ? ['packages/*/src/**/*.proof.test.ts', 'scripts/**/*.proof.test.ts']
      : ['packages/*/src/**/*.test.ts', 'scripts/**/!(*.proof).test.ts'],
    pool: 'forks',
    // One for each core; by default one core would be left idle, which on two is half of the machine.
    maxWorkers: availableParallelism(),
    globalSetup: ['scripts/vitest-shared-folder.ts'],
    testTimeout: proving ? 30 * 60_000 : 15_000,
    // The first to need the bundle builds it for all.
    hookTimeout: 60_000,
    passWithNoTests: proving,
    reporters: ['default', new PlainCount()],
  },
});
