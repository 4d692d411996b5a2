/**
 * Cuts random runs off after each of their entries and continues them. The result is that of the uninterrupted run. The only
 * exception is a writing call that had begun: its result names the uncertainty. The plans contain thinking, a fallback, a
 * compaction, hooks, subagents and calls of an MCP server. A cut may be in the middle of a subagent.
 */
import { SUMMARY_MARK } from '@heddle/context';
import {
  isRecord,
  isToolResult,
  type JsonObject,
  type Message,
  type ModelRequest,
  queryConfig,
  replayLogEntries,
  resultsOf,
  textOf,
  type Tool,
  type ToolResult,
} from '@heddle/core';
import { McpServers } from '@heddle/mcp';
import {
  answer,
  call,
  createClock,
  cut,
  EVENT_DEADLINE_MS,
  fail,
  fakeTool,
  say,
  scriptedModel,
  type ScriptedModel,
  type ScriptStep,
  think,
  unfinished,
} from '@heddle/testing';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { BUILT_IN_AGENTS } from '../agents/built-in.ts';
import { createAgent } from '../create-agent.ts';
import type { SdkResult } from '../sdk/message.ts';
import { entriesOf, sharedSession, type StoredItem } from '../session/test/shared-session.ts';

const PROVING = process.env['HEDDLE_PROVE'] === '1';
const RUNS = PROVING ? Number(process.env['HEDDLE_RUNS'] ?? 2_000) : 13;
const SEED = Number(process.env['HEDDLE_SEED'] ?? 3);

const REMOTE = 'mcp__remote__send';
const CALLS = ['Look', 'Change', 'Fail', 'Denied', 'Agent', REMOTE] as const;

interface PlannedTurn {
  readonly thinks: boolean;
  readonly says: boolean;
  readonly calls: readonly (typeof CALLS)[number][];
  /** The answer is cut at the usual output cap, and complete with the raised one. */
  readonly isCut: boolean;
}

interface RunPlan {
  /** The turns with calls. A turn without calls ends the run. */
  readonly turns: readonly PlannedTurn[];
  /** From this turn on, the first model does not exist. */
  readonly fallsBackAt: number;
  /** At this turn, the request is too long until the conversation is compacted. */
  readonly overflowsAt: number;
  /** A stop hook sends the run back once. */
  readonly hookBlocks: boolean;
  readonly maxTurns: number;
  readonly startsEarly: boolean;
  /** The calls of a subagent. */
  readonly steps: readonly ('Look' | 'Change' | typeof REMOTE)[];
}

const anyTurn: fc.Arbitrary<PlannedTurn> = fc.record({
  thinks: fc.boolean(),
  says: fc.boolean(),
  calls: fc.array(fc.constantFrom(...CALLS), { minLength: 1, maxLength: PROVING ? 3 : 2 }),
  isCut: fc.boolean(),
});
const anyPlan: fc.Arbitrary<RunPlan> = fc.record({
  turns: fc.array(anyTurn, { maxLength: 4 }),
  fallsBackAt: fc.nat(8),
  overflowsAt: fc.nat(8),
  hookBlocks: fc.boolean(),
  maxTurns: fc.constantFrom(0, 0, 2),
  startsEarly: fc.boolean(),
  steps: fc.array(fc.constantFrom('Look', 'Change', REMOTE), { maxLength: PROVING ? 3 : 1 }),
});

const FIRST_MODEL = 'first';
const OBJECTION = 'Not yet: check it.';
const HANDOFF = 'Finished turns:';

