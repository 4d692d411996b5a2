/** Runs a part of `run-on-full-disk.ts` in a process that may not write files beyond a size: a disk that is full, for anyone. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

/** Blocks of 1,024 bytes, as the shell counts them. */
const LIMIT_BLOCKS = 64;

export async function onFullDisk(scenario: string): Promise<unknown> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'heddle-full-'));
  const child = path.join(import.meta.dirname, 'run-on-full-disk.ts');
  // A write beyond the limit raises a signal that would end the process; ignored, the write fails instead.
  const script = `trap '' XFSZ; ulimit -f ${LIMIT_BLOCKS}; exec "$@"`;
  const run = spawn('bash', ['-c', script, 'bash', process.execPath, child, scenario, folder]);
  let output = '';
  let errors = '';
  run.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  run.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  await once(run, 'close');
  if (output === '') throw new Error(errors);
  return JSON.parse(output);
}
