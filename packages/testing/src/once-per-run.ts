/** Results that one process of a test run makes and all of them share. They are in the folder of the run, and end with it. */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, renameSync, symlinkSync, watch } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { HOOK_DEADLINE_MS } from './deadlines.ts';

const repository = path.resolve(import.meta.dirname, '../../..');

/**
 * Returns a folder that exists once per test run.
 *
 * Contract: of all processes that ask for the name, one fills the folder, and the others wait for it.
 */
export async function oncePerRun(name: string, fill: (folder: string) => Promise<unknown>): Promise<string> {
  const run = process.env['HEDDLE_TEST_FOLDER'];
  if (run === undefined)
    throw new Error('HEDDLE_TEST_FOLDER is not set. Run the tests with vitest.config.ts.');
  const folder = path.join(run, name);
  if (existsSync(folder)) return folder;
  // The folder has a temporary name until it is complete.
  const unfinished = `${folder}.new`;
  if (isFirst(unfinished)) {
    await fill(unfinished);
    renameSync(unfinished, folder);
  } else {
    await untilExists(folder);
  }
  return folder;
}

/** Bundles a script that tests start in many processes. Each loads one file then, instead of hundreds. Returns the file. */
export async function bundledScript(script: string): Promise<string> {
  const name = path.basename(script, '.ts');
  const folder = await oncePerRun(name, async (unfinished) => {
    const bundler = path.join(repository, 'scripts/bundle-script.ts');
    await promisify(execFile)(process.execPath, [bundler, script, unfinished]);
    symlinkSync(path.join(repository, 'node_modules'), path.join(unfinished, 'node_modules'));
  });
  return path.join(folder, `${name}.mjs`);
}

function isFirst(folder: string): boolean {
  try {
    mkdirSync(folder);
    return true;
  } catch {
    return false;
  }
}

async function untilExists(folder: string): Promise<void> {
  const signal = AbortSignal.timeout(HOOK_DEADLINE_MS);
  const watcher = watch(path.dirname(folder));
  try {
    while (!existsSync(folder)) await once(watcher, 'change', { signal });
  } finally {
    watcher.close();
  }
}
