import { createServer } from 'node:http';
import type { ModelRecord } from '@heddle/core';
import {
  actsOf,
  answer,
  begin,
  call,
  createTestGate,
  fail,
  foreignBlock,
  foreignEvent,
  hang,
  hangUp,
  ping,
  raw,
  requestOf,
  say,
  settle,
  think,
  wired,
} from '@heddle/testing';
import { afterEach, describe, expect, it } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { listening } from '../test/listen.ts';
import {
  ask,
  closeStages,
  failureOf,
  HELLO,
  stageApi,
  stagePort,
  TEST_KEY,
  textIn,
} from '../test/stage-api.ts';
import type { AnthropicPort } from './port.ts';

afterEach(closeStages);

const types = (records: readonly ModelRecord[]) => records.map(({ type }) => String(type));

/** Reads records until one has this type, and leaves the others unread. */
function reading(port: AnthropicPort, signal: AbortSignal) {
  const iterator = port(HELLO, signal)[Symbol.asyncIterator]();
  const until = async (type: string): Promise<ModelRecord> => {
    for (;;) {
      const next = await iterator.next();
      if (next.done === true) throw new Error(`the stream ended before ${type}`);
      if (next.value.type === type) return next.value;
    }
  };
  return { iterator, until };
}

describe('the adapter', () => {
  it('sends the request in the format of the API', async () => {
    const { api, port } = await stageApi([say('hi')], { headers: { 'x-team': 'weavers' } });
    await ask(
      port,
      requestOf([['user', 'hello']], { options: { effort: 'low', betas: ['a-beta'], fastMode: true } }),
    );
    const [request] = api.requests;
    expect(request?.body).toMatchObject({
      model: 'scripted-1',
      stream: true,
      speed: 'fast',
      output_config: { effort: 'low' },
    });
    expect(request?.headers).toMatchObject({
      'x-api-key': TEST_KEY,
      'anthropic-version': '2023-06-01',
      'anthropic-beta': 'a-beta,fast-mode-2026-02-01',
      'content-length': String(request?.bytes.length),
      'x-team': 'weavers',
      'user-agent': `heddle/${manifest.version}`,
    });
    expect(request?.headers).not.toHaveProperty('transfer-encoding');
    api.assertNoViolations();
  });

  it('delivers every event unchanged, known or not, and ends with done', async () => {
    const step = answer(
      think('hm'),
      say('text'),
      ping(),
      foreignEvent({ type: 'of_tomorrow', x: [1] }),
      foreignBlock({ type: 'block_of_tomorrow', y: { z: null } }),
      call('Read', { path: 'a' }, 't1'),
    );
    const { port } = await stageApi([step]);
    const records = await ask(port);
    const script = actsOf(step, { call: 1, model: 'scripted-1', inputTokens: 0, sign: () => 'sig' });
    expect(types(records)).toEqual([
      ...script.flatMap((act) => (act.act === 'event' ? [String(act.event.type)] : [])),
      'done',
    ]);
    expect(records).toContainEqual({ type: 'of_tomorrow', x: [1] });
    expect(records).toContainEqual(
      expect.objectContaining({ content_block: { type: 'block_of_tomorrow', y: { z: null } } }),
    );
    expect(records.at(-1)).toEqual({ type: 'done', requestId: 'req_1' });
  });

  it.each([
    ['byte by byte', { chunkBytes: 1 }],
    ['in threes', { chunkBytes: 3 }],
    ['with CR LF', { crlf: true, chunkBytes: 7 }],
  ])('reads the same records when bytes arrive %s, with characters cut in two', async (_how, wire) => {
    const text = 'Grüße, 世界 🧵 — ok';
    const { port } = await stageApi([wired(wire, say(text))]);
    const records = await ask(port);
    expect(textIn(records)).toBe(text);
    expect(records.at(-1)).toMatchObject({ type: 'done' });
  });

  it('reads an event of 10 MB', async () => {
    const text = 'é'.repeat(5_000_000);
    const { port } = await stageApi([answer(say(text, ''))]);
    expect(textIn(await ask(port))).toBe(text);
  });

  it('reuses its connection for the next call', async () => {
    const { port, sockets } = await forgetful();
    for (let count = 0; count < 3; count++) expect((await ask(port)).at(-1)).toEqual({ type: 'done' });
    expect(sockets.size).toBe(1);
  });

  it('opens a connection early, and the first call uses it', async () => {
    const { port, api } = await stageApi([say('hi'), say('again')]);
    port.preconnect();
    await settle();
    expect(types(await ask(port)).at(-1)).toBe('done');
    expect(types(await ask(port)).at(-1)).toBe('done');
    expect(api.requests).toHaveLength(2);
  });

  it('is not affected by an early connection that failed', async () => {
    const { port } = stagePort({ baseUrl: 'http://127.0.0.1:9' });
    port.preconnect();
    await settle();
    expect(await failureOf(port)).toMatchObject({
      class: 'network',
      message: expect.stringContaining('nothing listens'),
    });
  });

  it('opens a new connection if the kept one is closed, and reports it if it noticed too late', async () => {
    const { port, sockets } = await forgetful();
    expect(types(await ask(port)).at(-1)).toBe('done');
    for (const socket of sockets) socket.resetAndDestroy();
    const second = (await ask(port)).at(-1);
    if (second?.type !== 'done') expect(second).toMatchObject({ class: 'network' });
    expect(types(await ask(port)).at(-1)).toBe('done');
  });

  it('does not wait for a connection that stays open after the end of the answer', async () => {
    const gate = createTestGate();
    const { port, clock } = await stageApi([answer(say('hi'), foreignEvent({ type: 'message_stop' }), gate)]);
    const records = reading(port, new AbortController().signal);
    await records.until('message_stop');
    const last = records.until('done');
    await settle();
    await settle();
    await clock.advance(250);
    expect(await last).toMatchObject({ type: 'done' });
    gate.open();
  });

  it('loses nothing when the reader is slow', async () => {
    const pieces = Array.from({ length: 20_000 }, (_, index) => `piece ${index} `);
    const { port } = await stageApi([say(...pieces)]);
    const { iterator, until } = reading(port, new AbortController().signal);
    await until('message_start');
    for (let count = 0; count < 50; count++) await settle();
    const rest: ModelRecord[] = [];
    for (let next = await iterator.next(); next.done !== true; next = await iterator.next())
      rest.push(next.value);
    expect(textIn(rest)).toBe(pieces.join(''));
    expect(rest.at(-1)).toMatchObject({ type: 'done' });
  });
});

