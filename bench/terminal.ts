// `npm run bench:terminal`: the rich screen of the real program in a pty. Each goal is printed, with MISSED if it was missed.
// A bare process that only echoes keys is measured between the keys: it shows the load of the machine.
import { spawn as spawnProcess, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import xterm from '@xterm/headless';
import { type Place, type Program, ROOT, startProgram } from './terminal/program.ts';

const KEY_EVERY_MS = 45;
/** The letters to type, each only once, so that an echo can be recognized. */
const LETTERS = Array.from({ length: 200 }, (_, index) => String.fromCodePoint(0x0430 + index));
const IDLE_MS = 4_000;
const TURNS = 1_000;
const EARLY_TURNS = 100;
const STARTS = 9;
const SIZES = [
  [60, 40],
  [100, 20],
  [40, 10],
  [200, 50],
  [80, 24],
  [30, 30],
  [120, 12],
  [50, 40],
  [100, 40],
] as const;

type Figure = readonly [what: string, value: number, goal: number | undefined, unit: string];

function at(part: number, values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.min(values.length - 1, Math.floor(values.length * part))] ?? Number.NaN;
}

async function ready(place: Place, env: Record<string, string> = {}): Promise<Program> {
  const program = startProgram(place, { env });
  await program.sees('> ');
  await sleep(1_000);
  return program;
}

/** Types while 2,000 deltas a second and a result of 10,000 lines arrive. */
async function typeDuringStream(program: Program, bare: Program | undefined): Promise<[number[], number[]]> {
  program.type('go\r');
  await program.sees('W0');
  const times: number[] = [];
  const bareTimes: number[] = [];
  for (const letter of LETTERS) {
    const took = await program.echo(letter, letter);
    times.push(took);
    const other = (await bare?.echo(letter, letter)) ?? 0;
    bareTimes.push(other);
    await sleep(Math.max(0, KEY_EVERY_MS - took - other));
  }
  return [times, bareTimes];
}

async function typing(place: Place): Promise<Figure[]> {
  const program = await ready(place);
  const echoes = ['-e', 'process.stdin.setRawMode(true).pipe(process.stdout)'];
  const bare = startProgram(place, { file: process.execPath, argv: echoes });
  const idleBefore = program.cpuMs();
  await sleep(IDLE_MS);
  const idle = program.cpuMs() - idleBefore;
  const pasted = `\u001b[200~${'a line of a long paste\r'.repeat(45_000)}\u001b[201~`;
  await program.echo(pasted, '[Pasted text #1');
  const afterPaste = await program.echo('ж', 'ж');
  program.type('\u0015\u007f');
  await sleep(300);
  const [bytesBefore, cpuBefore, startedAt] = [program.bytes, program.cpuMs(), performance.now()];
  const [times, bareTimes] = await typeDuringStream(program, bare);
  const deltas = ((performance.now() - startedAt) / 1_000) * 2_000;
  const figures: Figure[] = [
    ['key to echo, median', at(0.5, times), 3, 'ms'],
    ['key to echo, 99th percentile', at(0.99, times), 16, 'ms'],
    ['   the same, of the bare process', at(0.99, bareTimes), undefined, 'ms'],
    ['key to echo, slowest', at(1, times), undefined, 'ms'],
    ['bytes written per delta', (program.bytes - bytesBefore) / deltas, 40, 'bytes'],
    [
      'processor time per 1,000 deltas, whole program',
      ((program.cpuMs() - cpuBefore) / deltas) * 1_000,
      80,
      'ms',
    ],
    ['paste of 1 MB: next key', afterPaste, 20, 'ms'],
    [`processor time at an idle prompt, ${IDLE_MS / 1_000} s`, idle, 30, 'ms'],
    ['memory after the run', program.memoryMB(), 160, 'MB'],
  ];
  program.kill();
  bare.kill();
  return figures;
}

interface InsideFigures {
  readonly stretchMs: number;
  readonly usedMB: number;
}

/** Starts the program with `inside.ts`, and returns a function that reads its figures. */
async function readyInside(place: Place, name: string): Promise<[Program, () => Promise<InsideFigures>]> {
  const file = path.join(place.folder, `${name}.txt`);
  const preload = path.join(import.meta.dirname, 'terminal/inside.ts');
  const program = await ready(place, { NODE_OPTIONS: `--import ${preload}`, HEDDLE_BENCH_INSIDE: file });
  let count = 0;
  const read = async (): Promise<InsideFigures> => {
    process.kill(program.pid, 'SIGUSR2');
    count++;
    for (;;) {
      const lines = existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : [];
      if (lines.length >= count) return JSON.parse(lines.at(-1) ?? '') as InsideFigures;
      await sleep(10);
    }
  };
  return [program, read];
}

async function stretches(place: Place): Promise<Figure[]> {
  const [program, read] = await readyInside(place, 'stretches');
  await read();
  await typeDuringStream(program, undefined);
  const { stretchMs } = await read();
  program.kill();
  return [['longest processor time without reading keys', stretchMs, undefined, 'ms']];
}

