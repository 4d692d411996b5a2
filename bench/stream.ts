// `npm run bench:stream`: the cost of a long answer and of a long conversation, each in a cold process
// against a server in another.
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { build } from 'esbuild';

const RUNS = 5;

const folder = mkdtempSync(path.join(tmpdir(), 'heddle-bench-'));
// Bundled like the shipped program. Otherwise the loading of sources would be included.
await build({
  entryPoints: [path.join(import.meta.dirname, 'stream/client.ts')],
  outdir: folder,
  splitting: true,
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node22.18',
  minifyWhitespace: true,
  minifySyntax: true,
  logLevel: 'warning',
});
writeFileSync(path.join(folder, 'package.json'), '{"type":"module"}');

const server = spawn(process.execPath, [path.join(import.meta.dirname, 'stream/server.ts')], {
  stdio: ['pipe', 'pipe', 'inherit'],
});
const port = await new Promise<string>((resolve) => server.stdout.once('data', (text: Buffer) => resolve(text.toString().trim())));

const lines = [`Node ${process.version}; ${RUNS} cold processes each; medians. Bare Node: ${bareNode()} ms CPU.`];
const failed: string[] = [];

for (const { scenario, goals } of [
  { scenario: 'deltas', goals: { cpuMs: 300 } },
  { scenario: 'partial', goals: {} },
  { scenario: 'four-times', goals: { peakMB: 85 } },
  { scenario: 'turns', goals: { peakMB: 75 } },
  { scenario: 'transport', goals: { cpuMsPerTurn: 1, peakMB: 75 } },
]) {
  const runs = Array.from({ length: RUNS }, () => measure(scenario));
  const fields = Object.keys(runs[0] ?? {});
  for (const field of fields) {
    const values = runs.map((run) => run[field]);
    const value = typeof values[0] === 'number' ? median(values.filter((one) => typeof one === 'number')) : values[0];
    const goal: unknown = Reflect.get(goals, field);
    const isMissed = typeof goal === 'number' && typeof value === 'number' && value >= goal;
    if (isMissed) failed.push(`${scenario} ${field}`);
    lines.push(`${scenario.padEnd(10)} ${field.padEnd(26)} ${String(value).padStart(10)}${goal === undefined ? '' : `   goal < ${String(goal)}${isMissed ? '  MISSED' : ''}`}`);
  }
}
server.stdin.end();
rmSync(folder, { recursive: true });

const report = `${lines.join('\n')}\n`;
process.stdout.write(report);
writeFileSync(path.join(import.meta.dirname, 'stream.txt'), report);
process.exitCode = failed.length === 0 ? 0 : 1;

function measure(scenario: string): Record<string, unknown> {
  const { stdout, stderr } = spawnSync(process.execPath, [path.join(folder, 'client.js'), scenario, `http://127.0.0.1:${port}`], {
    encoding: 'utf8',
  });
  try {
    const result: Record<string, unknown> = JSON.parse(stdout);
    return result;
  } catch {
    throw new Error(`${scenario} failed: ${stdout}${stderr}`);
  }
}

function bareNode(): number {
  const script = 'const {user,system}=process.cpuUsage();console.log((user+system)/1000)';
  return Math.round(median(Array.from({ length: RUNS }, () => Number(spawnSync(process.execPath, ['-e', script], { encoding: 'utf8' }).stdout))));
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((left, right) => left - right);
  const middle = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
  return Math.round(middle * 100) / 100;
}
