/**
 * The contract of a port, kept by the bridge: one end, no exception, deadlines, and an abort that closes
 * the connection.
 */
import type { LanguageModelV4, LanguageModelV4StreamPart } from '@ai-sdk/provider';
import type { ModelRecord } from '@heddle/core';
import { answer, call, createClock, createTestGate, fail, hang, raw, requestOf, say } from '@heddle/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { openProvider } from '../providers/port.ts';
import { providerNamed } from '../providers/providers.ts';
import { ask, failureOf, requestTo } from '../test/bridge.ts';
import { closeStages, TEST_KEY, textIn } from '../test/stage-api.ts';
import { CHAT, GEMINI, RESPONSES, stageWire } from '../test/wires.ts';
import { createBridgePort } from './port.ts';
import { omitUndefined } from '@heddle/core';

afterEach(closeStages);

const WIRES = [CHAT, RESPONSES, GEMINI];

describe.each(WIRES)('over $id', (wire) => {
  it('a response ends with done and its request id', async () => {
    const { port } = await stageWire(wire, [say('Hello there.')]);
    const records = await ask(port, requestTo(wire));
    expect(textIn(records)).toBe('Hello there.');
    expect(records.at(-2)).toEqual({ type: 'message_stop' });
    expect(records.at(-1)).toEqual({ type: 'done', requestId: 'req_1' });
  });

  it('an abort during a response ends it at once and closes the connection', async () => {
    const { port, server } = await stageWire(wire, [answer(say('begun'), hang())]);
    const abort = new AbortController();
    const records: ModelRecord[] = [];
    for await (const record of {
      [Symbol.asyncIterator]: () => port(requestTo(wire), abort.signal)[Symbol.asyncIterator](),
    }) {
      records.push(record);
      if (record.type === 'content_block_delta') abort.abort();
    }
    expect(records.at(-1)).toMatchObject({ type: 'model_error', class: 'aborted' });
    await server.requests[0]?.closed;
  });

  it('an abort before the first byte does, too', async () => {
    const arrived = createTestGate();
    const { port, server } = await stageWire(wire, () => {
      arrived.open();
      return hang();
    });
    const abort = new AbortController();
    const records = ask(port, requestTo(wire), abort.signal);
    await arrived.pass(new AbortController().signal);
    abort.abort();
    expect(await records).toEqual([expect.objectContaining({ class: 'aborted' })]);
    await server.requests[0]?.closed;
  });

  it('an abort before the call sends nothing', async () => {
    const { port, server } = await stageWire(wire, [say('never')]);
    expect(await ask(port, requestTo(wire), AbortSignal.abort())).toEqual([
      expect.objectContaining({ class: 'aborted' }),
    ]);
    expect(server.requests).toHaveLength(0);
  });

  it('a reader that stops early closes the connection', async () => {
    const { port, server } = await stageWire(wire, [answer(say('begun'), hang())]);
    const iterator = port(requestTo(wire), new AbortController().signal)[Symbol.asyncIterator]();
    await iterator.next();
    await iterator.return?.();
    await server.requests[0]?.closed;
  });

  it('a wait for the first byte ends at its limit and closes the connection', async () => {
    const limitMs = providerNamed(wire.id)?.thinksInSilence ? 300_000 : 90_000;
    const arrived = createTestGate();
    const { port, server, clock } = await stageWire(wire, () => {
      arrived.open();
      return answer(createTestGate(), say('never'));
    });
    const records = ask(port, requestTo(wire));
    await arrived.pass(new AbortController().signal);
    await clock.advance(limitMs - 1);
    expect(clock.pending).toHaveLength(1);
    await clock.advance(1);
    expect((await records).at(-1)).toMatchObject({
      class: 'stall',
      message: expect.stringContaining(`sent nothing for ${limitMs / 1_000} s`),
    });
    await server.requests[0]?.closed;
  });

  it('no error contains a key', async () => {
    const { port } = await stageWire(wire, [fail('auth')]);
    const { message } = await failureOf(port, requestTo(wire));
    expect(message).not.toContain(TEST_KEY);
    expect(message).toMatch(/Check [A-Z_]+/);
  });
});

describe('a provider that is not configured', () => {
  it.each([
    ['openai', {}, 'OpenAI is not configured. Set OPENAI_API_KEY.'],
    ['bedrock', { AWS_ACCESS_KEY_ID: 'AKIA' }, 'Amazon Bedrock is not configured. Set AWS_REGION.'],
    ['openai', { OPENAI_API_KEY: 'with a space' }, 'Set it anew'],
    [
      'openai',
      { OPENAI_API_KEY: 'k', OPENAI_BASE_URL: '/v1' },
      'OPENAI_BASE_URL is not the address of a server',
    ],
    ['ollama', { OLLAMA_HOST: 'ftp://here' }, 'OLLAMA_HOST is not the address of a server'],
  ])('%s %j reports it and sends nothing', async (id, environment, words) => {
    const provider = providerNamed(id);
    if (provider === undefined) throw new Error(id);
    const port = await openProvider(provider, { environment });
    const error = await failureOf(port, requestTo({ model: `${id}/m` }));
    expect(['auth', 'bad_request']).toContain(error.class);
    expect(error.message).toContain(words);
  });
});

it('a compatible server without the Responses API leads to advice about the alternative', async () => {
  const nothing = raw(404, '{"error":"Unexpected endpoint or method. (POST /v1/responses)"}');
  const { port } = await stageWire(RESPONSES, [nothing]);
  const error = await failureOf(port, requestTo(RESPONSES));
  expect(error).toMatchObject({ class: 'not_found' });
  expect(error.message).toContain('openai-compatible/MODEL');
});

