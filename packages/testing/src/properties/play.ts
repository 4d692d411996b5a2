/** Plays a planned run through `query` on a virtual clock, and records one log of all events. */
import {
  type LoopEvent,
  type Message,
  query,
  type QueryParams,
  type Terminal,
  omitUndefined,
} from '@heddle/core';
import { settle } from '../clock.ts';
import { contextOf, TEST_MODEL } from '../context.ts';
import { createIds, createRandom } from '../ids.ts';
import type { Problem } from '../scripted/judge.ts';
import { createSignatures, type Signatures } from '../validator/signatures.ts';
import { plannedDeps } from './planned-deps.ts';
import type { Hits } from './hits.ts';
import type { RunPlan } from './plan.ts';
import { plannedModel } from './port.ts';
import { plannedOutcomesOf } from './planned-outcomes.ts';
import { plannedHooks, plannedPermission } from './hooks.ts';
import { plannedTools } from './planned-tools.ts';
import { type WorldEvent, TestWorld } from './world.ts';

export type Query = (params: QueryParams) => AsyncGenerator<LoopEvent, Terminal>;

export interface PlayedRun {
  readonly plan: RunPlan;
  /** The messages at the start. */
  readonly messages: readonly Message[];
  readonly log: readonly WorldEvent[];
  /** The findings of the request judge. */
  readonly problems: readonly Problem[];
  readonly hits: Hits;
}

const FALLBACK_MODELS: readonly string[] = ['scripted-2', 'scripted-3'];
const THINKING = {
  adaptive: { type: 'adaptive' },
  enabled: { type: 'enabled', budget_tokens: 1_024 },
} as const;
export const USER_CONTEXT: Readonly<Record<string, string>> = { project: 'A small library.' };

/** A test may pass another loop, to see whether its defects are detected. */
export async function playRun(plan: RunPlan, loop: Query = query): Promise<PlayedRun> {
  const world = new TestWorld(plan);
  const signatures = createSignatures();
  const { port, model } = plannedModel(plan, world, signatures);
  const fates = plannedOutcomesOf(plan);
  const { settings } = plan;
  const messages = openingOf(plan, signatures);
  const run = loop({
    messages,
    systemPrompt: ['You are a careful engineer.'],
    userContext: settings.userContext ? USER_CONTEXT : {},
    systemContext: {},
    authorizeCall: plannedPermission(fates, world),
    toolUseContext: contextOf({
      tools: plannedTools(fates, world),
      signal: world.controller.signal,
      agentId: settings.role === 'subagent' ? 'weaver' : undefined,
    }),
    querySource: SOURCES[settings.role],
    maxTurns: settings.maxTurns,
    fallbackModel: FALLBACK_MODELS.slice(0, settings.fallbacks),
    ...(settings.thinking === 'unset' ? {} : { requestOptions: { thinking: THINKING[settings.thinking] } }),
    ...omitUndefined({ tokenBudget: settings.tokenBudget }),
    ...(settings.taskBudget === undefined ? {} : { taskBudget: { total: settings.taskBudget } }),
    ...(settings.maxOutputTokensOverride === undefined
      ? {}
      : { maxOutputTokensOverride: settings.maxOutputTokensOverride }),
    skipCacheWrite: settings.skipCacheWrite,
    config: { sessionId: 'session', ...settings.config },
    deps: {
      model: port,
      clock: world.clock,
      ids: createIds(),
      random: createRandom(plan.attempts.length),
      toolHooks: plannedHooks(fates, world),
      redact: (value) => value,
      requestSent: () => undefined,
      ...plannedDeps(plan, world),
    },
  });
  await consume(run, plan, world);
  world.hits.runs = 1;
  world.hits.requests = model.calls.length;
  world.hits.events = world.log.filter(({ what }) => what === 'event').length;
  return { plan, messages, log: world.log, problems: model.problems, hits: world.hits };
}

const SOURCES = { main: 'sdk', subagent: 'agent:weaver', compaction: 'compact' } as const;

async function consume(
  run: AsyncGenerator<LoopEvent, Terminal>,
  plan: RunPlan,
  world: TestWorld,
): Promise<void> {
  const state = { over: false };
  const reading = read(run, plan, world).then(
    () => void (state.over = true),
    (error: unknown) => {
      state.over = true;
      world.note({ what: 'broke', how: `the loop threw: ${String(error)}` });
    },
  );
  await Promise.race([reading, untilStuck(world, state)]);
  state.over = true;
  // Work that outlives the run (a tool that ignores its abort) settles here, so that the log is complete.
  for (let round = 0; round < ROUNDS && world.clock.pending.length > 0; round++) await settle();
  await settle();
}

async function read(
  run: AsyncGenerator<LoopEvent, Terminal>,
  plan: RunPlan,
  world: TestWorld,
): Promise<void> {
  const { slowEvery } = plan.consumer;
  for (let count = 1; count <= MOST_EVENTS; count++) {
    world.note({ what: 'asked' });
    const next = await run.next();
    if (next.done === true) {
      world.note({ what: 'end', terminal: next.value });
      countHits(world, next.value);
      await expectSilence(run, world);
      return;
    }
    world.note({ what: 'event', event: next.value });
    if (world.loses(count)) {
      world.hit('consumer: leaves');
      world.note({ what: 'left' });
      await run.return({ reason: 'completed' });
      world.note({ what: 'gone' });
      await expectSilence(run, world);
      return;
    }
    if (slowEvery > 0 && count % slowEvery === 0) await settle();
  }
  world.note({ what: 'broke', how: `more than ${MOST_EVENTS} events` });
  await run.return({ reason: 'completed' });
}

