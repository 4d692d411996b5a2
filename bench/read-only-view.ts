// `npm run bench:view`: the overhead of the read-only view and of the view for edits per command. Runs with and without
// them alternate.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createReadOnlyView } from '@heddle/agent/sandbox';

const ROUNDS = Number(process.argv[2] ?? 200);
const GOAL_MS = 10;
const EDIT = 'touch made && rm made';
const COMMANDS = ['true', 'ls -la /etc', 'git --version', 'cd /tmp && cat /etc/passwd | wc -l', 'ps aux | wc -l', EDIT];
/** In the folder of the edits. */
const PROTECTED = ['.git', '.claude', '.vscode', '.husky', 'node_modules/.bin'];

interface Cost {
  readonly wall: number;
  readonly cpu: number;
}

const view = createReadOnlyView();
const directory = mkdtempSync(path.join(os.tmpdir(), 'heddle-bench-view-'));
for (const name of PROTECTED) mkdirSync(path.join(directory, name), { recursive: true });
const edits = {
  writable: [directory],
  unwritable: PROTECTED.map((name) => path.join(directory, name)),
  hidden: [],
};
const probeStart = performance.now();
const readiness = await view.readiness();
const probeMs = performance.now() - probeStart;
if (!readiness.ready) throw new Error(readiness.reason);

/**
 * Returns the processor time in milliseconds of this process and its children, from its own control group:
 * processes in a process namespace are not counted with their parent. Undefined if no group can be
 * created, which requires root.
 */
function meter(): (() => number) | undefined {
  const name = `heddle-bench-${process.pid}`;
  for (const [root, file, usage] of [
    ['/sys/fs/cgroup/cpuacct', 'cpuacct.usage', (text: string) => Number(text) / 1_000_000],
    ['/sys/fs/cgroup', 'cpu.stat', (text: string) => Number(/^usage_usec (\d+)/m.exec(text)?.[1]) / 1_000],
  ] as const) {
    const group = path.join(root, name);
    try {
      mkdirSync(group);
      writeFileSync(path.join(group, 'cgroup.procs'), String(process.pid));
      readFileSync(path.join(group, file));
      process.once('exit', () => {
        writeFileSync(path.join(root, 'cgroup.procs'), String(process.pid));
        rmdirSync(group);
      });
      return () => usage(readFileSync(path.join(group, file), 'utf8'));
    } catch {
      // Another kind of groups, or none.
    }
  }
  return undefined;
}

const measure = meter();
const spent = (): number => measure?.() ?? NaN;

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
  const fileLimits = command === EDIT ? edits : undefined;
  const confinement = await view.confine({ command, directory, isProven: true, fileLimits });
  const launch = await confinement?.start(command);
  if (!launch?.ok) throw new Error('The view did not start.');
  await finished(launch.file, launch.args, launch.inherits ?? []);
  await confinement?.ended({ failed: false, output: '' });
  return { wall: performance.now() - start, cpu: spent() - before };
}

function median(values: readonly number[]): number {
  return values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)] ?? 0;
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
  const cpu = (kind: 'plain' | 'viewed') => median(costs[kind].map((cost) => cost.cpu));
  const counted = measure ? cpu : wall;
  worst = Math.max(worst, counted('viewed') - counted('plain'));
  const shown = (of: typeof wall) =>
    `${of('plain').toFixed(1).padStart(6)} → ${of('viewed').toFixed(1).padStart(6)} (${(of('viewed') - of('plain')).toFixed(1)} more)`;
  lines.push(`${command.padEnd(40)} cpu ${shown(cpu)}   wall ${shown(wall)}`);
}
rmSync(directory, { recursive: true, force: true });

const report = [
  `Node ${process.version}, ms without → with a view, medians of ${ROUNDS} in turns   goal: cpu < +${GOAL_MS}`,
  `load of the machine ${os.loadavg()[0]?.toFixed(1)} on ${os.availableParallelism()} cores`,
  ...lines,
  `trying it out, once per session          ${probeMs.toFixed(1)} ms`,
].join('\n');
process.stdout.write(`${report}\n`);
writeFileSync(path.join(import.meta.dirname, 'read-only-view.txt'), `${report}\n`);
process.exitCode = worst < GOAL_MS ? 0 : 1;
