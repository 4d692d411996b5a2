// `npm run bench:context`: the cost of idle context levels, how often microcompact breaks the cached
// prefix, and the cost of a session of 300 turns with and without compaction, by the cache-bill calculator.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { contextOptions, type ContextChanges, createContextPort, memoryCollapses, modelSummarizer, NO_COMPACTION_HOOKS, NOTHING_TO_REREAD, SUMMARY_MARK } from '@heddle/context';
import { History, type Message, type ModelPort, type ModelRecord, query, type Tool } from '@heddle/core';
import { type CacheCost, sessionCacheCost, bodyOf, collect, fakeTool, type RequestBody, shareRead } from '@heddle/testing';
import { plainContext, plainDeps } from './stream/deps.ts';

const HEAD = { systemPrompt: ['You are a careful engineer. '.repeat(200)], systemContext: {}, userContext: {} };
const read = fakeTool({ name: 'Read', compactable: true });
let ids = 0;

function portOf(changes: ContextChanges, model: ModelPort) {
  const clock = { now: Date.now, sleep: () => Promise.resolve() };
  return createContextPort(
    { options: contextOptions(changes), head: HEAD },
    {
      now: Date.now,
      uuid: () => `c${++ids}`,
      spills: { pathOf: (id) => `/session/${id}`, write: () => Promise.resolve(true) },
      summarize: modelSummarizer({ model, clock, random: Math.random, head: HEAD }),
      collapses: memoryCollapses(),
      reread: NOTHING_TO_REREAD,
      hooks: NO_COMPACTION_HOOKS,
    },
  );
}

function round(index: number, output: string): Message[] {
  const [id, at] = [`toolu_${index}`, Date.now()];
  return [
    { type: 'assistant', uuid: `a${index}`, at, responseId: `r${index}`, model: 'bench', content: [{ type: 'tool_use', id, name: 'Read', input: { file_path: `/src/${index}.ts` } }] },
    { type: 'user', uuid: `u${index}`, at, content: [{ type: 'tool_result', tool_use_id: id, content: output }] },
  ];
}

const words = (tokens: number, seed: number) =>
  Array.from({ length: Math.floor(tokens * 0.9) }, (_, index) => ['loop', 'reads', 'every', 'message', 'once', 'and', 'keeps', 'it'][(index * 5 + seed) % 8]).join(' ');

const silent: ModelPort = async function* () {
  yield { type: 'model_error', class: 'server', message: 'not asked' };
};

/**
 * The worst single turn depends on the machine (garbage collection, another process), so the goal applies
 * to the 99th percentile.
 */
async function idleMs(levels: NonNullable<ContextChanges['levels']>): Promise<{ median: number; high: number; worst: number }> {
  const context = plainContext('bench', [read]);
  const port = portOf({ windowOf: () => 2_000_000, levels }, silent);
  let history = History.of<Message>([{ type: 'user', uuid: 'u', at: Date.now(), content: 'Go.' }]);
  for (let index = 0; index < 1_000; index++) history = history.append(round(index, words(150, index)));
  history = (await collect(port.prepare({ messages: history, autoCompact: true, context }))).returned.messages;
  const times: number[] = [];
  for (let index = 1_000; index < 1_200; index++) {
    history = history.append(round(index, words(150, index)));
    const before = performance.now();
    const { yielded, returned } = await collect(port.prepare({ messages: history, autoCompact: true, context }));
    times.push(performance.now() - before);
    if (yielded.length > 0) throw new Error(`something was done: ${JSON.stringify(yielded[0]).slice(0, 200)}`);
    history = returned.messages;
    port.answered({ responseId: `r${index}`, usage: { input_tokens: 150_000, output_tokens: 10, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 } });
  }
  times.sort((left, right) => left - right);
  return { median: times[100] ?? 0, high: times[197] ?? 0, worst: times.at(-1) ?? 0 };
}

async function microcompactGap(): Promise<{ times: number; turns: number; leastGap: number }> {
  const context = plainContext('bench', [read]);
  const port = portOf({ windowOf: () => 200_000 }, silent);
  let history = History.of<Message>([{ type: 'user', uuid: 'u', at: Date.now(), content: 'Go.' }]);
  const fired: number[] = [];
  const turns = 400;
  for (let index = 0; index < turns; index++) {
    history = history.append(round(index, words(4_000, index)));
    const { yielded, returned } = await collect(port.prepare({ messages: history, autoCompact: false, context }));
    if (yielded.some((step) => 'report' in step && step.report.level === 'microcompact')) fired.push(index);
    history = returned.messages;
  }
  const gaps = fired.slice(1).map((turn, index) => turn - (fired[index] ?? 0));
  return { times: fired.length, turns, leastGap: Math.min(...gaps) };
}