async function expectSilence(run: AsyncGenerator<LoopEvent, Terminal>, world: TestWorld): Promise<void> {
  const next = await run.next();
  if (next.done !== true) world.note({ what: 'broke', how: `yielded ${next.value.type} after its end` });
}

function countHits({ hits, log }: TestWorld, terminal: Terminal): void {
  countThinking(hits, log);
  hits.terminals.set(terminal.reason, (hits.terminals.get(terminal.reason) ?? 0) + 1);
  const begun = new Set(log.flatMap((happening) => (happening.what === 'effect' ? [happening.id] : [])));
  let fallbacks = 0;
  for (const happening of log) {
    if (happening.what !== 'event') continue;
    const { event } = happening;
    if (event.type === 'transition') {
      const { reason } = event.transition;
      hits.transitions.set(reason, (hits.transitions.get(reason) ?? 0) + 1);
    }
    if (event.type === 'tool_intent' && !begun.has(event.toolUseId))
      hits.fault('loop: intent without effect');
    if (event.type === 'prefix_rewritten') hits.fault('loop: prefix rewritten');
    if (event.type === 'tool_use_summary') hits.fault('summary: yielded');
    if (
      event.type === 'message' &&
      event.message.type === 'system' &&
      event.message.subtype === 'model_fallback'
    )
      hits.fault(++fallbacks === 2 ? 'model: fell back twice' : 'model: fell back');
  }
}

/** Requested thinking that is off in some requests. */
function countThinking(hits: Hits, log: readonly WorldEvent[]): void {
  let wasOff = false;
  for (const happening of log) {
    if (happening.what !== 'request') continue;
    const { thinking } = happening.request.options;
    const isOff = thinking?.type === 'disabled';
    if (isOff) hits.fault('thinking: disabled in a turn that lost it');
    else if (wasOff && thinking !== undefined) hits.fault('thinking: on again after such a turn');
    wasOff = isOff;
  }
}

/** No sleeper and no event for many rounds: the run is stuck. */
async function untilStuck(world: TestWorld, state: { readonly over: boolean }): Promise<void> {
  let [idle, seen] = [0, 0];
  while (!state.over && idle < QUIET_ROUNDS) {
    await settle();
    const isQuiet = world.clock.pending.length === 0 && world.log.length === seen;
    idle = isQuiet ? idle + 1 : 0;
    seen = world.log.length;
  }
  if (!state.over) world.note({ what: 'broke', how: 'nothing moves any more' });
}

const MOST_EVENTS = 4_000;
const QUIET_ROUNDS = 25;
const ROUNDS = 1_000;

function openingOf(plan: RunPlan, signatures: Signatures): readonly Message[] {
  const prompt = { type: 'user', uuid: 'prompt', at: 0 } as const;
  switch (plan.start) {
    case 'prompt':
      return [{ ...prompt, content: 'The test fails, fix it.' }];
    case 'image':
      return [{ ...prompt, content: [{ type: 'text', text: 'What is wrong here?' }, IMAGE] }];
    case 'conversation':
      return [
        { ...prompt, uuid: 'first', content: 'Read it.' },
        ...EARLIER,
        { ...prompt, content: 'And now?' },
      ];
    case 'open_turn':
      return [{ ...prompt, content: 'Read all of it.' }, ...openTurnOf(plan, signatures)];
    case 'open_turn_and_prompt':
      return [
        { ...prompt, uuid: 'first', content: 'Read all of it.' },
        ...openTurnOf(plan, signatures),
        { ...prompt, content: 'Continue.' },
      ];
  }
}

const WRITERS = { first_model: TEST_MODEL, fallback_model: 'scripted-2', another_model: 'another-model' };

/** An interrupted tool turn that is resumed, by the models that wrote it. */
function openTurnOf({ openTurn }: RunPlan, signatures: Signatures): readonly Message[] {
  return openTurn.flatMap(({ writer, thinks }, index): Message[] => {
    const id = `resumed_${index}`;
    const model = WRITERS[writer];
    const thinking = `Thoughts of ${id}`;
    const thought = { type: 'thinking', thinking, signature: signatures.sign(model, thinking) } as const;
    const call = { type: 'tool_use', id, name: 'Read', input: { value: index } } as const;
    const result = { type: 'tool_result', tool_use_id: id, content: `Result of ${id}` } as const;
    const content = thinks ? [thought, call] : [call];
    return [
      { type: 'assistant', uuid: `${id}_answer`, at: 0, responseId: id, model, content },
      { type: 'user', uuid: `${id}_result`, at: 0, content: [result] },
    ];
  });
}

const IMAGE = {
  type: 'image',
  source: { type: 'base64', media_type: 'image/png', data: 'aGVkZGxl' },
} as const;

/** An earlier turn with a call, by a model with unknown signatures. */
const EARLIER: readonly Message[] = [
  {
    type: 'assistant',
    uuid: 'earlier1',
    at: 0,
    responseId: 'earlier',
    model: 'another-model',
    content: [
      { type: 'thinking', thinking: 'Where is it?', signature: 'foreign' },
      { type: 'tool_use', id: 'earlier_call', name: 'Read', input: { value: 1 } },
    ],
  },
  {
    type: 'user',
    uuid: 'earlier2',
    at: 0,
    content: [
      { type: 'tool_result', tool_use_id: 'earlier_call', content: [{ type: 'text', text: 'Here.' }, IMAGE] },
    ],
  },
  {
    type: 'assistant',
    uuid: 'earlier3',
    at: 0,
    responseId: 'earlier-too',
    model: 'another-model',
    content: [{ type: 'text', text: 'There it is.' }],
  },
];
