/** Runs the example of the README unchanged, in its own process. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const root = path.resolve(import.meta.dirname, '../../../..');

it('runs the example of the README offline', async () => {
  const text = readFileSync(path.join(root, 'README.md'), 'utf8');
  const [, code = '', ...more] = /^```ts\n([\s\S]*?)^```$/m.exec(text) ?? [];
  expect([code === '', more]).toEqual([false, []]);
  const argv = ['--disable-warning=ExperimentalWarning', '--input-type=module-typescript', '-e', code];
  const { stdout, stderr } = await promisify(execFile)(process.execPath, argv, { cwd: root });
  expect(stderr).toBe('');
  expect(stdout).toMatch(/To work on this, choose a real model/);
});
