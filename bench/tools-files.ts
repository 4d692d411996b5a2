// The cost of the file tools: reading 1,000 files, edits, pages of a huge file, a large image, a PDF. Part
// of `npm run bench:tools`.
import { mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync, writeSync, closeSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { CallContext, FileState, Tool } from '@heddle/core';
import { CheckpointStore, createFileTools } from '@heddle/tools';
import { pdfOf } from '@heddle/testing/samples';
import { pngOf } from './tools-files/samples.ts';

const folder = mkdtempSync(path.join(os.tmpdir(), 'heddle-bench-'));
const FILES = 1_000;
const lines: string[] = [];
const say = (line: string): void => {
  lines.push(line);
  console.log(line);
};

try {
  await main();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
writeFileSync(path.join(import.meta.dirname, 'tools-files.txt'), `${lines.join('\n')}\n`);

async function main(): Promise<void> {
  const source = readFileSync(path.join(import.meta.dirname, '../packages/tools/src/read/show.ts'), 'utf8').repeat(2);
  mkdirSync(path.join(folder, 'src'));
  for (let index = 0; index < FILES; index += 1) writeFileSync(file(index), `// ${index}\n${source}`);
  say(`node ${process.version}, ${os.cpus().length} cpus, ${os.type()} ${os.arch()}; files of ${Buffer.byteLength(source)} bytes`);

  const bare = await timed(async () => {
    for (let index = 0; index < FILES; index += 1) await readFile(file(index));
  });
  say(`bare readFile, one after the other     1,000 files  ${show(bare)}`);
  const store = new CheckpointStore({ folder: path.join(folder, 'history') });
  await store.begin('m1');
  const plain = harness(createFileTools());
  const kept = harness(createFileTools({ checkpoints: store }));
  await plain('Read', { file_path: file(0) });

  say(`Read, one after the other              1,000 files  ${show(await timed(() => each((index) => plain('Read', { file_path: file(index) }))))}`);
  const tens = await timed(async () => {
    for (let index = 0; index < FILES; index += 10) {
      await Promise.all(Array.from({ length: 10 }, (_, more) => plain('Read', { file_path: file(index + more) })));
    }
  });
  say(`Read, ten at a time                    1,000 files  ${show(tens)}`);
  const edit = (index: number, to: string) => ({ file_path: file(index), old_string: `// ${index}\n`, new_string: to });
  say(`Edit, one after the other              1,000 files  ${show(await timed(() => each((index) => plain('Edit', edit(index, `// ${index}!\n`)))))}`);
  for (let index = 0; index < FILES; index += 1) writeFileSync(file(index), `// ${index}\n${source}`);
  await each((index) => kept('Read', { file_path: file(index) }));
  say(`Edit with a checkpoint each            1,000 files  ${show(await timed(() => each((index) => kept('Edit', edit(index, `// ${index}!\n`)))))}`);
  say(`rewind, dry run                        1,000 files  ${show(await timed(() => store.rewind('m1', { dryRun: true })))}`);
  say(`rewind                                 1,000 files  ${show(await timed(() => store.rewind('m1')))}`);

  await huge(plain);
  await media(plain);
}

async function huge(call: Call): Promise<void> {
  const name = path.join(folder, 'huge.log');
  const handle = openSync(name, 'w');
  const block = `${'y'.repeat(99)}\n`.repeat(100_000);
  for (let index = 0; index < 100; index += 1) writeSync(handle, block);
  closeSync(handle);
  const before = process.memoryUsage().rss;
  say(`first page of a file of 1 GB                        ${show(await timed(() => call('Read', { file_path: name })))}`);
  say(`line 9,000,000 of it                                ${show(await timed(() => call('Read', { file_path: name, offset: 9_000_000, limit: 10 })))}`);
  say(`memory grew by                                      ${((process.memoryUsage().rss - before) / 2 ** 20).toFixed(0)} MB`);
}

async function media(call: Call): Promise<void> {
  for (const [what, bits] of [['flat', 0], ['photo-like', 5]] as const) {
    const name = path.join(folder, `${what}.png`);
    writeFileSync(name, pngOf(4_000, 3_000, bits));
    say(`PNG of 12 megapixels, ${what.padEnd(10)}, scaled down      ${show(await timed(() => call('Read', { file_path: name })))}`);
  }
  writeFileSync(path.join(folder, 'a.pdf'), pdfOf(Array.from({ length: 200 }, (_, index) => `words of page ${index}`)));
  say(`20 pages of a PDF of 200                            ${show(await timed(() => call('Read', { file_path: path.join(folder, 'a.pdf') })))}`);
  writeFileSync(path.join(folder, 'b.pdf'), pdfOf(['', '', '', '', '']));
  say(`pictures of 5 pages without text                    ${show(await timed(() => call('Read', { file_path: path.join(folder, 'b.pdf') })))}`);
}

type Call = (name: string, input: object) => Promise<unknown>;

function harness(tools: readonly Tool[]): Call {
  const known = new Map<string, FileState>();
  const fileState = { get: (name: string) => known.get(name), set: (name: string, state: FileState) => void known.set(name, state), paths: () => [...known.keys()] };
  const context: CallContext = {
    tools,
    model: 'bench',
    permissionMode: 'default',
    signal: new AbortController().signal,
    workingDirectory: folder,
    additionalDirectories: [],
    agentId: undefined,
    fileState,
    toolUseId: 'bench',
  };
  return async (name, input) => {
    const tool = tools.find((candidate) => candidate.name === name);
    if (!tool) throw new Error(name);
    return tool.toResult((await tool.call(input, context, () => undefined)).data);
  };
}

async function each(work: (index: number) => Promise<unknown>): Promise<void> {
  for (let index = 0; index < FILES; index += 1) await work(index);
}

async function timed(work: () => Promise<unknown>): Promise<{ ms: number; cpu: number }> {
  const cpu = process.cpuUsage();
  const began = performance.now();
  await work();
  const { user, system } = process.cpuUsage(cpu);
  return { ms: performance.now() - began, cpu: (user + system) / 1000 };
}

function show({ ms, cpu }: { ms: number; cpu: number }): string {
  return `${ms.toFixed(0).padStart(6)} ms  (cpu ${cpu.toFixed(0)} ms)`;
}

function file(index: number): string {
  return path.join(folder, 'src', `file${index}.ts`);
}
