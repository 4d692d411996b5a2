import { request as httpRequest } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { createTestGate } from '../gate.ts';
import {
  answer,
  breakAt,
  breakOff,
  call,
  fail,
  hang,
  hangUp,
  pause,
  ping,
  say,
  think,
} from '../scripted/builders.ts';
import { recordsOf } from '../scripted/acts.ts';
import { createSignatures } from '../validator/signatures.ts';
import { type ApiScript, html, raw, wired } from './reply.ts';
import { type FakeApi, type FakeApiOptions, startFakeApi } from './server.ts';

const HEADERS = { 'content-type': 'application/json', 'x-api-key': 'k', 'anthropic-version': '2023-06-01' };
const BODY = {
  model: 'scripted-1',
  max_tokens: 100,
  stream: true,
  messages: [{ role: 'user', content: 'go' }],
};

const running: FakeApi[] = [];
afterEach(async () => {
  for (const api of running.splice(0)) await api.close();
});

async function start(script: ApiScript, options: FakeApiOptions = {}): Promise<FakeApi> {
  const api = await startFakeApi(script, options);
  running.push(api);
  return api;
}

function post(
  api: FakeApi,
  body: unknown = BODY,
  headers: Record<string, string> = HEADERS,
): Promise<Response> {
  return fetch(`${api.url}/v1/messages`, { method: 'POST', headers, body: JSON.stringify(body) });
}

/** The types of the events in a stream. */
function typesIn(stream: string): string[] {
  return [...stream.matchAll(/^event: (.+)$/gm)].map(([, type = '']) => type.trim());
}

/** Returns the bytes received before the connection broke. */
async function readUntilBroken(response: Response): Promise<{ bytes: Buffer; broke: boolean }> {
  const chunks: Uint8Array[] = [];
  try {
    for await (const chunk of response.body ?? []) chunks.push(chunk as Uint8Array);
    return { bytes: Buffer.concat(chunks), broke: false };
  } catch {
    return { bytes: Buffer.concat(chunks), broke: true };
  }
}

