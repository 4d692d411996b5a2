/**
 * Orders the test files. Files that start programs run before all others: starting one copies the page tables of the worker,
 * which takes 3 ms in a new worker and 19 ms in one of 800 MB. In both groups the longest files run first, so that no worker
 * runs one alone at the end. Vitest knows the durations of its last run; in a new checkout it takes the larger files first, and
 * these are long but small.
 */
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const LONG = [
  'viewer/src/page.test.ts',
  'cli/src/docs/documentation.test.ts',
  'cli/src/conversation/asking.test.ts',
  'cli/src/fleet/fleet.test.ts',
  'cli/src/mcp/mcp.test.ts',
  'agent/src/permission/needless.test.ts',
  'fleet/src/scenes.test.ts',
  'testing/src/explorer/explorer.test.ts',
  'cli/src/test/crash/crash.proof.test.ts',
  'mcp/src/servers/misbehaving.test.ts',
  'agent/src/permission/commands.test.ts',
  'cli/src/conversation/conversation.test.ts',
  'agent/src/permission/properties.test.ts',
  'cli/src/permissions/hostile-git.test.ts',
  'cli/src/terminals.test.ts',
  'agent/src/sandbox/running.test.ts',
  'cli/src/poison.test.ts',
  'agent/src/permission/effects.proof.test.ts',
  'testing/src/explorer/explorer.proof.test.ts',
  'scripts/print-diagram.test.ts',
  'cli/src/start/view.test.ts',
  'cli/src/diagnostics.test.ts',
  'fleet/src/fleet.test.ts',
  'cli/src/test/crash/full-disk.proof.test.ts',
  'core/src/loop/mutants.proof.test.ts',
  'core/src/loop/properties.proof.test.ts',
  'agent/src/documentation.test.ts',
  'mcp/src/servers/servers.test.ts',
  'fleet/src/kill.proof.test.ts',
];

/** Folders whose tests start most of the programs. */
const STARTS_PROGRAMS =
  /\/packages\/(cli|fleet|mcp|agent\/src\/(sandbox|hooks|engine|subagents|teams)|tools\/src\/(tasks|bash|grep|git|shell|files))\//;

/** Files among them after which a worker is 70 to 540 MB larger. They run after the others. */
const LARGE = [
  'cli/src/headless/host/lost-host.test.ts',
  'cli/src/view/live-view.test.ts',
  'tools/src/grep/bad-input.test.ts',
];

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((one, other) => rankOf(one) - rankOf(other));
  }
}

function rankOf({ moduleId }: TestSpecification): number {
  const isIn = (names: readonly string[]): boolean => names.some((name) => moduleId.endsWith(`/${name}`));
  if (!STARTS_PROGRAMS.test(moduleId)) return isIn(LONG) ? 3 : 4;
  if (isIn(LARGE)) return 2;
  return isIn(LONG) ? 0 : 1;
}
