// `npm run bench:terminal`: the rich screen of the real program in a pty. The time from a key to its echo while 2,000 deltas
// a second and a result of 10,000 lines arrive, bytes and processor time per delta, a paste of 1 MB, and the idle prompt.
// A bare process that only echoes keys is measured between the keys: it shows the load of the machine.
import { spawn as spawnProcess, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { spawn } from '@lydell/node-pty';

const ROOT = path.resolve(import.meta.dirname, '..');
const KEY_EVERY_MS = 45;
/** The letters to type, each only once, so that an echo can be recognized. */
const LETTERS = Array.from({ length: 200 }, (_, index) => String.fromCodePoint(0x0430 + index));
const IDLE_MS = 4_000;
/** Clock ticks of the kernel per second. */
const TICKS = 100;

spawnSync(process.execPath, [path.join(ROOT, 'scripts/bundle.ts')], { stdio: 'inherit' });
const folder = mkdtempSync(path.join(os.tmpdir(), 'heddle-bench-terminal-'));
const server = spawnProcess(process.execPath, [path.join(import.meta.dirname, 'terminal/server.ts')], {
  stdio: ['pipe', 'pipe', 'inherit'],
});
const [port] = (await once(server.stdout, 'data')) as [Buffer];
const pty = spawn(path.join(ROOT, 'bin/heddle'), ['--model', 'anthropic/claude-sonnet-4-5', '--allowed-tools', 'Bash'], {
  cols: 100,
  rows: 40,
  cwd: folder,
  env: {
    PATH: process.env['PATH'] ?? '',
    HOME: folder,
    HEDDLE_CONFIG_DIR: path.join(folder, 'config'),
    TERM: 'xterm-256color',
    LANG: 'C.UTF-8',
    ANTHROPIC_API_KEY: 'key',
    ANTHROPIC_BASE_URL: `http://127.0.0.1:${port.toString().trim()}`,
  },
});
const bare = spawn(process.execPath, ['-e', 'process.stdin.setRawMode(true).pipe(process.stdout)'], { cols: 80, rows: 24 });
bare.onData((data) => {
  for (const listener of bareListeners) listener(data);
});
let bytes = 0;
let text = '';
const bareListeners = new Set<(data: string) => void>();
const listeners = new Set<(data: string) => void>();
pty.onData((data) => {
  bytes += Buffer.byteLength(data);
  text = (text + data).slice(-200_000);
  for (const listener of listeners) listener(data);
});

/** Types a text and waits until the terminal receives what it should show. Returns milliseconds. */
async function echo(typed: string, wanted: string, target = pty, heard = listeners): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>();
  const startedAt = performance.now();
  const listener = (data: string): void => {
    if (data.includes(wanted)) resolve(performance.now() - startedAt);
  };
  heard.add(listener);
  target.write(typed);
  const late = setTimeout(() => resolve(10_000), 10_000);
  return promise.finally(() => {
    clearTimeout(late);
    heard.delete(listener);
  });
}

/** Returns the processor time of the program so far, in milliseconds. */
function cpuMs(): number {
  const fields = readFileSync(`/proc/${pty.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return ((Number(fields[11]) + Number(fields[12])) / TICKS) * 1_000;
}

function memoryMB(): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pty.pid}/status`, 'utf8'))?.[1]) / 1_024;
}

while (!text.includes('> ')) await sleep(20);
await sleep(1_000);
const idleBefore = cpuMs();
await sleep(IDLE_MS);
const idle = cpuMs() - idleBefore;

const pasted = `\u001b[200~${'a line of a long paste\r'.repeat(45_000)}\u001b[201~`;
await echo(pasted, '[Pasted text #1');
const afterPaste = await echo('ж', 'ж');
pty.write('\u0015\u007f');
await sleep(300);

pty.write('go\r');
while (!text.includes('W0')) await sleep(5);
const [bytesBefore, cpuBefore, startedAt] = [bytes, cpuMs(), performance.now()];
const times: number[] = [];
const bareTimes: number[] = [];
for (const letter of LETTERS) {
  const took = await echo(letter, letter);
  times.push(took);
  const other = await echo(letter, letter, bare, bareListeners);
  bareTimes.push(other);
  await sleep(Math.max(0, KEY_EVERY_MS - took - other));
}
const seconds = (performance.now() - startedAt) / 1_000;
const deltas = seconds * 2_000;
const [bytesPerDelta, cpuPer1000] = [(bytes - bytesBefore) / deltas, ((cpuMs() - cpuBefore) / deltas) * 1_000];
const memory = memoryMB();
pty.kill('SIGKILL');
bare.kill('SIGKILL');
server.stdin.end();
rmSync(folder, { recursive: true, force: true });

const at = (part: number, values: readonly number[] = times): number =>
  values.toSorted((left, right) => left - right)[Math.min(values.length - 1, Math.floor(values.length * part))] ?? Number.NaN;
const goals: [string, number, number | undefined, string][] = [
  ['key to echo, median', at(0.5), 3, 'ms'],
  ['key to echo, 99th percentile', at(0.99), 16, 'ms'],
  ['   the same, of the bare process', at(0.99, bareTimes), undefined, 'ms'],
  ['key to echo, slowest', at(1), undefined, 'ms'],
  ['bytes written per delta', bytesPerDelta, 40, 'bytes'],
  ['processor time per 1,000 deltas, whole program', cpuPer1000, 80, 'ms'],
  ['paste of 1 MB: next key', afterPaste, 20, 'ms'],
  [`processor time at an idle prompt, ${IDLE_MS / 1_000} s`, idle, 30, 'ms'],
  ['memory after the run', memory, 160, 'MB'],
];
const lines = goals.map(([what, value, goal, unit]) => {
  const verdict = goal === undefined ? '' : `   goal < ${goal}${value < goal ? '' : '  MISSED'}`;
  return `${what.padEnd(48)} ${value.toFixed(1).padStart(8)} ${unit}${verdict}`;
});
const report = [`Node ${process.version}; ${times.length} keys during ${seconds.toFixed(1)} s of streaming`, ...lines].join('\n');
process.stdout.write(`${report}\n`);
writeFileSync(path.join(import.meta.dirname, 'terminal.txt'), `${report}\n`);
process.exitCode = goals.every(([, value, goal]) => goal === undefined || value < goal) ? 0 : 1;
