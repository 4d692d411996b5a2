// `npm run bench:subagents`: the cost of a search in a subagent beside the same search in the conversation, and the memory
// and processor time of ten subagents at once.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { BUILT_IN_AGENTS, createAgent, newSession } from '@heddle/agent';
import type { ModelRequest } from '@heddle/core';
import { bodyOf, call, fakeTool, say, type Script, scriptedModel, sessionCacheCost } from '@heddle/testing';

const root = path.dirname(import.meta.dirname);
const folder = mkdtempSync(path.join(os.tmpdir(), 'heddle-bench-'));
const MODEL = 'claude-sonnet-4-5';

// Costs. A conversation that has read 40,000 tokens searches with eight calls of 2,000 tokens, then works for ten rounds.
const EARLIER_CALLS = 20;
const SEARCH_CALLS = 8;
const LATER_ROUNDS = 10;
const WORDS_PER_RESULT = 1_500;
/** Prices beside that of an input token of the conversation. */
const READ = 0.1;
const WRITE = 1.25;
const SMALL_MODEL = 1 / 3;

// Ten at once.
const STEPS = 20;
const GOAL_MB = 5;

const result = (at: number): string => `line ${at} `.repeat(WORDS_PER_RESULT / 2);

interface SearchCost {
  readonly requests: number;
  readonly equivalents: number;
  /** The share of the first request of the subagent that it read from the cache. */
  readonly firstRead: number | undefined;
}

const inside = await searchCost(undefined);
const explored = await searchCost('Explore');
const forked = await searchCost('fork');
const one = await together(1);
const ten = await together(10);
rmSync(folder, { recursive: true, force: true });

const slower = ten.stepMs / one.stepMs;
const isRight = (forked.firstRead ?? 0) > 0.95 && ten.memoryMB < GOAL_MB && slower <= 1;
const report = [
  `Node ${process.version}; input-token equivalents: read ${READ}, written ${WRITE}, small model 1/3; answers are not counted`,
  `search of ${SEARCH_CALLS} calls, then ${LATER_ROUNDS} rounds, in the conversation: ${line(inside)}`,
  `the same in an Explore subagent:                        ${line(explored)}`,
  `the same in a fork:                                     ${line(forked)}`,
  `the fork reads ${percent(forked.firstRead)} of its first request from the cache   goal > 95 %${(forked.firstRead ?? 0) > 0.95 ? '' : '  MISSED'}`,
  `one subagent:  ${one.memoryMB.toFixed(2)} MB, ${one.stepMs.toFixed(2)} ms of processor time per step`,
  `ten at once:   ${ten.memoryMB.toFixed(2)} MB each (goal < ${GOAL_MB}), ${ten.stepMs.toFixed(2)} ms per step, ${slower.toFixed(2)} times one (goal <= 1)${ten.memoryMB < GOAL_MB && slower <= 1 ? '' : '  MISSED'}`,
].join('\n');
process.stdout.write(`${report}\n`);
writeFileSync(path.join(root, 'bench/subagents.txt'), `${report}\n`);
process.exitCode = isRight ? 0 : 1;

function line({ requests, equivalents }: SearchCost): string {
  return `${requests} requests, ${Math.round(equivalents / 100) / 10}k`;
}

function percent(share: number | undefined): string {
  return `${((share ?? 0) * 100).toFixed(1)} %`;
}

function isChild(request: ModelRequest): boolean {
  const text = JSON.stringify([request.system, request.messages.last()]);
  return text.includes('subagent of Heddle') || JSON.stringify([...request.messages]).includes('a copy of the agent');
}