/** The request contains everything that the model needs to know, so a repeated request gets the same answer. */
function respond(plan: RunPlan, request: ModelRequest): ScriptStep {
  const conversation = JSON.stringify([...request.messages]);
  const task = /Do task c(\d)_(\d)\./.exec(conversation);
  if (task && JSON.stringify(request.system).includes('subagent of Heddle'))
    return respondInTask(plan, request, Number(task[1]), `c${task[1]}_${task[2]}`);
  const turn = finishedTurns(conversation);
  if (request.model === FIRST_MODEL && turn >= plan.fallsBackAt) return answer(fail('not_found'));
  if (JSON.stringify(request.messages.last()?.content).includes(SUMMARY_MARK))
    return answer(say(`${HANDOFF} ${'x'.repeat(turn)}.`));
  if (turn === plan.overflowsAt && !conversation.includes(HANDOFF)) return answer(fail('overflow'));
  const planned = plan.turns[turn];
  if (!planned) return answer(say(conversation.includes(OBJECTION) ? 'Done again.' : 'Done.'));
  const parts = [
    ...(planned.thinks ? [think(`About turn ${turn}.`)] : []),
    ...(planned.says ? [say(`This is turn ${turn}.`)] : []),
  ];
  if (planned.isCut && request.max_tokens <= 8_192)
    return answer(...parts, unfinished(say('This takes a while')), cut());
  return answer(
    ...parts,
    ...planned.calls.map((tool, at) => call(tool, inputOf(tool, turn, at), `c${turn}_${at}`)),
  );
}

function respondInTask(plan: RunPlan, request: ModelRequest, turn: number, id: string): ScriptStep {
  if (request.model === FIRST_MODEL && turn >= plan.fallsBackAt) return answer(fail('not_found'));
  const done = [...request.messages].flatMap(({ content }) => content.filter(isToolResult)).length;
  const step = plan.steps[done];
  if (step === undefined) return answer(think('Everything is done.'), say(`The report of ${id}.`));
  return answer(think(`About step ${done}.`), call(step, { done }, `${id}_step${done}`));
}

function inputOf(tool: string, turn: number, at: number): JsonObject {
  if (tool !== 'Agent') return { turn, at };
  return { description: 'a task', prompt: `Do task c${turn}_${at}.` };
}

function finishedTurns(conversation: string): number {
  const summary = /Finished turns: (x*)\./.exec(conversation)?.[1]?.length ?? 0;
  const ids = Array.from(conversation.matchAll(/"c(\d)_\d"/g), ([, turn]) => Number(turn) + 1);
  return Math.max(summary, ...ids, 0);
}

interface Played {
  readonly items: readonly StoredItem[];
  readonly messages: readonly Message[];
  readonly result: SdkResult | undefined;
  /** The writing calls that ran, by their ids. */
  readonly written: readonly string[];
}

/** An MCP server in this process. Its tool has an effect. */
const written: string[] = [];
const servers = new McpServers([{ name: 'remote', config: { type: 'sdk' }, scope: 'host' }], {
  variables: {},
  environment: {},
  version: '0',
  services: {},
  cwd: '/',
  admitImages: async (content) => content,
  storeFile: async () => '/file',
  sendToHost: async (_server, message) => {
    const { id, method } = isRecord(message) ? message : {};
    return id === undefined ? undefined : { jsonrpc: '2.0', id, result: serverResult(String(method)) };
  },
});

function serverResult(method: string): object {
  const inputSchema = { type: 'object' };
  if (method === 'tools/list') return { tools: [{ name: 'send', inputSchema }] };
  if (method === 'tools/call') return { content: [{ type: 'text', text: 'sent' }] };
  return {
    protocolVersion: '2025-11-25',
    capabilities: { tools: {} },
    serverInfo: { name: 'remote', version: '1' },
  };
}

/** The results of some calls, by id, in place of those of their tools. */
type GivenResults = ReadonlyMap<string, GivenResult>;

class GivenResult {
  readonly result: ToolResult;

  constructor(result: ToolResult) {
    this.result = result;
  }
}

/** The calls of a server do not have the id of the call, so they are noted on their way. */
function noted(tool: Tool, given: GivenResults): Tool {
  return {
    ...tool,
    call: async (input, context, onProgress) => {
      written.push(context.toolUseId);
      const data = given.get(context.toolUseId);
      return data ? { data } : tool.call(input, context, onProgress);
    },
    toResult: (data, ...rest) => (data instanceof GivenResult ? data.result : tool.toResult(data, ...rest)),
  };
}

