// `npm run bench:fleet`: throughput, latency, failover and growth of a fleet on this machine, with an embedded PostgreSQL.
// A step is one request to the model and one call. The model is scripted and answers at once.
import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Fleet, openDatabase, startEmbedded } from '@heddle/fleet';

const folder = mkdtempSync(path.join(process.getuid?.() === 0 ? '/tmp' : os.tmpdir(), 'heddle-bench-fleet-'));
chmodSync(folder, 0o755);
const starting = await startEmbedded(path.join(folder, 'postgres'));
if (!starting.ok) throw new Error(starting.message);
const { server } = starting;
const fleet = await Fleet.connect(server.url, 10);
const database = openDatabase(server.url, 2);
await fleet.tenant('bench', { maxRunning: 1_000 });
const lines: string[] = [`Node ${process.version}, PostgreSQL 18 (embedded), ${os.availableParallelism()} cores, load ${os.loadavg()[0]?.toFixed(1)}`];
const misses: string[] = [];

try {
  await throughput('three workers, 60 sessions', 3, 60, 200);
  await throughput('one worker, 30 sessions', 1, 30, undefined);
  await growth();
  await latency();
  await failover();
} finally {
  await fleet.close();
  await database.end();
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
}
lines.push(misses.length === 0 ? 'all targets met' : `missed: ${misses.join('; ')}`);
process.stdout.write(`${lines.join('\n')}\n`);
writeFileSync(path.join(import.meta.dirname, 'fleet.txt'), `${lines.join('\n')}\n`);

async function startWorkers(count: number, calls: number, delayMs: number): Promise<ChildProcess[]> {
  const script = path.join(import.meta.dirname, 'fleet/worker.ts');
  const argv = [script, server.url, String(calls), String(delayMs)];
  return Promise.all(
    Array.from({ length: count }, async () => {
      const child = spawn(process.execPath, argv, { stdio: ['ignore', 'pipe', 'inherit'] });
      await new Promise<void>((resolve) => child.stdout?.once('data', () => resolve()));
      return child;
    }),
  );
}

/** The next test begins when the workers are forgotten, so that it does not measure their takeover. */
async function stop(workers: readonly ChildProcess[]): Promise<void> {
  for (const worker of workers) worker.kill('SIGKILL');
  await database.pool.query('delete from heddle.worker');
}

async function submitAll(prefix: string, count: number): Promise<string[]> {
  const names = Array.from({ length: count }, (_, at) => `${prefix}-${at}`);
  for (const name of names) await fleet.create(name, 'bench');
  for (const name of names) await fleet.submit(name, 'Do it.');
  return names;
}

async function untilEnd(names: readonly string[]): Promise<void> {
  for (const name of names) while ((await fleet.turn(name, 1))?.state !== 'done') await sleep(20);
}

async function throughput(what: string, count: number, sessions: number, target: number | undefined): Promise<void> {
  const calls = 20;
  const workers = await startWorkers(count, calls, 0);
  const began = performance.now();
  await untilEnd(await submitAll(`t${count}`, sessions));
  const steps = sessions * (calls + 1);
  const perSecond = steps / ((performance.now() - began) / 1_000);
  const cpuMs = workers.reduce((sum, { pid = 0 }) => sum + cpuMsOf(pid), 0) / steps;
  await stop(workers);
  report(`throughput, ${what}`, `${perSecond.toFixed(0)} steps/s, ${cpuMs.toFixed(1)} ms of processor time of the workers per step, their start included`, target === undefined || perSecond >= target, target === undefined ? '' : `>= ${target}`);
}

async function growth(): Promise<void> {
  const { rows } = await database.pool.query<{ text: number; stored: number; steps: number }>(
    `select sum(length(line))::float8 as text, pg_total_relation_size('heddle.entry')::float8 as stored,
       count(*) filter (where kind = 'outcome')::float8 as steps from heddle.entry`,
  );
  const { text = 0, stored = 0, steps = 1 } = rows[0] ?? {};
  const share = stored / text;
  report('growth per step', `${(stored / steps / 1_000).toFixed(1)} KB for ${(text / steps / 1_000).toFixed(1)} KB of lines (${share.toFixed(2)} ×)`, share <= 1.5, '<= 1.5 ×');
}

async function latency(): Promise<void> {
  const workers = await startWorkers(1, 1, 3_000);
  const first: number[] = [];
  const ends: number[] = [];
  for (let at = 0; at < 30; at++) {
    const name = `l-${at}`;
    await fleet.create(name, 'bench');
    const began = performance.now();
    await fleet.submit(name, 'Do it.');
    for await (const { kind } of fleet.watch(name)) {
      if (kind === 'taken') first.push(performance.now() - began);
      if (kind === 'intent') break;
    }
    const canceled = performance.now();
    await fleet.cancel(name);
    while ((await fleet.turn(name, 1))?.state !== 'done') await sleep(5);
    ends.push(performance.now() - canceled);
  }
  await stop(workers);
  const [half, most] = [quantile(first, 0.5), quantile(first, 0.99)];
  report('submit to first stored line', `p50 ${half.toFixed(0)} ms, p99 ${most.toFixed(0)} ms`, half <= 150 && most <= 500, 'p50 <= 150, p99 <= 500 ms');
  report('cancel to end', `p50 ${quantile(ends, 0.5).toFixed(0)} ms, p99 ${quantile(ends, 0.99).toFixed(0)} ms`, quantile(ends, 0.5) <= 500, 'p50 <= 500 ms');
}

async function failover(): Promise<void> {
  const times: number[] = [];
  const workers = await startWorkers(2, 40, 300);
  const names = await submitAll('f', 30);
  for (let kill = 0; kill < 5; kill++) {
    await sleep(2_000);
    const victim = workers.shift();
    const at = Date.now();
    victim?.kill('SIGKILL');
    workers.push(...(await startWorkers(1, 40, 300)));
    await sleep(4_000);
    const { rows } = await database.pool.query<{ line: string }>(`select line from heddle.entry where kind = 'taken' and session like 'f-%'`);
    for (const { line } of rows) {
      const taken = Date.parse(String(Reflect.get(Object(JSON.parse(line)), 'timestamp')));
      if (taken > at) times.push(taken - at);
    }
  }
  for (const name of names) await fleet.cancel(name);
  await stop(workers);
  const [half, most] = [quantile(times, 0.5), quantile(times, 0.99)];
  report(`failover, ${times.length} takeovers after 5 kills`, `p50 ${half.toFixed(0)} ms, p99 ${most.toFixed(0)} ms`, half <= 1_500 && most <= 4_000, 'p50 <= 1500, p99 <= 4000 ms');
}

function report(what: string, value: string, isMet: boolean, target: string): void {
  if (!isMet) misses.push(what);
  lines.push(`${what.padEnd(44)} ${value}${target === '' ? '' : `   target ${target}   ${isMet ? 'met' : 'MISSED'}`}`);
}

/** The processor time of a process so far. Linux counts it in hundredths of a second. */
function cpuMsOf(pid: number): number {
  const [user = 0, system = 0] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(' ').slice(13, 15).map(Number);
  return (user + system) * 10;
}

function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