/** `type`: the subagent that searches. Undefined: the conversation itself. */
async function searchCost(type: string | undefined): Promise<SearchCost> {
  const look = fakeTool({ name: 'Look', run: (_input, _context, at) => result(at) });
  let [searched, rounds, begun] = [0, 0, 0];
  const script: Script = (request) => {
    if (isChild(request)) return searched++ < SEARCH_CALLS ? looking(`s${searched}`) : say('Found: '.padEnd(800, 'x'));
    if (begun++ < EARLIER_CALLS) return looking(`e${begun}`);
    if (type === undefined && searched++ < SEARCH_CALLS) return looking(`s${searched}`);
    if (type !== undefined && begun === EARLIER_CALLS + 1)
      return call('Agent', { description: 'search', prompt: 'Search.', subagent_type: type }, 't1');
    return rounds++ < LATER_ROUNDS ? looking(`r${rounds}`) : say('Done.');
  };
  const model = scriptedModel(script);
  const agent = createAgent({
    model,
    modelName: MODEL,
    tools: [look],
    cwd: folder,
    subagents: { definitions: () => BUILT_IN_AGENTS },
  });
  for await (const unread of agent.submit('go')) void unread;
  const requests = model.calls.map(({ request }) => request);
  const { bills } = sessionCacheCost(requests.map(bodyOf), { minimum: 1_024 });
  const costs = bills.map(({ cacheRead, cacheCreation, input }, index) => {
    const factor = requests[index]?.model === MODEL ? 1 : SMALL_MODEL;
    return (cacheRead * READ + cacheCreation * WRITE + input) * factor;
  });
  // The first requests are the same in each variant.
  const own = costs.slice(EARLIER_CALLS);
  const first = bills[requests.findIndex(isChild)];
  return {
    requests: own.length,
    equivalents: own.reduce((sum, cost) => sum + cost, 0),
    firstRead: first && first.cacheRead / (first.cacheRead + first.cacheCreation + first.input),
  };
}

function looking(id: string) {
  return call('Look', { id }, id);
}

/** Each subagent makes its steps, and then waits while its memory is measured. */
async function together(count: number): Promise<{ readonly memoryMB: number; readonly stepMs: number }> {
  const waiting = Promise.withResolvers<void>();
  const released = Promise.withResolvers<string>();
  let arrived = 0;
  const look = fakeTool({ name: 'Look', run: () => 'a view '.repeat(100) });
  const hold = fakeTool({
    name: 'Hold',
    run: () => {
      if (++arrived === count) waiting.resolve();
      return released.promise;
    },
  });
  const calls = Array.from({ length: count }, (_, index) =>
    call('Agent', { description: 'steps', prompt: `Work ${index}.` }, `t${index}`),
  );
  const script: Script = (request, at) => {
    if (!isChild(request)) return request.messages.length === 1 ? calls : say('Done.');
    const rounds = (request.messages.length - 1) / 2;
    if (rounds < STEPS) return call('Look', { at }, `l${at}`);
    return rounds === STEPS ? call('Hold', {}, `h${at}`) : say('Reported.');
  };
  const run = async (isMeasured: boolean): Promise<{ readonly memoryMB: number; readonly stepMs: number }> => {
    arrived = isMeasured ? 0 : Number.NEGATIVE_INFINITY;
    const opened = newSession(
      { place: { configDir: folder, cwd: folder }, version: '0', durability: 'process', now: Date.now },
      `s${count}${isMeasured ? 'm' : ''}`,
    );
    if (!opened.ok) throw new Error(opened.message);
    const tools = isMeasured ? [look, hold] : [look, { ...hold, call: look.call, toResult: look.toResult }];
    const agent = createAgent({
      // It keeps its requests, which count as memory of the subagents here.
      model: scriptedModel(script),
      modelName: MODEL,
      tools,
      cwd: folder,
      session: opened.session,
      subagents: { definitions: () => BUILT_IN_AGENTS },
    });
    const before = memory();
    const cpu = process.cpuUsage();
    const running = (async () => {
      for await (const unread of agent.submit('go')) void unread;
    })();
    if (isMeasured) await waiting.promise;
    else await running;
    const used = process.cpuUsage(cpu);
    const memoryMB = (memory() - before) / count / 1_000_000;
    released.resolve('released');
    await running;
    opened.session.journal.close();
    return { memoryMB, stepMs: (used.user + used.system) / 1_000 / (count * (STEPS + 1)) };
  };
  // The first run loads and compiles the code.
  await run(false);
  return run(true);
}

/** Bytes in use. Needs `--expose-gc`. */
function memory(): number {
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