/** 300 calls of a tool, then the end, with summaries in between on request. */
async function session(changes: ContextChanges, compacting: boolean): Promise<{ bodies: RequestBody[]; summaries: number; output: number }> {
  const bodies: RequestBody[] = [];
  let [turns, summaries, output] = [0, 0, 0];
  const model: ModelPort = async function* (request): AsyncGenerator<ModelRecord> {
    bodies.push(bodyOf(request));
    const asked = JSON.stringify(request.messages.last()?.content ?? '').includes(SUMMARY_MARK);
    yield { type: 'message_start', message: { id: `msg_${bodies.length}`, model: 'bench', usage: { input_tokens: 0, output_tokens: 1 } } };
    if (asked) {
      summaries++;
      output += 1_500;
      yield { type: 'content_block_start', index: 0, content_block: { type: 'text', text: `## Intent\n${words(1_500, 1)}` } };
    } else if (++turns <= 300) {
      output += 60;
      yield { type: 'content_block_start', index: 0, content_block: { type: 'tool_use', id: `toolu_${turns}`, name: 'Read', input: { file_path: `/src/${turns}.ts` } } };
    } else yield { type: 'content_block_start', index: 0, content_block: { type: 'text', text: 'Done.' } };
    yield { type: 'content_block_stop', index: 0 };
    yield { type: 'message_delta', delta: { stop_reason: asked || turns > 300 ? 'end_turn' : 'tool_use' }, usage: { output_tokens: 60 } };
    yield { type: 'message_stop' };
    yield { type: 'done' };
  };
  const tool: Tool = fakeTool({ name: 'Read', compactable: true, run: (_input, _context, call) => words(500, call) });
  const deps = plainDeps(model);
  const run = query({
    messages: [{ type: 'user', uuid: 'u1', at: 0, content: 'Continue until the end.' }],
    ...HEAD,
    authorizeCall: () => Promise.resolve({ behavior: 'allow' }),
    toolUseContext: plainContext('bench', [tool]),
    querySource: 'sdk',
    config: { sessionId: 'bench', gates: { autoCompact: compacting, reactiveCompact: compacting, repetition: false } },
    deps: compacting ? { ...deps, context: portOf(changes, model) } : deps,
  });
  while (!(await run.next()).done);
  return { bodies, summaries, output };
}

/** In tokens of plain input: a read costs a tenth, a write a quarter more, output five times as much. */
function priced(bills: readonly CacheCost[], output: number): number {
  return bills.reduce((sum, { cacheRead, cacheCreation, input }) => sum + cacheRead * 0.1 + cacheCreation * 1.25 + input, output * 5);
}

const idle = await idleMs({});
const idleAll = await idleMs({ snip: true, collapse: true });
const micro = await microcompactGap();
const lines = [
  `Node ${process.version}`,
  `pipeline, nothing to do, 1,000 turns    median ${idle.median.toFixed(2)} ms, 99 % ${idle.high.toFixed(2)} ms, worst ${idle.worst.toFixed(2)} ms a turn   goal < 5`,
  `the same with snip and collapse on      median ${idleAll.median.toFixed(2)} ms, 99 % ${idleAll.high.toFixed(2)} ms, worst ${idleAll.worst.toFixed(2)} ms a turn`,
  `microcompact                            ${micro.times} times in ${micro.turns} turns, at least ${micro.leastGap} turns apart   goal >= 20`,
];
const whole = await session({}, false);
const wholeBill = sessionCacheCost(whole.bodies, { minimum: 1_024 });
const wholePrice = priced(wholeBill.bills, whole.output);
lines.push(`300 turns without compaction            ${(wholePrice / 1e6).toFixed(2)} M input-token equivalents, ${(100 * shareRead(wholeBill.bills)).toFixed(1)} % read from the cache`);
for (const window of [200_000, 100_000, 50_000]) {
  const compacted = await session({ windowOf: () => window }, true);
  const { bills } = sessionCacheCost(compacted.bodies, { minimum: 1_024 });
  const price = priced(bills, compacted.output);
  lines.push(`300 turns, window ${String(window).padStart(7)}             ${(price / 1e6).toFixed(2)} M (${((price / wholePrice) * 100).toFixed(0)} %), ${(100 * shareRead(bills)).toFixed(1)} % read, ${compacted.summaries} summaries`);
}
const report = lines.join('\n');
process.stdout.write(`${report}\n`);
writeFileSync(path.join(import.meta.dirname, 'context.txt'), `${report}\n`);
process.exitCode = idle.high < 5 && idleAll.high < 5 && micro.leastGap >= 20 ? 0 : 1;
