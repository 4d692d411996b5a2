// `npm run prove`: the long proofs with their full counts, output kept in bench/proofs.txt.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const root = path.dirname(import.meta.dirname);
const record = path.join(root, 'bench', 'proofs.txt');

const run = spawn('vitest', ['run', ...process.argv.slice(2)], {
  cwd: root,
  env: { ...process.env, HEDDLE_PROVE: '1', NO_COLOR: '1' },
  stdio: ['ignore', 'pipe', 'inherit'],
});
let output = '';
run.stdout.setEncoding('utf8').on('data', (chunk: string) => {
  process.stdout.write(chunk);
  output += chunk;
});
await once(run, 'close');

// The record is committed: it must not say where on a machine the repository lies.
mkdirSync(path.dirname(record), { recursive: true });
writeFileSync(record, output.replaceAll(root, '.'));
process.exitCode = run.exitCode ?? 1;