describe('the fake Messages API', () => {
  it('streams an answer as server-sent events', async () => {
    const api = await start([answer(think('hm'), say('Let me look'), call('Read', { path: 'a' }, 'r1'))]);
    const response = await post(api);
    const text = await response.text();
    expect(response.headers.get('content-type')).toContain('text/event-stream');
    expect(response.headers.get('request-id')).toBe('req_1');
    expect(typesIn(text).map((type) => type.replace('content_block_', ''))).toEqual(
      'message_start start delta delta stop start delta stop start delta delta stop message_delta message_stop'.split(
        ' ',
      ),
    );
    expect(text).toContain('data: {"type":"content_block_stop","index":0}\n\n');
    api.assertNoViolations();
  });

  it('sends the same events as the scripted model', async () => {
    const step = answer(think('hm'), ping(), say('Let me look'), call('Read', { path: 'a' }, 'r1'));
    const api = await start([step]);
    const text = await (await post(api)).text();
    const events = [...text.matchAll(/^data: (.+)$/gm)].map(([, json = '']) => JSON.parse(json) as unknown);
    const inputTokens = Math.ceil((api.requests[0]?.bytes.length ?? 0) / 4);
    const sign = (thinking: string) => createSignatures().sign(BODY.model, thinking);
    const records = recordsOf(step, { call: 1, model: BODY.model, inputTokens, sign });
    expect([...events, { type: 'done', requestId: 'req_1' }]).toEqual(records);
  });

  it('responds with one message if no stream is requested', async () => {
    const api = await start([answer(think('hm'), say('ok'), call('Read', { path: 'a' }, 'r1'))]);
    expect(await (await post(api, { ...BODY, stream: false })).json()).toMatchObject({
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      stop_reason: 'tool_use',
      content: [
        { type: 'thinking', thinking: 'hm', signature: expect.stringMatching(/^sig_/) },
        { type: 'text', text: 'ok' },
        { type: 'tool_use', id: 'r1', name: 'Read', input: { path: 'a' } },
      ],
      usage: { output_tokens: expect.any(Number), cache_read_input_tokens: 0 },
    });
  });

  it('counts tokens and lists models', async () => {
    const api = await start([], { models: ['big', 'small'] });
    const counted = await fetch(`${api.url}/v1/messages/count_tokens`, {
      method: 'POST',
      headers: HEADERS,
      body: JSON.stringify({ model: 'big', messages: BODY.messages }),
    });
    expect(await counted.json()).toEqual({ input_tokens: 15 });
    const listed = await fetch(`${api.url}/v1/models`, { headers: HEADERS });
    expect(await listed.json()).toMatchObject({ data: [{ id: 'big' }, { id: 'small' }], has_more: false });
    expect(await (await fetch(`${api.url}/v1/models/big`, { headers: HEADERS })).json()).toMatchObject({
      id: 'big',
    });
    expect((await fetch(`${api.url}/v1/models/none`, { headers: HEADERS })).status).toBe(404);
    expect((await post(api, { ...BODY, model: 'none' })).status).toBe(404);
  });

  it('rejects a request that breaks a rule, and records it', async () => {
    const api = await start([say('never')]);
    const response = await post(api, { ...BODY, messages: [{ role: 'assistant', content: 'hi' }] });
    expect([response.status, await response.json()]).toMatchObject([
      400,
      {
        type: 'error',
        error: { type: 'invalid_request_error', message: expect.stringContaining('first-role') },
      },
    ]);
    expect(() => api.assertNoViolations()).toThrow('first-role');
  });

  it('requires the right key and a version', async () => {
    const api = await start([say('hi')], { apiKey: 'k' });
    const { 'x-api-key': key, ...rest } = HEADERS;
    expect((await post(api, BODY, rest)).status).toBe(401);
    expect((await post(api, BODY, { ...rest, 'x-api-key': 'wrong' })).status).toBe(401);
    expect((await post(api, BODY, { 'content-type': 'application/json', 'x-api-key': key })).status).toBe(
      400,
    );
    expect((await post(api, BODY, { ...rest, authorization: `Bearer ${key}` })).status).toBe(200);
  });

  it('records bodies, headers and times', async () => {
    const api = await start((body, number) => say(`${String(body['model'])} ${number}`));
    expect(await (await post(api)).text()).toContain('scripted-1 1');
    await (await post(api, { ...BODY, max_tokens: 7 })).text();
    const [first, second] = api.requests;
    expect(second).toMatchObject({
      number: 2,
      method: 'POST',
      path: '/v1/messages',
      body: { max_tokens: 7 },
    });
    expect(first?.headers['anthropic-version']).toBe('2023-06-01');
    expect(second?.at).toBeGreaterThanOrEqual(first?.at ?? Number.NaN);
    await first?.closed;
    expect(first?.ended).toBe('answered');
  });

  it('reports that its script has ended', async () => {
    const api = await start([]);
    expect((await post(api)).status).toBe(400);
    expect(api.problems).toMatchObject([{ kind: 'out_of_script' }]);
  });
});

