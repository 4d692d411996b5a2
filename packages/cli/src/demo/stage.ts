/** A scratch project with one failing test. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

export function buildStage(): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'heddle-demo-'));
  writeFileSync(path.join(folder, 'sum.mjs'), 'export function sum(a, b) {\n  return a - b;\n}\n');
  writeFileSync(
    path.join(folder, 'test.mjs'),
    [
      "import { sum } from './sum.mjs';",
      '',
      'const got = sum(2, 3);',
      'if (got !== 5) {',
      '  console.log(`not ok: sum(2, 3) is ${got}, expected 5`);',
      '  process.exit(1);',
      '}',
      "console.log('ok: sum(2, 3) is 5');",
      '',
    ].join('\n'),
  );
  return folder;
}
