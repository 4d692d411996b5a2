// `npm run bench:hosts`: 50 sessions at once on one machine, as processes of a host and as agents in one process.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { createAgent } from '@heddle/agent';
import { isRecord } from '@heddle/core';
import { call, say, scriptedModel, startFakeApi } from '@heddle/testing';
import { builtinTools } from '@heddle/tools';

const SESSIONS = 50;
const MODEL = 'claude-sonnet-4-5';
const root = path.dirname(import.meta.dirname);
const folder = mkdtempSync(path.join(os.tmpdir(), 'heddle-bench-'));
spawnSync(process.execPath, [path.join(root, 'scripts/bundle.ts')], { stdio: 'inherit' });

const processes = await asProcesses();
const agents = await inOneProcess();
rmSync(folder, { recursive: true, force: true });
const report = [
  `Node ${process.version}; ${SESSIONS} sessions at once, one command and one answer each`,
  `as processes: ${processes.right} right; memory of each (proportional share) median ${processes.memoryMB.toFixed(1)} MB   goal < 90${processes.memoryMB < 90 ? '' : '  MISSED'}`,
  `in one process: ${agents.right} right; memory of each ${agents.memoryMB.toFixed(2)} MB, all ${agents.totalMB.toFixed(0)} MB`,
].join('\n');
process.stdout.write(`${report}\n`);
writeFileSync(path.join(import.meta.dirname, 'hosts.txt'), `${report}\n`);
process.exitCode = processes.memoryMB < 90 && processes.right === SESSIONS && agents.right === SESSIONS ? 0 : 1;

/** Each host has its own server, so that each script is played from its beginning. */
async function asProcesses(): Promise<{ readonly right: number; readonly memoryMB: number }> {
  const apis = await Promise.all(
    Array.from({ length: SESSIONS }, (_, index) =>
      startFakeApi([call('Bash', { command: 'pwd' }, 'b1'), say(`Answer ${index}.`)], { models: [MODEL] }),
    ),
  );
  const sessions = await Promise.all(apis.map(({ url }) => answered(url)));
  const memory = sessions.map(({ child }) => sharedMemoryMB(child.pid ?? 0)).toSorted((a, b) => a - b);
  for (const { child } of sessions) child.stdin?.end();
  for (const api of apis) await api.close();
  return {
    right: sessions.filter(({ result }, index) => result === `Answer ${index}.`).length,
    memoryMB: memory[Math.floor(memory.length / 2)] ?? Number.NaN,
  };
}

/** Resolves with the first result. The process stays, so that its memory can be measured. */
function answered(url: string): Promise<{ readonly child: ChildProcess; readonly result: unknown }> {
  const flags = ['--input-format', 'stream-json', '--output-format', 'stream-json', '--model', MODEL];
  const env = { ...process.env, HOME: folder, ANTHROPIC_API_KEY: 'key', ANTHROPIC_BASE_URL: url };
  const child = spawn(path.join(root, 'bin/heddle'), flags, {
    cwd: folder,
    env,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const prompt = { type: 'user', message: { role: 'user', content: 'Where are we?' } };
  child.stdin.write(`${JSON.stringify(prompt)}\n`);
  return new Promise((resolve) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      const message: unknown = JSON.parse(line);
      if (isRecord(message) && message['type'] === 'result') resolve({ child, result: message['result'] });
    });
  });
}

/** Pages that several processes share count in parts, as `smaps_rollup` of Linux reports them. */
function sharedMemoryMB(pid: number): number {
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
  return Number(/^Pss:\s+(\d+) kB$/m.exec(rollup)?.[1]) / 1024;
}

async function inOneProcess(): Promise<{
  readonly right: number;
  readonly memoryMB: number;
  readonly totalMB: number;
}> {
  const run = async (index: number) => {
    const model = scriptedModel([call('Bash', { command: 'pwd' }, 'b1'), say(`Answer ${index}.`)]);
    const agent = createAgent({ model, modelName: 'scripted', tools: builtinTools(), cwd: folder });
    let result: unknown;
    for await (const line of agent.submit('Where are we?')) if (line.type === 'result') result = line.result;
    return { agent, isRight: result === `Answer ${index}.` };
  };
  // The first run loads the code.
  await run(-1);
  globalThis.gc?.();
  const before = process.memoryUsage.rss();
  const agents = await Promise.all(Array.from({ length: SESSIONS }, (_, index) => run(index)));
  globalThis.gc?.();
  const total = process.memoryUsage.rss();
  return {
    right: agents.filter(({ isRight }) => isRight).length,
    memoryMB: (total - before) / SESSIONS / 1e6,
    totalMB: total / 1e6,
  };
}
