// `npm run bench:loop`: the cost of one step of the loop, and its growth. 10,000 tool steps in one run,
// compaction off, every request's full bytes consumed. Copying those bytes is measured separately, because
// it must grow with the conversation.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { type ModelPort, type ModelRecord, query, type Tool } from '@heddle/core';
import { plainContext, plainDeps } from './stream/deps.ts';

const STEPS = Number(process.argv[2] ?? 10_000);
const SAMPLE = 100;
/** The first steps include compilation. The steady state begins after them. */
const WARM_UP = 500;
/**
 * Retained memory shows only after a collection. It runs rarely, so that the steps keep their own
 * collections.
 */
const HEAP_EVERY = STEPS / 20;

setFlagsFromString('--expose-gc');
const collect: unknown = runInNewContext('gc');

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

const samples: number[] = [];
const heap: { step: number; bytes: number }[] = [];
const run = query({
  messages: [{ type: 'user', uuid: 'u1', at: 0, content: 'Look around.' }],
  systemPrompt: ['You look around.'],
  userContext: {},
  systemContext: {},
  authorizeCall: () => Promise.resolve({ behavior: 'allow' }),
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
    samples.push((cpuMs() - last.cpu - (copyMs - last.copy)) / SAMPLE);
    if (steps % HEAP_EVERY === 0) heap.push({ step: steps, bytes: bytesKept() });
    last = { cpu: cpuMs(), copy: copyMs };
  }
}

const steady = samples.slice(WARM_UP / SAMPLE);
const first = steady[0] ?? Number.NaN;
const end = steady.at(-1) ?? Number.NaN;
const all = median(steady);
const tenth = Math.max(1, Math.floor(steady.length / 10));
const firstTenth = median(steady.slice(0, tenth));
const lastTenth = median(steady.slice(-tenth));
const line = fit(heap);
// One sample of a hundred steps is easily disturbed, and the first may include compilation, so the medians
// count, too.
const goals = { cost: all < 0.3, growth: end / first <= 1.2, tenths: lastTenth / firstTenth <= 1.2, memory: line.share >= 0.99 };
const report = [
  `Node ${process.version}, ${STEPS} tool steps, ended with ${reason}; the first ${WARM_UP} steps are warm-up and not counted`,
  `cpu per step, copying apart   ${all.toFixed(3)} ms   goal < 0.3   ${verdict(goals.cost)}`,
  `first 100 / last 100 steps    ${first.toFixed(3)} / ${end.toFixed(3)} ms   ratio ${(end / first).toFixed(2)}   goal <= 1.2   ${verdict(goals.growth)}`,
  `first / last tenth, medians   ${firstTenth.toFixed(3)} / ${lastTenth.toFixed(3)} ms   ratio ${(lastTenth / firstTenth).toFixed(2)}   goal <= 1.2   ${verdict(goals.tenths)}`,
  `copying the bytes             ${(copyMs / STEPS).toFixed(3)} ms a step, ${(bytesCopied / 1e9).toFixed(1)} GB in all`,
  `last request                  ${(lastBytes / 1e6).toFixed(2)} MB`,
  `heap kept at the end          ${((heap.at(-1)?.bytes ?? 0) / 1e6).toFixed(0)} MB`,
  `heap over steps, a line       ${(line.slope / 1e3).toFixed(2)} kB a step, explains ${(100 * line.share).toFixed(2)} %   goal >= 99   ${verdict(goals.memory)}`,
].join('\n');
process.stdout.write(`${report}\n`);
writeFileSync(path.join(import.meta.dirname, 'loop.txt'), `${report}\n`);
process.exitCode = Object.values(goals).every(Boolean) ? 0 : 1;

function verdict(isMet: boolean): string {
  return isMet ? 'met' : 'MISSED';
}

function bytesKept(): number {
  if (typeof collect === 'function') collect();
  return process.memoryUsage().heapUsed;
}

/** Least squares: the growth per step, and the share of the variance that a straight line explains. */
function fit(points: readonly { step: number; bytes: number }[]): { slope: number; share: number } {
  const mean = (of: (point: { step: number; bytes: number }) => number) => points.reduce((sum, point) => sum + of(point), 0) / points.length;
  const x = mean(({ step }) => step);
  const y = mean(({ bytes }) => bytes);
  const xy = mean(({ step, bytes }) => (step - x) * (bytes - y));
  const xx = mean(({ step }) => (step - x) ** 2);
  const yy = mean(({ bytes }) => (bytes - y) ** 2);
  return { slope: xy / xx, share: xy ** 2 / (xx * yy) };
}

function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
