/** One folder for a whole test run, where tests keep what is dear to make and the same for all: the bundled program. */
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

export function setup(): () => void {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'heddle-tests-'));
  process.env['HEDDLE_TEST_FOLDER'] = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}
