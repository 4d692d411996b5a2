// Ends a test run with one plain line, `812 passed, 0 failed`, for programs that read the result.
import type { Reporter, TestModule } from 'vitest/node';

type RunErrors = Parameters<NonNullable<Reporter['onTestRunEnd']>>[1];

export class PlainCount implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], runErrors: RunErrors): void {
    const { passed, failed } = countResults(modules);
    console.log(`${passed} passed, ${failed + runErrors.length} failed`);
  }
}

/** A file or suite that fails outside any test (at import, in a hook) counts as one failure, so it cannot hide. */
function countResults(modules: readonly TestModule[]): { passed: number; failed: number } {
  let passed = 0;
  let failed = 0;
  for (const module of modules) {
    failed += module.errors().length;
    for (const suite of module.children.allSuites()) failed += suite.errors().length;
    for (const test of module.children.allTests()) {
      const { state } = test.result();
      if (state === 'passed') passed += 1;
      if (state === 'failed') failed += 1;
    }
  }
  return { passed, failed };
}
