// `npm run bench:loop`: what one step of the loop costs, and whether it grows. 10,000 tool steps in one run, compaction off,
// every request's full bytes consumed; copying those bytes is measured apart, since it must grow with the conversation.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { type ModelPort, type ModelRecord, query, type Tool } from '@heddle/core';
import { plainContext, plainDeps } from './stream/deps.ts';

const STEPS = Number(process.argv[2] ?? 10_000);
const SAMPLE = 100;

let copyMs = 0;
let bytesCopied = 0;
let lastBytes = 0;
let calls = 0;
let sink = new Uint8Array(1 << 20);

/** Sends one call at a time, and reads every byte of the request as a socket would. */
const model: ModelPort = async function* (request): AsyncGenerator<ModelRecord> {
  const before = cpuMs();
  let length = 0;
  for (const piece of request.messagesJson) {
    if (length + piece.length > sink.length) sink = new Uint8Array(2 * (length + piece.length));
    sink.set(piece, length);
    length += piece.length;
  }
  bytesCopied += length;
  lastBytes = length;
  copyMs += cpuMs() - before;
  const call = ++calls;
  yield { type: 'message_start', message: { id: `msg_${call}`, model: 'bench', usage: { input_tokens: 1, output_tokens: 1 } } };
  if (call <= STEPS) {
    yield { type: 'content_block_start', index: 0, content_block: { type: 'tool_use', id: `toolu_${call}`, name: 'Look', input: {} } };
    yield { type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: `{"at":${call}}` } };
  } else {
    yield { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } };
    yield { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Done.' } };
  }
  yield { type: 'content_block_stop', index: 0 };
  yield { type: 'message_delta', delta: { stop_reason: call <= STEPS ? 'tool_use' : 'end_turn' }, usage: { output_tokens: 20 } };
  yield { type: 'message_stop' };
  yield { type: 'done' };
};

const look: Tool<{ at: number }, string> = {
  name: 'Look',
  description: 'Looks.',
  inputJSONSchema: { type: 'object' },
  inputSchema: () => ({ safeParse: () => ({ success: true, data: { at: 0 } }) }),
  isReadOnly: () => true,
  isConcurrencySafe: () => true,
  maxResultSize: 100_000,
  interruptBehavior: 'cancel',
  call: () => Promise.resolve({ data: 'a result of about a hundred characters, as a small search or a short command would give it back to us' }),
  toResult: (content) => ({ content }),
};

const samples: { cpuMs: number; heapMB: number }[] = [];
const run = query({
  messages: [{ type: 'user', uuid: 'u1', at: 0, content: 'Look around.' }],
  systemPrompt: ['You look around.'],
  userContext: {},
  systemContext: {},
  canUseTool: () => Promise.resolve({ behavior: 'allow' }),
  toolUseContext: plainContext('bench', [look]),
  querySource: 'sdk',
  config: { sessionId: 'bench', gates: { autoCompact: false, reactiveCompact: false } },
  deps: plainDeps(model),
});

let steps = 0;
let last = { cpu: cpuMs(), copy: 0 };
let reason = '';
while (true) {
  const next = await run.next();
  if (next.done) {
    reason = next.value.reason;
    break;
  }
  if (next.value.type === 'transition' && ++steps % SAMPLE === 0) {
    const now = { cpu: cpuMs(), copy: copyMs };
    samples.push({ cpuMs: (now.cpu - last.cpu - (now.copy - last.copy)) / SAMPLE, heapMB: process.memoryUsage().heapUsed / 1e6 });
    last = { cpu: cpuMs(), copy: copyMs };
  }
}

// The very first samples pay for compiling the code: the steady state begins after them.
const steady = samples.slice(5);
const first = median(steady.slice(0, 10).map((sample) => sample.cpuMs));
const end = median(steady.slice(-10).map((sample) => sample.cpuMs));
const all = median(steady.map((sample) => sample.cpuMs));
const report = [
  `Node ${process.version}, ${STEPS} tool steps, ended with ${reason}`,
  `cpu per step, copying apart   ${all.toFixed(3)} ms   goal < 0.3`,
  `first 1,000 / last 1,000      ${first.toFixed(3)} / ${end.toFixed(3)} ms   ratio ${(end / first).toFixed(2)}   goal <= 1.2`,
  `copying the bytes             ${(copyMs / STEPS).toFixed(3)} ms a step, ${(bytesCopied / 1e9).toFixed(1)} GB in all`,
  `last request                  ${(lastBytes / 1e6).toFixed(2)} MB`,
  `heap at the end               ${samples.at(-1)?.heapMB.toFixed(0)} MB, ${(((samples.at(-1)?.heapMB ?? 0) * 1e6) / STEPS / 1e3).toFixed(1)} kB a step`,
].join('\n');
process.stdout.write(`${report}\n`);
writeFileSync(path.join(import.meta.dirname, 'loop.txt'), `${report}\n`);
process.exitCode = all < 0.3 && end / first <= 1.2 ? 0 : 1;

function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
