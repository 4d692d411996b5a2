// `npm run bench:view`: what the read-only view adds to a command. Runs with and without it take turns.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createReadOnlyView } from '@heddle/agent/sandbox';

const ROUNDS = Number(process.argv[2] ?? 200);
const GOAL_MS = 10;
const COMMANDS = ['true', 'ls -la /etc', 'git --version', 'cd /tmp && cat /etc/passwd | wc -l', 'ps aux | wc -l'];

interface Cost {
  readonly wall: number;
  readonly cpu: number;
}

const view = createReadOnlyView();
const directory = mkdtempSync(path.join(os.tmpdir(), 'heddle-bench-view-'));
const probeStart = performance.now();
const readiness = await view.readiness();
const probeMs = performance.now() - probeStart;
if (!readiness.ready) throw new Error(readiness.reason);

/** Processor time in milliseconds, of this process and of all that it has waited for. Ticks of 10 ms: only sums are exact. */
function spent(): number {
  const own = process.cpuUsage();
  const fields = readFileSync('/proc/self/stat', 'utf8').replace(/^.*\) /s, '').split(' ');
  const children = (Number(fields[13]) + Number(fields[14])) * 10;
  return (own.user + own.system) / 1_000 + children;
}

async function finished(file: string, args: readonly string[], descriptors: readonly number[]): Promise<void> {
  const child = spawn(file, [...args], { cwd: directory, stdio: ['ignore', 'ignore', 'ignore', ...descriptors] });
  await once(child, 'exit');
}

async function plain(command: string): Promise<Cost> {
  const [start, before] = [performance.now(), spent()];
  await finished('bash', ['--noprofile', '--norc', '-c', command], []);
  return { wall: performance.now() - start, cpu: spent() - before };
}

async function viewed(command: string): Promise<Cost> {
  const [start, before] = [performance.now(), spent()];
  const confinement = await view.confine({ command, directory });
  const launch = await confinement?.start(command);
  if (!launch?.ok) throw new Error('The view did not start.');
  await finished(launch.file, launch.args, launch.inherits ?? []);
  await confinement?.ended({ failed: false, output: '' });
  return { wall: performance.now() - start, cpu: spent() - before };
}

function median(values: readonly number[]): number {
  return values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)] ?? 0;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

const lines: string[] = [];
let worst = 0;
for (const command of COMMANDS) {
  const costs: Record<'plain' | 'viewed', Cost[]> = { plain: [], viewed: [] };
  for (let round = 0; round < ROUNDS; round++) {
    costs.plain.push(await plain(command));
    costs.viewed.push(await viewed(command));
  }
  const wall = (kind: 'plain' | 'viewed') => median(costs[kind].map((cost) => cost.wall));
  const cpu = (kind: 'plain' | 'viewed') => mean(costs[kind].map((cost) => cost.cpu));
  worst = Math.max(worst, cpu('viewed') - cpu('plain'));
  const shown = (of: typeof wall) =>
    `${of('plain').toFixed(1).padStart(6)} → ${of('viewed').toFixed(1).padStart(6)} (+${(of('viewed') - of('plain')).toFixed(1)})`;
  lines.push(`${command.padEnd(40)} cpu ${shown(cpu)}   wall ${shown(wall)}`);
}
rmSync(directory, { recursive: true, force: true });

const report = [
  `Node ${process.version}, ms without → with the read-only view, ${ROUNDS} in turns: cpu is the mean, wall the median   goal: cpu < +${GOAL_MS}`,
  `load of the machine ${os.loadavg()[0]?.toFixed(1)} on ${os.availableParallelism()} cores`,
  ...lines,
  `trying it out, once per session          ${probeMs.toFixed(1)} ms`,
].join('\n');
process.stdout.write(`${report}\n`);
writeFileSync(path.join(import.meta.dirname, 'read-only-view.txt'), `${report}\n`);
process.exitCode = worst < GOAL_MS ? 0 : 1;
