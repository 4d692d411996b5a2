// `npm run bench:cli`: the program as `bin/heddle` starts it, against a server in another process, interleaved with a bare Node
// process so that the machine's mood shows: spawn to first request, peak memory, and the program's own time a turn.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';

const RUNS = 15;
const root = path.dirname(import.meta.dirname);
const folder = mkdtempSync(path.join(os.tmpdir(), 'heddle-bench-cli-'));
writeFileSync(path.join(folder, 'notes.txt'), Array.from({ length: 300 }, (_, line) => `line ${line} of some notes`).join('\n'));
// The shipped form: the bundle, as `npm ci` makes it.
spawnSync(process.execPath, [path.join(root, 'scripts/bundle.ts')], { stdio: 'inherit' });

interface Arrival {
  readonly arrivedAt: number;
  readonly gapMs: number | null;
}

const server = spawn(process.execPath, [path.join(import.meta.dirname, 'cli/server.ts')], { stdio: ['pipe', 'pipe', 'inherit'] });
const arrivals: Arrival[] = [];
const port = await new Promise<number>((resolve) => {
  createInterface({ input: server.stdout }).on('line', (line) => {
    const said: { port: number } | Arrival = JSON.parse(line);
    if ('port' in said) resolve(said.port);
    else arrivals.push(said);
  });
});

const bare: number[] = [];
const first: number[] = [];
const peaks: number[] = [];
for (let run = 0; run < RUNS; run++) {
  bare.push(await spawnToExit());
  const { toFirstRequest, peakMB } = await heddle('claude-short');
  first.push(toFirstRequest);
  peaks.push(peakMB);
}
const long: { peakMB: number; gaps: number[] }[] = [];
for (let run = 0; run < 3; run++) long.push(await heddle('claude-turns'));
server.stdin.end();
rmSync(folder, { recursive: true });

const gaps = long.flatMap((run) => run.gaps);
const early = median(long.flatMap((run) => run.gaps.slice(20, 60)));
const late = median(long.flatMap((run) => run.gaps.slice(-40)));
const goals: [string, number, number | undefined, string][] = [
  ['bare node, spawn to exit', median(bare), undefined, 'ms'],
  ['spawn to first request', median(first), 150, 'ms'],
  ['   the same, fastest', Math.min(...first), undefined, 'ms'],
  ['peak memory, one reply', median(peaks), 90, 'MB'],
  ['peak memory, 200 turns', median(long.map((run) => run.peakMB)), 120, 'MB'],
  ['own time a turn, 200 turns', median(gaps), 3, 'ms'],
  ['   turns 20 to 60', early, undefined, 'ms'],
  ['   last 40 turns', late, undefined, 'ms'],
];
const lines = goals.map(([what, value, goal, unit]) => {
  const verdict = goal === undefined ? '' : `   goal < ${goal}${value < goal ? '' : '  MISSED'}`;
  return `${what.padEnd(28)} ${value.toFixed(1).padStart(8)} ${unit}${verdict}`;
});
const report = [`Node ${process.version}; medians of ${RUNS} starts and 3 long runs`, ...lines].join('\n');
process.stdout.write(`${report}\n`);
writeFileSync(path.join(import.meta.dirname, 'cli.txt'), `${report}\n`);
process.exitCode = goals.every(([, value, goal]) => goal === undefined || value < goal) ? 0 : 1;

async function heddle(model: string): Promise<{ toFirstRequest: number; peakMB: number; gaps: number[] }> {
  const seen = arrivals.length;
  const env = {
    ...process.env,
    HEDDLE_CONFIG_DIR: path.join(folder, 'config'),
    ANTHROPIC_BASE_URL: `http://127.0.0.1:${port}`,
    ANTHROPIC_API_KEY: 'bench',
  };
  const startedAt = performance.timeOrigin + performance.now();
  // JSON on both sides: the process stays until its input closes, so that its peak can be read while it lives.
  const child = spawn(
    path.join(root, 'bin/heddle'),
    ['--input-format', 'stream-json', '--output-format', 'stream-json', '--model', `anthropic/${model}`],
    { cwd: folder, env, stdio: ['pipe', 'pipe', 'inherit'] },
  );
  child.stdin.write(`${JSON.stringify({ type: 'user', message: { role: 'user', content: 'Go.' } })}\n`);
  await new Promise<void>((resolve) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      if (line.startsWith('{"type":"result"')) resolve();
    });
  });
  const peakMB = peakOf(child);
  child.stdin.end();
  await new Promise((resolve) => child.once('exit', resolve));
  const own = arrivals.slice(seen);
  return {
    toFirstRequest: (own[0]?.arrivedAt ?? Number.NaN) - startedAt,
    peakMB,
    gaps: own.flatMap(({ gapMs }) => (gapMs === null ? [] : [gapMs])),
  };
}

async function spawnToExit(): Promise<number> {
  const startedAt = performance.now();
  const child = spawn(process.execPath, ['-e', '0'], { stdio: 'ignore' });
  await new Promise((resolve) => child.once('exit', resolve));
  return performance.now() - startedAt;
}

function peakOf({ pid }: ChildProcess): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? Number.NaN) / 1_000;
}

function median(values: readonly number[]): number {
  return [...values].sort((left, right) => left - right)[Math.floor(values.length / 2)] ?? Number.NaN;
}