/** The spinner turns while the model is silent. */
async function spinner(place: Place): Promise<Figure[]> {
  const program = await ready(place);
  program.type('wait\r');
  await program.sees('Waiting.');
  await sleep(1_500);
  const before = program.cpuMs();
  await sleep(IDLE_MS);
  const spent = program.cpuMs() - before;
  program.kill();
  return [[`processor time of the spinner, ${IDLE_MS / 1_000} s`, spent, 120, 'ms']];
}

async function memory(place: Place): Promise<Figure[]> {
  const [program, read] = await readyInside(place, 'memory');
  let early = 0;
  for (let turn = 1; turn <= TURNS; turn++) {
    program.forget();
    program.type(`turn ${turn}\r`);
    await program.sees('A short answer.');
    await program.sees('% of');
    if (turn === EARLY_TURNS) early = (await read()).usedMB;
  }
  const { usedMB } = await read();
  const resident = program.memoryMB();
  program.kill();
  return [
    [`memory in use after ${EARLY_TURNS} turns`, early, undefined, 'MB'],
    [`growth of memory in use until turn ${TURNS}`, usedMB - early, 20, 'MB'],
    [`resident memory after ${TURNS} turns`, resident, undefined, 'MB'],
  ];
}

/** Resizes the window while lines stream in. Each line must be on the screen or in the scrollback once. */
async function resizes(place: Place): Promise<Figure[]> {
  const emulator = new xterm.Terminal({ cols: 100, rows: 40, scrollback: 10_000, allowProposedApi: true });
  const program = startProgram(place, { env: { TERM_PROGRAM: 'vscode' } });
  program.onData((data) => emulator.write(data));
  emulator.onData((reply) => program.type(reply));
  await program.sees('> ');
  await sleep(500);
  program.type('lines\r');
  await program.sees('L10 ');
  for (const [columns, rows] of SIZES) {
    emulator.resize(columns, rows);
    program.resize(columns, rows);
    await sleep(200);
  }
  await program.sees('% of');
  await sleep(500);
  program.kill();
  const { active } = emulator.buffer;
  const shown = Array.from({ length: active.length }, (_, row) => active.getLine(row)?.translateToString() ?? '');
  const counts = new Map<string, number>();
  for (const [line] of shown.join('\n').matchAll(/\bL\d+\b/g)) counts.set(line, (counts.get(line) ?? 0) + 1);
  const wrong = Array.from({ length: 600 }, (_, line) => counts.get(`L${line}`) ?? 0).filter((count) => count !== 1);
  return [['rows lost or doubled by nine resizes', wrong.length, 1, 'rows']];
}

/** The line conversation is the measure: it loads and draws less. */
async function starts(place: Place): Promise<Figure[]> {
  const times: Record<'rich' | 'plain', { wall: number[]; cpu: number[] }> = {
    rich: { wall: [], cpu: [] },
    plain: { wall: [], cpu: [] },
  };
  for (let start = 0; start < STARTS; start++)
    for (const [kind, argv] of [
      ['plain', ['--plain']],
      ['rich', []],
    ] as const) {
      const startedAt = performance.now();
      const program = startProgram(place, { argv });
      await program.sees('> ');
      times[kind].wall.push(performance.now() - startedAt);
      times[kind].cpu.push(program.cpuMs());
      program.kill();
    }
  const [rich, plain] = [at(0.5, times.rich.wall), at(0.5, times.plain.wall)];
  return [
    ['spawn to prompt', rich, undefined, 'ms'],
    ['   the same, of --plain', plain, undefined, 'ms'],
    ['   ratio', rich / plain, 1.15, 'times'],
    ['processor time to prompt beyond --plain', at(0.5, times.rich.cpu) - at(0.5, times.plain.cpu), 15, 'ms'],
  ];
}

spawnSync(process.execPath, [path.join(ROOT, 'scripts/bundle.ts')], { stdio: 'ignore' });
const folder = mkdtempSync(path.join(os.tmpdir(), 'heddle-bench-terminal-'));
const server = spawnProcess(process.execPath, [path.join(import.meta.dirname, 'terminal/server.ts')], {
  stdio: ['pipe', 'pipe', 'inherit'],
});
const [port] = (await once(server.stdout, 'data')) as [Buffer];
const place: Place = { folder, api: `http://127.0.0.1:${port.toString().trim()}` };
const lines: string[] = [`Node ${process.version}; ${LETTERS.length} keys`];
process.stdout.write(`${lines[0]}\n`);
let isMissed = false;
for (const part of [typing, stretches, spinner, resizes, starts, memory])
  for (const [what, value, goal, unit] of await part(place)) {
    isMissed ||= goal !== undefined && value >= goal;
    const verdict = goal === undefined ? '' : `   goal < ${goal}${value < goal ? '' : '  MISSED'}`;
    const line = `${what.padEnd(48)} ${value.toFixed(1).padStart(8)} ${unit}${verdict}`;
    lines.push(line);
    process.stdout.write(`${line}\n`);
  }
server.stdin.end();
rmSync(folder, { recursive: true, force: true });
writeFileSync(path.join(import.meta.dirname, 'terminal.txt'), `${lines.join('\n')}\n`);
process.exitCode = isMissed ? 1 : 0;
