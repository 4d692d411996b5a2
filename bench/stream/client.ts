// One measured process.
// - `deltas`: one long answer through adapter and loop
// - `partial`: the same, with every delta yielded
// - `four-times`: the same, four times as long; its peak must be hardly higher if memory is flat
// - `turns`: 200 turns through adapter and loop, to a body of half a megabyte
// - `transport`: the same 200 requests through the adapter alone
import { History, type ModelRequest, query, type QueryParams, type Tool } from '@heddle/core';
import { createAnthropicPort } from '@heddle/models/anthropic';
import { lookTool, plainContext, plainDeps } from './deps.ts';

const [, , scenario = '', url = ''] = process.argv;
const DELTAS = 50_000;
const TURNS = 200;
const BODY_BYTES = 500_000;

const port = createAnthropicPort({ environment: {}, apiKey: 'a-key-for-the-benchmark', baseUrl: url });
const cpu = () => process.cpuUsage().user / 1_000 + process.cpuUsage().system / 1_000;

function params(model: string, tools: readonly Tool[]): QueryParams {
  return {
    messages: [{ type: 'user', uuid: 'u1', at: 0, content: 'Continue.' }],
    systemPrompt: ['You are measured.'],
    userContext: {},
    systemContext: {},
    authorizeCall: () => Promise.resolve({ behavior: 'allow' }),
    toolUseContext: plainContext(model, tools),
    querySource: 'sdk',
    maxTurns: TURNS,
    config: { sessionId: 's', gates: { repetition: false } },
    deps: plainDeps(port),
  };
}

async function run(given: QueryParams, onEvent: () => void): Promise<string> {
  const loop = query(given);
  for (;;) {
    const next = await loop.next();
    if (next.done) return next.value.reason;
    onEvent();
  }
}

async function deltas(count: number, partialMessages: boolean): Promise<object> {
  let events = 0;
  const given = params(`deltas-${count}`, []);
  const terminal = await run({ ...given, config: { ...given.config, partialMessages } }, () => void events++);
  return { terminal, events, cpuMs: Math.round(cpu()) };
}

async function turns(): Promise<object> {
  const sizes: number[] = [];
  const look = lookTool((bodyBytes) => void sizes.push(bodyBytes));
  const atStart = cpu();
  const terminal = await run(params('turns', [look]), () => undefined);
  return { terminal, turns: sizes.length, bodyBytes: sizes.at(-1), cpuMsPerTurn: (cpu() - atStart) / TURNS };
}

/** Bodies with a shared prefix, like those of the request builder. */
async function transport(): Promise<object> {
  const text = 'x'.repeat(BODY_BYTES);
  const trunk = new TextEncoder().encode(`[{"role":"user","content":"${text}`);
  const end = new TextEncoder().encode('"}]');
  const { signal } = new AbortController();
  const ask = async (turn: number) => {
    const bytes = Math.ceil((turn / TURNS) * BODY_BYTES);
    const request: ModelRequest = {
      model: 'turns',
      max_tokens: 8_192,
      system: [],
      tools: [],
      messages: History.of([]),
      marks: [],
      messagesJson: [trunk.subarray(0, bytes), end],
      options: {},
    };
    let last = '';
    for await (const record of port(request, signal)) last = String(record.type);
    if (last !== 'done') throw new Error(`turn ${turn} ended with ${last}`);
  };
  await ask(1);
  const atStart = cpu();
  for (let turn = 1; turn <= TURNS; turn++) await ask(turn);
  return { turns: TURNS, cpuMsPerTurn: (cpu() - atStart) / TURNS };
}

const scenarios: Readonly<Record<string, () => Promise<object>>> = {
  deltas: () => deltas(DELTAS, false),
  partial: () => deltas(DELTAS, true),
  'four-times': () => deltas(4 * DELTAS, false),
  turns,
  transport,
};
const result = await scenarios[scenario]?.();
port.close();
console.log(JSON.stringify({ ...result, peakMB: Math.round(process.resourceUsage().maxRSS / 102.4) / 10 }));