const FEATURES = {
  images: true,
  documents: true,
  mediaInResults: true,
  wordsAfterResults: true,
  thinking: 'signed',
  effort: true,
} as const;

/** A model of the provider interface with scripted behavior. */
function modelThat(doStream: LanguageModelV4['doStream']): LanguageModelV4 {
  return {
    specificationVersion: 'v4',
    provider: 'own',
    modelId: 'm',
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error('not asked')),
    doStream,
  };
}

describe('any model of the interface', () => {
  const HELLO = requestOf([['user', 'hello']], { model: 'own/m' });

  it.each([
    ['<tool_call>{"name":"Look","arguments":{"at":"a"}}</tool_call>', 'tool_use', undefined],
    ['<tool_call>Look at a</tool_call>', 'end_turn', 'Change the server.'],
  ])('may write calls as text: %s', async (text, stop, notice) => {
    const usage = {
      inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
      outputTokens: { total: 1, text: 1, reasoning: 0 },
    };
    const parts: readonly LanguageModelV4StreamPart[] = [
      { type: 'text-delta', id: 't', delta: text },
      { type: 'finish', finishReason: { unified: 'stop', raw: 'stop' }, usage },
    ];
    const model = modelThat(() => Promise.resolve({ stream: ReadableStream.from(parts) }));
    const options = { provider: 'own', features: FEATURES, markupAdvice: 'Change the server.' };
    const records = await ask(createBridgePort(model, options), requestTo({ model: 'own/m' }));
    expect(records).toContainEqual(
      expect.objectContaining({ type: 'message_delta', delta: { stop_reason: stop, stop_sequence: null } }),
    );
    expect(records.at(-1)).toEqual({ type: 'done', ...omitUndefined({ notice }) });
  });

  it('may be passed directly', async () => {
    const parts: readonly LanguageModelV4StreamPart[] = [
      { type: 'text-delta', id: 't', delta: 'hi' },
      {
        type: 'finish',
        finishReason: { unified: 'stop', raw: 'stop' },
        usage: {
          inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
          outputTokens: { total: 1, text: 1, reasoning: 0 },
        },
      },
    ];
    const model = modelThat(() => Promise.resolve({ stream: ReadableStream.from(parts) }));
    const records = await ask(createBridgePort(model, { provider: 'own', features: FEATURES }), HELLO);
    expect(textIn(records)).toBe('hi');
    expect(records.at(-1)).toEqual({ type: 'done' });
  });

  it.each([
    [
      'throws',
      () => {
        throw new Error('at once');
      },
    ],
    ['rejects', () => Promise.reject(new Error('at once'))],
    [
      'has a stream that breaks',
      () => Promise.resolve({ stream: new ReadableStream({ start: (c) => c.error(new Error('x')) }) }),
    ],
    ['has a stream without an end', () => Promise.resolve({ stream: ReadableStream.from([]) })],
  ] as const)('that %s ends with one error', async (_how, doStream) => {
    const port = createBridgePort(modelThat(doStream), { provider: 'own', features: FEATURES });
    expect(await ask(port, HELLO)).toEqual([expect.objectContaining({ type: 'model_error' })]);
  });

  it('that never responds is given up, although it ignores its signal', async () => {
    const clock = createClock();
    const model = modelThat(() => new Promise(() => {}));
    const port = createBridgePort(model, { provider: 'own', features: FEATURES, clock });
    const records = ask(port, HELLO);
    await clock.advance(89_999);
    expect(clock.pending).toHaveLength(1);
    await clock.advance(1);
    expect(await records).toEqual([expect.objectContaining({ class: 'stall' })]);
  });

  it.each([
    ['before its first word', [], 300_000],
    [
      'when it has begun to think again',
      [
        { type: 'text-delta', id: 't', delta: 'hi' },
        { type: 'reasoning-start', id: 'r' },
      ],
      300_000,
    ],
    [
      'between two words',
      [
        { type: 'reasoning-start', id: 'r' },
        { type: 'text-delta', id: 't', delta: 'hi' },
      ],
      90_000,
    ],
    [
      'when it only keeps the line open',
      [{ type: 'text-delta', id: 't', delta: 'hi' }, { type: 'ping' }],
      90_000,
    ],
  ] as const)('that thinks silently gets a longer deadline: %s', async (_when, parts, limitMs) => {
    const clock = createClock();
    const read = Promise.withResolvers<void>();
    async function* streamed(): AsyncGenerator<LanguageModelV4StreamPart> {
      yield* parts;
      read.resolve();
      await new Promise(() => {});
    }
    const stream = ReadableStream.from(streamed());
    const model = modelThat(() => Promise.resolve({ stream }));
    const port = createBridgePort(model, { provider: 'own', features: FEATURES, clock, thinkingMs: 300_000 });
    const records = ask(port, HELLO);
    let isOver = false;
    void records.then(() => (isOver = true));
    await read.promise;
    await clock.advance(limitMs - 1);
    expect(isOver).toBe(false);
    await clock.advance(1);
    expect((await records).at(-1)).toMatchObject({ class: 'stall' });
  });

  it('that sends faster than its reader reads waits for the reader', async () => {
    const clock = createClock();
    const { port } = await stageWire(RESPONSES, [
      answer(say(...Array.from({ length: 5_000 }, (_, at) => `${at} `)), call('Look', {}, 't1')),
    ]);
    const records = await ask(port, requestTo(RESPONSES));
    expect(textIn(records).split(' ')).toHaveLength(5_001);
    expect(clock.pending).toEqual([]);
  });
});
