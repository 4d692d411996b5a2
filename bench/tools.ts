// `npm run bench:tools`: from a command's output to its result, and searches compared with plain ripgrep.
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { contextOf } from '@heddle/testing';
import { builtinTools, createSearchTools, TaskRegistry } from '@heddle/tools';
import { packagedRipgrep, WalkEngine } from '@heddle/tools/engines';

const FILES = 20_000;
const RUNS = 15;
const SLOWEST_GREP = 1.3;

const ripgrep = await packagedRipgrep();
if (ripgrep === undefined) throw new Error('ripgrep is not installed');
const folder = mkdtempSync(path.join(tmpdir(), 'heddle-bench-'));
const tree = plant();
const context = { ...contextOf({ workingDirectory: tree }), toolUseId: 'bench' };
const tasks = new TaskRegistry({ folder: path.join(folder, 'tasks') });
const tools = new Map(builtinTools({ shell: { tasks, projectDirectory: tree } }).map((tool) => [tool.name, tool]));
const lines = [`Node ${process.version}; medians of ${RUNS} runs.`];
const failed: string[] = [];

const output = await commandOutput();
row('Bash: 5 MB of output to the result', `${output.ms.toFixed(1)} ms`, output.ms < 100, 'goal < 100');
row('      of which the model is sent', `${output.bytes} bytes`, output.bytes < 5_000, 'goal < 5000');
row('Bash: the shortest command', `${(await median(() => call('Bash', { command: 'true' }))).toFixed(1)} ms`);

for (const [label, pattern, flags] of [
  ['1,000 of 20,000 files match', 'needle', {}],
  ['all of 20,000 files match', 'export', {}],
  ['lines with numbers', 'needle', { output_mode: 'content', head_limit: 0 }],
] as const) {
  const [bare = Number.NaN, ours = Number.NaN] = await medians([() => bareRipgrep(pattern, 'output_mode' in flags), () => call('Grep', { pattern, ...flags })]);
  const ratio = ours / bare;
  row(`Grep: ${label}`, `${ours.toFixed(0)} ms, bare ripgrep ${bare.toFixed(0)} ms: ${ratio.toFixed(2)} ×`, ratio < SLOWEST_GREP, `goal < ${SLOWEST_GREP} ×`);
}
const walk = createSearchTools({ engine: async () => new WalkEngine() });
row('      the same without ripgrep', `${(await median(() => use(walk[0], { pattern: 'needle' }), 3)).toFixed(0)} ms`);
row('Glob: **/*.ts in 20,000 files', `${(await median(() => call('Glob', { pattern: '**/*.ts' }))).toFixed(0)} ms`);
row('      the same without ripgrep', `${(await median(() => use(walk[1], { pattern: '**/*.ts' }), 3)).toFixed(0)} ms`);
row('Read: 1,000 files, ten at a time', `${(await median(readThousand, 3)).toFixed(0)} ms, bare readFile ${(await median(bareThousand, 3)).toFixed(0)} ms`);

rmSync(folder, { recursive: true });
const report = `${lines.join('\n')}\n`;
process.stdout.write(report);
writeFileSync(path.join(import.meta.dirname, 'tools.txt'), report);
process.exitCode = failed.length === 0 ? 0 : 1;

function plant(): string {
  const root = path.join(folder, 'tree');
  for (let index = 0; index < FILES; index++) {
    const place = path.join(root, `d${index % 200}`);
    if (index < 200) mkdirSync(place, { recursive: true });
    const body = `export const value${index} = ${index};\n// ${'lorem ipsum dolor '.repeat(8)}\n`.repeat(8);
    writeFileSync(path.join(place, `f${index}.ts`), index % 20 === 0 ? `${body}needle\n` : body);
  }
  return root;
}

async function commandOutput(): Promise<{ ms: number; bytes: number }> {
  let bytes = 0;
  const ms = await median(async () => {
    bytes = Buffer.byteLength(await call('Bash', { command: 'head -c 5000000 /dev/zero | tr "\\\\0" x' }));
  });
  return { ms, bytes };
}

async function call(name: string, input: unknown): Promise<string> {
  return use(tools.get(name), input);
}

async function use(tool: ReturnType<typeof builtinTools>[number] | undefined, input: unknown): Promise<string> {
  if (!tool) throw new Error('no such tool');
  const parsed = (await tool.inputSchema()).safeParse(input);
  if (!parsed.success) throw new Error(parsed.error.message);
  const { data } = await tool.call(parsed.data, context, () => undefined);
  return JSON.stringify(tool.toResult(data).content);
}

function bareRipgrep(pattern: string, isContent: boolean): Promise<void> {
  const child = spawn(ripgrep ?? '', ['--no-config', '--hidden', isContent ? '-n' : '-l', pattern], { cwd: tree, stdio: ['ignore', 'pipe', 'ignore'] });
  child.stdout.resume();
  return new Promise((resolve) => child.once('close', () => resolve()));
}

async function readThousand(): Promise<void> {
  for (let index = 0; index < 1_000; index += 10) {
    await Promise.all(Array.from({ length: 10 }, (_, step) => call('Read', { file_path: fileAt(index + step) })));
  }
}

async function bareThousand(): Promise<void> {
  for (let index = 0; index < 1_000; index += 10) {
    await Promise.all(Array.from({ length: 10 }, (_, step) => readFile(fileAt(index + step), 'utf8')));
  }
}

function fileAt(index: number): string {
  return path.join(tree, `d${index % 200}`, `f${index}.ts`);
}

async function median(run: () => Promise<unknown>, runs = RUNS): Promise<number> {
  return (await medians([run], runs))[0] ?? 0;
}

/** Runs alternate, so that a slow machine affects all of them. */
async function medians(runs: readonly (() => Promise<unknown>)[], count = RUNS): Promise<number[]> {
  const times = runs.map((): number[] => []);
  for (let round = -1; round < count; round++) {
    for (const [index, run] of runs.entries()) {
      const from = performance.now();
      await run();
      if (round >= 0) times[index]?.push(performance.now() - from);
    }
  }
  return times.map((taken) => taken.sort((left, right) => left - right)[Math.floor(taken.length / 2)] ?? 0);
}

function row(what: string, value: string, isMet = true, goal = ''): void {
  if (!isMet) failed.push(what);
  lines.push(`${what.padEnd(42)} ${value}${goal === '' ? '' : `   (${goal}${isMet ? '' : ', MISSED'})`}`);
}
