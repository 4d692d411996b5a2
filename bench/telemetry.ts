/**
 * `npm run bench:telemetry`: start-up and turns of the program with telemetry off, against a build whose source has no telemetry.
 * Both builds run in turn, so that the load of the machine affects both.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Bench } from './cli/program.ts';

const PAIRS = Number(process.env['RUNS'] ?? 25);
const LONG_PAIRS = 3;
/** Differences within this share of the whole are not a cost of telemetry. */
const TOLERANCE = 0.02;
const ROOT = path.dirname(import.meta.dirname);
const COPIED = ['packages', 'scripts', 'bin', 'package.json', 'package-lock.json', 'tsconfig.json'];
const START = 'packages/cli/src/start/start-agent.ts';

/** Builds a copy of the program. `change` edits the source that starts telemetry. Returns the program. */
function buildCopy(folder: string, change: (source: string) => string): string {
  const filter = (file: string): boolean => !/\/(?:node_modules|dist)$/.test(file);
  for (const name of COPIED)
    cpSync(path.join(ROOT, name), path.join(folder, name), { recursive: true, filter });
  symlinkSync(path.join(ROOT, 'node_modules'), path.join(folder, 'node_modules'));
  const file = path.join(folder, START);
  writeFileSync(file, change(readFileSync(file, 'utf8')));
  const script = path.join(folder, 'scripts/bundle.ts');
  const { status } = spawnSync(process.execPath, [script], { stdio: 'inherit' });
  if (status !== 0) throw new Error(`${folder} cannot be built.`);
  return path.join(folder, 'bin/heddle');
}

/** Nothing asks for telemetry any more, so the bundle leaves it out. */
function withoutTelemetry(source: string): string {
  const changed = source
    .replace(/telemetry: hasTelemetryVariables\(\)[^\n]*/, 'telemetry: undefined,')
    .replace("await import('../telemetry/open-telemetry.ts')", 'await Promise.reject()');
  if (changed === source) throw new Error(`${START} has no telemetry to remove.`);
  return changed;
}

interface Times {
  readonly request: number[];
  readonly end: number[];
  readonly turns: number[];
}

const folder = mkdtempSync(path.join(os.tmpdir(), 'heddle-bench-telemetry-'));
const times = { off: newTimes(), without: newTimes() };
try {
  const benches = {
    off: new Bench(buildCopy(path.join(folder, 'off'), (source) => source)),
    without: new Bench(buildCopy(path.join(folder, 'without'), withoutTelemetry)),
  };
  for (const bench of Object.values(benches)) await bench.open();
  for (let pair = 0; pair <= PAIRS; pair++)
    for (const name of orderOf(pair)) {
      const { toRequest, toEnd } = await benches[name].print();
      // The first pair only warms the caches of the file system.
      if (pair === 0) continue;
      times[name].request.push(toRequest);
      times[name].end.push(toEnd);
    }
  for (let pair = 0; pair < LONG_PAIRS; pair++)
    for (const name of orderOf(pair)) {
      const { gaps } = await benches[name].conversation('claude-turns');
      times[name].turns.push(...gaps);
    }
  for (const bench of Object.values(benches)) bench.close();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

const rows = [
  ['spawn to first request', times.off.request, times.without.request],
  ['-p, spawn to exit', times.off.end, times.without.end],
  ['own time a turn', times.off.turns, times.without.turns],
] as const;
const lines = rows.map(([what, off, without]) => {
  const change = median(off) / median(without) - 1;
  const verdict = change > TOLERANCE ? '  MISSED' : '';
  return `${what.padEnd(24)} off ${median(off).toFixed(2)} ms, without ${median(without).toFixed(2)} ms, ${(100 * change).toFixed(1)} %   goal < 2 %${verdict}`;
});
const head = `Node ${process.version}; medians of ${PAIRS} pairs of starts and ${LONG_PAIRS} pairs of 200 turns; load ${os.loadavg()[0]?.toFixed(1)}`;
const report = [head, ...lines].join('\n');
console.log(report);
writeFileSync(path.join(import.meta.dirname, 'telemetry.txt'), `${report}\n`);
process.exitCode = lines.some((line) => line.endsWith('MISSED')) ? 1 : 0;

function newTimes(): Times {
  return { request: [], end: [], turns: [] };
}

/** The builds change places, so that none of them always starts on a busier machine. */
function orderOf(pair: number): readonly ('off' | 'without')[] {
  return pair % 2 === 0 ? ['off', 'without'] : ['without', 'off'];
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