async function play(
  plan: RunPlan,
  model: ScriptedModel,
  stored: readonly StoredItem[],
  given: GivenResults = new Map(),
): Promise<Played> {
  const clock = createClock({ auto: true });
  const session = sharedSession('s1', stored, clock.now);
  written.length = 0;
  const change = (_input: JsonObject, { toolUseId }: { toolUseId: string }): string | ToolResult => {
    written.push(toolUseId);
    return given.get(toolUseId)?.result ?? `changed ${toolUseId}`;
  };
  const agent = createAgent({
    model,
    modelName: FIRST_MODEL,
    fallbackModel: 'second',
    tools: [
      fakeTool({ name: 'Look', run: (input) => `saw ${JSON.stringify(input)}` }),
      fakeTool({ name: 'Fail', fails: 'It failed.' }),
      fakeTool({ name: 'Change', readOnly: false, run: change }),
      fakeTool({ name: 'Denied', readOnly: false, run: change }),
      ...servers.tools.map((tool) => noted(tool, given)),
    ],
    cwd: '/',
    clock,
    session,
    maxTurns: plan.maxTurns,
    rules: { allow: [...rule('Change'), ...rule(REMOTE)], deny: rule('Denied'), ask: [] },
    config: { gates: { streamingToolExecution: plan.startsEarly } },
    subagents: { definitions: () => BUILT_IN_AGENTS },
    hooks: {
      stop: async ({ stopHookActive }) => (plan.hookBlocks && !stopHookActive ? { block: OBJECTION } : {}),
    },
  });
  let result: SdkResult | undefined;
  const lines = stored.length === 0 ? agent.submit('Do the work.') : agent.continue();
  for await (const line of lines) if (line.type === 'result') result = line;
  model.assertNoViolations();
  return { items: session.items, messages: [...agent.messages], result, written: [...written] };
}

const rule = (text: string) => [{ text, source: 'user' as const }];

/** The conversation without ids and times, and the result. Results are listed by call, because their order may differ. */
function outcomeOf({ messages, result }: Played) {
  const results: Record<string, unknown> = {};
  const others: unknown[] = [];
  for (const message of messages) {
    if (message.type === 'assistant') others.push(message.content);
    if (message.type === 'attachment') others.push(message.attachment);
    if (message.type !== 'user') continue;
    for (const { tool_use_id: id, content } of resultsOf(message)) results[id] = content;
    if (resultsOf(message).length === 0) others.push(textOf(message.content));
  }
  const { terminal_reason: reason, num_turns: turns, result: text } = result ?? {};
  return { results, others, reason, turns, text };
}

/** Writing calls that had begun when the run was cut off, and have no stored result. */
function uncertainCalls(items: readonly StoredItem[]): string[] {
  const entries = items.flatMap((item) => ('entry' in item ? [item.entry] : []));
  const ended = new Set(
    entries.flatMap((entry) =>
      entry.type === 'user' ? resultsOf(entry.message).map(({ tool_use_id: id }) => id) : [],
    ),
  );
  return entries.flatMap((entry) =>
    entry.type === 'intent' && entry.effect === 'writing' && !ended.has(entry.toolUseId)
      ? entry.toolUseId
      : [],
  );
}

/** The results of these calls as the log has them. */
function storedResults(items: readonly StoredItem[], ids: ReadonlySet<string>): GivenResults {
  const found = items.flatMap((item) => {
    if (!('entry' in item) || item.entry.type !== 'user') return [];
    return resultsOf(item.entry.message).filter(({ tool_use_id: id }) => ids.has(id));
  });
  return new Map(
    found.map(({ tool_use_id: id, content, is_error: isError = false }) => [
      id,
      new GivenResult({ content, isError }),
    ]),
  );
}

/** Replays the session and each subagent. The replay must confirm every decision. */
class Replays {
  readonly #whole: readonly StoredItem[];
  readonly #maxTurns: number;
  /** The subagents of the uninterrupted run that were replayed. */
  readonly #known = new Map<string, readonly unknown[]>();

  constructor(whole: readonly StoredItem[], maxTurns: number) {
    this.#whole = whole;
    this.#maxTurns = maxTurns;
  }

