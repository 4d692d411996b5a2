/**
 * One folder for a whole test run. It contains shared results that are expensive to make, such as the bundled program, and all
 * temporary folders of tests, so that none of them is left behind.
 */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

export function setup(): () => void {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'heddle-tests-'));
  // As open as the system's own: some tests look through the eyes of another user.
  chmodSync(folder, 0o1777);
  process.env['HEDDLE_TEST_FOLDER'] = folder;
  process.env['TMPDIR'] = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}
