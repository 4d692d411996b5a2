// `npm run bench:barrier [other checkout]`: the cost of a step of the engine with its journal on disk. Runs alternate between this
// checkout and another one, so that both see the same noise. The smallest processor time per step of each is compared.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { ModelRecord, Tool } from '@heddle/core';

const STEPS = 1_500;
const ROUNDS = 6;
const here = path.resolve(import.meta.dirname, '..');
const [mode = here] = process.argv.slice(2);

function compare(checkouts: readonly string[]): void {
  const best = new Map<string, number>();
  for (let round = 0; round < ROUNDS; round++)
    for (const [at, checkout] of checkouts.entries()) {
      const script = path.join(checkout, 'bench/barrier.ts');
      const perStep = Number(execFileSync(process.execPath, [script, '--measure'], { encoding: 'utf8' }));
      const name = `${at === 0 ? 'this' : 'other'} checkout`;
      best.set(name, Math.min(best.get(name) ?? Number.POSITIVE_INFINITY, perStep));
    }
  for (const [name, ms] of best) console.log(`${name}: ${ms.toFixed(3)} ms of processor time per step`);
}

async function measure(): Promise<void> {
  const { createAgent, newSession } = await import('@heddle/agent');
  const configDir = mkdtempSync(path.join(tmpdir(), 'heddle-bench-'));
  const setup = { place: { configDir, cwd: '/' }, version: '0', durability: 'process', now: Date.now } as const;
  const opened = newSession(setup, '00000000-0000-4000-8000-000000000000');
  if (!opened.ok) throw new Error(opened.message);
  const agent = createAgent({ model: oneCallAtATime, modelName: 'bench', tools: [look], cwd: '/', session: opened.session, config: { gates: { autoCompact: false, repetition: false } } });
  const before = process.cpuUsage();
  for await (const _ of agent.submit('go')) void _;
  const { user, system } = process.cpuUsage(before);
  opened.session.journal.close();
  rmSync(configDir, { recursive: true });
  process.stdout.write(String((user + system) / 1_000 / STEPS));
}

const look: Tool<{ at: number }, string> = {
  name: 'Look',
  description: 'Looks.',
  inputJSONSchema: { type: 'object' },
  inputSchema: () => ({ safeParse: () => ({ success: true, data: { at: 0 } }) }),
  isReadOnly: () => true,
  isConcurrencySafe: () => true,
  maxResultSize: 100_000,
  interruptBehavior: 'cancel',
  call: () => Promise.resolve({ data: 'a short result' }),
  toResult: (content) => ({ content }),
};

let calls = 0;

async function* oneCallAtATime(): AsyncGenerator<ModelRecord> {
  const at = ++calls;
  const usage = { input_tokens: 1, output_tokens: 1 };
  yield { type: 'message_start', message: { id: `msg_${at}`, model: 'bench', usage } };
  const block = at > STEPS ? { type: 'text', text: 'Done.' } as const : ({ type: 'tool_use', id: `c${at}`, name: 'Look', input: {} } as const);
  yield { type: 'content_block_start', index: 0, content_block: block };
  if (at <= STEPS) yield { type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: `{"at":${at}}` } };
  yield { type: 'content_block_stop', index: 0 };
  yield { type: 'message_delta', delta: { stop_reason: at > STEPS ? 'end_turn' : 'tool_use' }, usage: { output_tokens: 20 } };
  yield { type: 'message_stop' };
  yield { type: 'done' };
}

if (mode === '--measure') await measure();
else compare([here, path.resolve(mode)]);