  /** `length`: the items before are those of the uninterrupted run. */
  mismatchesIn(items: readonly StoredItem[], length: number): readonly unknown[] {
    const agents = new Set(items.map(({ agent }) => agent));
    return [...agents].flatMap((agent) => {
      if (agent === undefined) return replayed(items, undefined, this.#maxTurns);
      const endsBefore = items.findLastIndex((item) => item.agent === agent) < length;
      const isWhole = endsBefore && this.#whole.findLastIndex((item) => item.agent === agent) < length;
      const known = isWhole ? this.#known.get(agent) : undefined;
      const mismatches = known ?? replayed(items, agent, CHILD_MAX_TURNS);
      if (isWhole) this.#known.set(agent, mismatches);
      return mismatches;
    });
  }
}

function replayed(items: readonly StoredItem[], agent: string | undefined, maxTurns: number) {
  const config = queryConfig({ sessionId: agent ?? 's1', maxTurns });
  return replayLogEntries(entriesOf(items, agent), config).mismatches;
}

/** The limit of a subagent whose definition has none. */
const CHILD_MAX_TURNS = 200;

interface Cuts {
  readonly cuts: number;
  readonly uncertain: number;
  /** Cuts in the middle of a subagent. */
  readonly inTasks: number;
}

async function checkEveryCut(plan: RunPlan): Promise<Cuts> {
  // One model for all processes: it recognizes the signatures of its thinking.
  const model = scriptedModel((request) => respond(plan, request));
  const whole = await play(plan, model, []);
  const start = whole.items.findIndex((item) => 'entry' in item && item.entry.type === 'user') + 1;
  const replays = new Replays(whole.items, plan.maxTurns);
  // The uninterrupted run in which some calls had the result of an uncertain call, by the ids of these calls.
  const references = new Map<string, Promise<Played>>();
  let uncertainties = 0;
  let inTasks = 0;
  for (let length = start; length < whole.items.length; length++) {
    const prefix = whole.items.slice(0, length);
    const after = await play(plan, model, prefix);
    const uncertain = new Set(uncertainCalls(prefix));
    uncertainties += uncertain.size;
    if (prefix.at(-1)?.agent !== undefined) inTasks++;
    const begun = new Set(
      prefix.flatMap((item) => ('entry' in item && item.entry.type === 'intent' ? item.entry.toolUseId : [])),
    );
    const told = storedResults(after.items, uncertain);
    const ids = [...uncertain].join();
    const reference = references.get(ids) ?? (uncertain.size > 0 ? play(plan, model, [], told) : whole);
    if (reference instanceof Promise) references.set(ids, reference);
    const seen = {
      cutAfter: prefix.at(-1),
      uncertain: [...told.values()].map(({ result }) => textOf(result.content)),
      ...outcomeOf(after),
      repeatedWrites: after.written.filter((id) => begun.has(id)),
      missingWrites: whole.written.filter((id) => !begun.has(id) && !after.written.includes(id)),
      mismatches: replays.mismatchesIn(after.items, length),
    };
    expect(seen).toEqual({
      ...outcomeOf(await reference),
      cutAfter: prefix.at(-1),
      uncertain: [...told].map((): unknown => expect.stringContaining('may or may not have taken')),
      repeatedWrites: [],
      missingWrites: [],
      mismatches: [],
    });
    expect(told.size).toBe(uncertain.size);
  }
  return { cuts: whole.items.length - start, uncertain: uncertainties, inTasks };
}

it(`continues ${RUNS} random runs after each of their entries`, async () => {
  await servers.settle(EVENT_DEADLINE_MS);
  const seen = { cuts: 0, uncertain: 0, inTasks: 0 };
  await fc.assert(
    fc.asyncProperty(anyPlan, async (plan) => {
      const { cuts, uncertain, inTasks } = await checkEveryCut(plan);
      seen.cuts += cuts;
      seen.uncertain += uncertain;
      seen.inTasks += inTasks;
    }),
    { numRuns: RUNS, seed: SEED },
  );
  console.log(`${seen.cuts} cuts, ${seen.inTasks} of them in subagents, ${seen.uncertain} uncertain calls`);
  expect(seen.cuts).toBeGreaterThan(RUNS * 5);
  expect(seen.uncertain).toBeGreaterThan(RUNS / 10);
  expect(seen.inTasks).toBeGreaterThan(RUNS);
});
