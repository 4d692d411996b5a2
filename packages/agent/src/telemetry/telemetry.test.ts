/** An agent reports to the providers that its host registered with `@opentelemetry/api`. */
import { type Attributes, createNoopMeter, metrics, SpanKind, trace } from '@opentelemetry/api';
import {
  call,
  createClock,
  createIds,
  fail,
  fakeTool,
  say,
  scriptedModel,
  type ScriptStep,
} from '@heddle/testing';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createAgent } from '../index.ts';
import { AgentTelemetry, connectToApi } from './index.ts';

interface HostSpan {
  readonly name: string;
  readonly id: string;
  readonly parent: string | undefined;
  readonly isClient: boolean;
  readonly attributes: Attributes;
  hasError: boolean;
  isEnded: boolean;
}

let spans: HostSpan[] = [];
let values: { readonly name: string; readonly value: number; readonly attributes: Attributes | undefined }[] =
  [];

beforeEach(() => {
  spans = [];
  values = [];
  trace.setGlobalTracerProvider({
    getTracer: () => ({
      startSpan(name, { kind, attributes = {} } = {}, context) {
        const id = `${spans.length + 1}`.padStart(16, '0');
        const above = context && trace.getSpan(context);
        const parent = above?.spanContext().spanId;
        const isClient = kind === SpanKind.CLIENT;
        const span: HostSpan = { name, id, parent, isClient, attributes, hasError: false, isEnded: false };
        spans.push(span);
        const own = { traceId: 'a'.repeat(32), spanId: id, traceFlags: 1 };
        return Object.assign(trace.wrapSpanContext(own), {
          setAttributes: (more: Attributes) => void Object.assign(span.attributes, more),
          setStatus: () => void (span.hasError = true),
          end: () => void (span.isEnded = true),
        });
      },
      startActiveSpan: () => {
        throw new Error('An agent has no active span.');
      },
    }),
  });
  const instrument = (name: string) => {
    const record = (value: number, attributes?: Attributes): void =>
      void values.push({ name, value, attributes });
    return { add: record, record };
  };
  const meter = Object.assign(createNoopMeter(), { createCounter: instrument, createHistogram: instrument });
  metrics.setGlobalMeterProvider({ getMeter: () => meter });
});

afterEach(() => {
  trace.disable();
  metrics.disable();
});

async function run(
  script: readonly ScriptStep[],
  prompts: readonly string[] = ['go'],
  fallbackModel: readonly string[] = [],
) {
  const clock = createClock({ auto: true });
  const telemetry = new AgentTelemetry({ port: await connectToApi(), modelName: 'openai/m', now: clock.now });
  const agent = telemetry.watch(
    createAgent({
      model: scriptedModel(script, { clock }),
      modelName: 'openai/m',
      fallbackModel,
      tools: [fakeTool({ name: 'Look', readOnly: true, fails: 'It broke.' })],
      cwd: import.meta.dirname,
      price: () => 0.5,
      onEvent: telemetry.onEvent,
      clock,
      uuid: createIds().uuid,
    }),
  );
  for (const prompt of prompts) for await (const _line of agent.submit(prompt));
  return agent;
}

it('reports every attempt of a model call, and a failed tool, as children of the turn', async () => {
  await run([fail('overloaded'), call('Look', {}, 'c1'), say('Done.')]);
  const [turn, ...children] = spans;
  expect(turn).toMatchObject({ name: 'invoke_agent heddle', parent: undefined, hasError: false });
  expect(children).toMatchObject([
    { name: 'chat openai/m', hasError: true, attributes: { 'error.type': 'overloaded' } },
    { name: 'chat openai/m', hasError: false, isClient: true },
    { name: 'execute_tool Look', hasError: true, isClient: false },
    { name: 'chat openai/m', hasError: false, attributes: { 'gen_ai.provider.name': 'openai' } },
  ]);
  expect(new Set(children.map(({ parent }) => parent))).toEqual(new Set([turn?.id]));
  expect(spans.every(({ isEnded }) => isEnded)).toBe(true);
  expect(JSON.stringify(spans)).not.toContain('Done.');
});

it('names the model that each request asked, and the one that answered', async () => {
  await run(
    [
      fail('overloaded'),
      fail('overloaded'),
      fail('overloaded'),
      call('Look', {}, 'c1'),
      say('Done.'),
      say('Hi.'),
    ],
    ['first', 'second'],
    ['google/f'],
  );
  const chats = spans.filter(({ name }) => name.startsWith('chat'));
  expect(
    chats.map(({ attributes }) => [
      attributes['gen_ai.request.model'],
      attributes['gen_ai.provider.name'],
      attributes['error.type'],
      attributes['gen_ai.response.model'],
    ]),
  ).toEqual([
    ['openai/m', 'openai', 'overloaded', undefined],
    ['openai/m', 'openai', 'overloaded', undefined],
    ['openai/m', 'openai', 'overloaded', undefined],
    ['google/f', 'gcp.gemini', undefined, 'google/f'],
    ['google/f', 'gcp.gemini', undefined, 'google/f'],
    ['openai/m', 'openai', undefined, 'openai/m'],
  ]);
});

it('counts the costs of each turn once, and reports the end of a failed turn', async () => {
  await run([say('One.'), fail('auth')], ['first', 'second']);
  const costs = values.filter(({ name }) => name === 'heddle.cost.usage');
  expect(costs.map(({ value }) => value)).toEqual([0.5]);
  const turns = spans.filter(({ name }) => name.startsWith('invoke_agent'));
  expect(turns).toMatchObject([
    { hasError: false, attributes: { 'heddle.turn.reason': 'completed' } },
    { hasError: true, attributes: { 'error.type': 'api_error' } },
  ]);
  expect(spans.at(-1)).toMatchObject({ parent: turns[1]?.id, attributes: { 'error.type': 'auth' } });
});

it('reports a compaction between two prompts with its size', async () => {
  const agent = await run(
    [say('One.'), say('Two.'), say('A summary of the conversation.')],
    ['first', 'second'],
  );
  await agent.compact();
  expect(spans.at(-1)).toMatchObject({
    name: 'compact',
    parent: undefined,
    isEnded: true,
    attributes: { 'heddle.compaction.trigger': 'manual', 'heddle.compaction.level': 'manual_compact' },
  });
});