describe('a fault on the wire', () => {
  it('is an error with status, headers and envelope', async () => {
    const api = await start([fail('rate_limit', { retryAfterMs: 1_500, shouldRetry: false })]);
    const response = await post(api);
    expect([
      response.status,
      response.headers.get('retry-after'),
      response.headers.get('x-should-retry'),
    ]).toEqual([429, '2', 'false']);
    expect(await response.json()).toMatchObject({ error: { type: 'rate_limit_error' }, request_id: 'req_1' });
  });

  it('is an error event in the middle of a stream', async () => {
    const api = await start([answer(say('a'), fail('overloaded'))]);
    const text = await (await post(api)).text();
    expect(typesIn(text).at(-1)).toBe('error');
    expect(text).toContain('"type":"overloaded_error"');
  });

  it('is a connection that is never answered', async () => {
    const api = await start([breakOff()]);
    await expect(post(api)).rejects.toThrow('fetch failed');
  });

  it('is a break after an event, or a clean end without message_stop', async () => {
    const api = await start([answer(say('a'), breakAt(3)), answer(say('a'), hangUp())]);
    const broken = await readUntilBroken(await post(api));
    expect([broken.broke, typesIn(broken.bytes.toString()).length]).toEqual([true, 3]);
    const ended = await readUntilBroken(await post(api));
    expect([ended.broke, typesIn(ended.bytes.toString()).at(-1)]).toEqual([false, 'content_block_stop']);
    await Promise.all(api.requests.map(({ closed }) => closed));
    expect(api.requests.map(({ ended }) => ended)).toEqual(['broken', 'answered']);
  });

  it('is a socket that closes at a byte, or at a chunk', async () => {
    const api = await start([
      wired({ destroyAfterBytes: 100 }, say('a')),
      wired({ chunkBytes: 10, destroyAfterChunks: 3 }, say('a')),
    ]);
    const atByte = await readUntilBroken(await post(api));
    expect([atByte.broke, atByte.bytes.length]).toEqual([true, 100]);
    const atChunk = await readUntilBroken(await post(api));
    expect([atChunk.broke, atChunk.bytes.length]).toEqual([true, 30]);
  });

  it('is a character split at the boundary of a chunk', async () => {
    const api = await start([wired({ chunkBytes: 1, crlf: true }, say('👍 ünïcödé'))]);
    const text = await (await post(api)).text();
    expect(text).toContain('"text":"👍 ünïcödé"}}\r\n\r\n');
  });

  it('arrives in the chunks it was cut into', async () => {
    const api = await start([wired({ chunkBytes: 7 }, say('👍👍👍'))]);
    const sizes = await chunkSizes(api);
    expect(Math.max(...sizes)).toBe(7);
  });

  it('is a page of a proxy, or any other bytes', async () => {
    const api = await start([html(), raw(200, '{"half":')]);
    const page = await post(api);
    expect([page.status, page.headers.get('content-type')]).toEqual([502, 'text/html']);
    expect(await page.text()).toContain('Bad Gateway');
    expect(await (await post(api)).text()).toBe('{"half":');
  });

  it('is a delayed first byte, with headers or without', async () => {
    const [early, late] = [createTestGate(), createTestGate()];
    const api = await start([
      wired({ headersFirst: true }, [early, say('a')]),
      answer(late, pause(5), say('b')),
    ]);
    const first = await post(api);
    await early.reached;
    early.open();
    expect(await first.text()).toContain('message_stop');

    let answered = false;
    const second = post(api).then((response) => {
      answered = true;
      return response;
    });
    await late.reached;
    expect(answered).toBe(false);
    late.open();
    expect((await second).status).toBe(200);
  });

  it('is silence that ends when the client disconnects, or the server closes', async () => {
    const api = await start([answer(say('a'), hang()), hang()]);
    const controller = new AbortController();
    const init = { method: 'POST', headers: HEADERS, body: JSON.stringify(BODY), signal: controller.signal };
    const response = await fetch(`${api.url}/v1/messages`, init);
    controller.abort();
    await expect(response.text()).rejects.toThrow('aborted');
    const silent = post(api).catch((error: unknown) => error);
    await api.close();
    expect(await silent).toBeInstanceOf(Error);
    await api.close();
  });
});

/** The sizes of the chunks as the HTTP parser of the client saw them. */
function chunkSizes(api: FakeApi): Promise<number[]> {
  const { promise, resolve, reject } = Promise.withResolvers<number[]>();
  const outgoing = httpRequest(`${api.url}/v1/messages`, { method: 'POST', headers: HEADERS }, (incoming) => {
    const sizes: number[] = [];
    incoming.on('data', (chunk: Uint8Array) => sizes.push(chunk.length));
    incoming.on('end', () => resolve(sizes));
  });
  outgoing.on('error', reject);
  outgoing.end(JSON.stringify(BODY));
  return promise;
}