/** A server that keeps its connections until the test closes them. */
async function forgetful() {
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end('data: {"type":"message_stop"}\n\n');
  });
  const { port, sockets } = await listening(server);
  return { ...stagePort({ baseUrl: `http://127.0.0.1:${port}` }), sockets };
}

describe('deadlines', () => {
  it('end a call that gets no first byte after 90 s', async () => {
    const arrived = Promise.withResolvers<void>();
    const { port, clock } = await stageApi([
      () => {
        arrived.resolve();
        return hang();
      },
    ]);
    const failure = failureOf(port);
    await arrived.promise;
    await clock.advance(89_999);
    expect(clock.pending).toHaveLength(1);
    await clock.advance(1);
    expect(await failure).toMatchObject({
      class: 'stall',
      message: expect.stringContaining('nothing for 90 s'),
    });
  });

  it('end a call that gets no content for 90 s, regardless of pings', async () => {
    const gates = [createTestGate(), createTestGate()] as const;
    const { port, clock } = await stageApi([answer(begin(), ping(), gates[0], ping(), gates[1], hang())]);
    const { until } = reading(port, new AbortController().signal);
    await until('ping');
    await clock.advance(60_000);
    gates[0].open();
    await until('ping');
    await clock.advance(29_999);
    expect(clock.pending).toHaveLength(1);
    await clock.advance(1);
    expect(await until('model_error')).toMatchObject({ class: 'stall', requestId: 'req_1' });
  });

  it('restart with content', async () => {
    const gate = createTestGate();
    const { port, clock } = await stageApi([answer(say('a', gate, 'b'))]);
    const { until } = reading(port, new AbortController().signal);
    await until('content_block_delta');
    await clock.advance(89_999);
    gate.open();
    await until('content_block_delta');
    await clock.advance(89_999);
    expect(await until('done')).toMatchObject({ type: 'done' });
  });

  it('do not count the silence of a slow reader', async () => {
    const pieces = Array.from({ length: 20_000 }, (_, index) => `piece ${index} `);
    const { port, clock } = await stageApi([answer(say(...pieces), hang())]);
    const { iterator, until } = reading(port, new AbortController().signal);
    await until('message_start');
    for (let count = 0; count < 50; count++) await settle();
    await clock.advance(10 * 90_000);
    let text = '';
    while (!text.endsWith('piece 19999 ')) {
      const next = await iterator.next();
      if (next.done === true || next.value.type === 'model_error') throw new Error('it was given up');
      text += textIn([next.value]);
    }
    expect(text).toBe(pieces.join(''));
    // When the reader has caught up, the deadline of the server runs again.
    await settle();
    await clock.advance(90_000);
    expect(await until('model_error')).toMatchObject({ class: 'stall' });
  });

  it('can be set', async () => {
    const { port, clock } = await stageApi([answer(begin(), hang())], {
      environment: { HEDDLE_FIRST_BYTE_TIMEOUT_MS: '2000', HEDDLE_STREAM_IDLE_TIMEOUT_MS: '1000' },
    });
    const { until } = reading(port, new AbortController().signal);
    await until('message_start');
    await clock.advance(1_000);
    expect(await until('model_error')).toMatchObject({
      class: 'stall',
      message: expect.stringContaining('for 1 s'),
    });
  });
});

describe('an abort', () => {
  it('before the call: nothing is sent', async () => {
    const { port, api } = await stageApi([]);
    const records = reading(port, AbortSignal.abort());
    expect(await records.until('model_error')).toMatchObject({ class: 'aborted' });
    expect(api.requests).toEqual([]);
  });

  it.each([
    ['before the first byte', answer(hang()), undefined],
    ['in the middle', answer(say('a'), hang()), 'content_block_delta'],
  ])('%s: ends the call at once and the connection with it', async (_when, step, after) => {
    const arrived = Promise.withResolvers<void>();
    const { port, api, clock } = await stageApi([
      () => {
        arrived.resolve();
        return step;
      },
    ]);
    const controller = new AbortController();
    const { iterator, until } = reading(port, controller.signal);
    if (after === undefined) {
      const next = until('model_error');
      await arrived.promise;
      controller.abort();
      expect(await next).toMatchObject({ class: 'aborted' });
    } else {
      await until(after);
      controller.abort();
      expect(await until('model_error')).toMatchObject({ class: 'aborted' });
    }
    expect(await iterator.next()).toMatchObject({ done: true });
    await api.requests[0]?.closed;
    expect(api.requests[0]?.ended).toBe('broken');
    expect(clock.pending).toEqual([]);
  });

  it('of a reader that stops early closes the connection as well', async () => {
    const { port, api } = await stageApi([answer(say('a'), hang())]);
    const { iterator, until } = reading(port, new AbortController().signal);
    await until('content_block_delta');
    await iterator.return?.();
    await api.requests[0]?.closed;
    expect(api.requests[0]?.ended).toBe('broken');
  });
});

describe('a stream that fails', () => {
  it('is broken when it ends without message_stop, even if it was closed cleanly', async () => {
    const { port } = await stageApi([answer(say('half'), hangUp())]);
    expect(await failureOf(port)).toMatchObject({
      class: 'network',
      requestId: 'req_1',
      message: expect.stringContaining('without message_stop'),
    });
  });

  it.each([
    ['overloaded', 529],
    ['rate_limit', 429],
    ['server', 500],
  ] as const)('with an error event is %s', async (errorClass, status) => {
    const { port } = await stageApi([answer(say('half'), fail(errorClass))]);
    expect(await failureOf(port)).toMatchObject({ class: errorClass, status, requestId: 'req_1' });
  });

  it.each(['{"type":"content_block_delta","index":0}', 'not json at all'])(
    'with %s is an error of the server',
    async (data) => {
      const { port } = await stageApi([
        raw(200, `data: ${data}\n\n`, { 'content-type': 'text/event-stream' }),
      ]);
      expect(await failureOf(port)).toMatchObject({
        class: 'server',
        message: expect.stringContaining('proxy'),
      });
    },
  );
});
