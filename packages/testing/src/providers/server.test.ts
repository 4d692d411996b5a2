import { afterEach, describe, expect, it } from 'vitest';
import { answer, breakOff, call, cut, fail, hangUp, say, think } from '../scripted/builders.ts';
import { raw } from '../api/reply.ts';
import { type FakeProvider, type FakeWire, startFakeProvider } from './server.ts';

const open: FakeProvider[] = [];
afterEach(async () => {
  for (const server of open.splice(0)) await server.close();
});

async function start(...arguments_: Parameters<typeof startFakeProvider>): Promise<FakeProvider> {
  const server = await startFakeProvider(...arguments_);
  open.push(server);
  return server;
}

const PATHS = {
  chat: '/v1/chat/completions',
  responses: '/v1/responses',
  gemini: '/v1beta/models/gemini-x:streamGenerateContent',
  converse: '/model/a%3Ab/converse-stream',
} as const;

function post(server: FakeProvider, wire: keyof typeof PATHS, body: object = {}): Promise<Response> {
  return fetch(`${server.url}${PATHS[wire]}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'm', ...body }),
  });
}

/** The data of server-sent events. */
async function eventsOf(response: Response): Promise<readonly unknown[]> {
  const lines = (await response.text()).split('\n').filter((line) => line.startsWith('data: {'));
  return lines.map((line): unknown => JSON.parse(line.slice('data: '.length)));
}

const STEP = answer(think('hm'), say('I look'), call('Look', { at: 'a' }, 't1'));

describe('a script', () => {
  it('is sent as Chat Completions', async () => {
    const events = await eventsOf(await post(await start('chat', [STEP]), 'chat'));
    expect(events).toMatchObject([
      { choices: [{ delta: { role: 'assistant' } }] },
      { choices: [{ delta: { reasoning_content: 'hm' } }] },
      { choices: [{ delta: { content: 'I look' } }] },
      { choices: [{ delta: { tool_calls: [{ index: 0, id: 't1', function: { name: 'Look' } }] } }] },
      { choices: [{ delta: { tool_calls: [{ index: 0, function: { arguments: '{"at":"a"}' } }] } }] },
      { choices: [{ finish_reason: 'tool_calls' }] },
      { choices: [], usage: { prompt_tokens: expect.any(Number) } },
    ]);
  });

  it('is sent as Responses', async () => {
    const events = await eventsOf(await post(await start('responses', [STEP]), 'responses'));
    expect(events).toMatchObject([
      { type: 'response.created' },
      { type: 'response.output_item.added', item: { type: 'reasoning' } },
      { type: 'response.reasoning_summary_part.added' },
      { type: 'response.reasoning_summary_text.delta', delta: 'hm' },
      { type: 'response.output_item.done', item: { encrypted_content: 'signed-2' } },
      { type: 'response.output_item.added', item: { type: 'message' } },
      { type: 'response.output_text.delta', delta: 'I look' },
      { type: 'response.output_item.done' },
      { type: 'response.output_item.added', item: { type: 'function_call', call_id: 't1' } },
      { type: 'response.function_call_arguments.delta', delta: '{"at":"a"}' },
      { type: 'response.output_item.done', item: { arguments: '{"at":"a"}' } },
      { type: 'response.completed' },
    ]);
  });

  it('is sent as Gemini', async () => {
    const events = await eventsOf(await post(await start('gemini', [STEP]), 'gemini'));
    expect(events).toMatchObject([
      { candidates: [{ content: { parts: [{ text: 'hm', thought: true }] } }] },
      { candidates: [{ content: { parts: [{ text: 'I look', thoughtSignature: 'signed-2' }] } }] },
      { candidates: [{ content: { parts: [{ functionCall: { name: 'Look', args: { at: 'a' } } }] } }] },
      { candidates: [{ finishReason: 'STOP' }] },
    ]);
  });

  it('is sent as Converse, in frames', async () => {
    const server = await start('converse', [STEP]);
    const response = await post(server, 'converse');
    expect(response.headers.get('content-type')).toBe('application/vnd.amazon.eventstream');
    const bytes = Buffer.from(await response.arrayBuffer());
    expect(bytes.readUInt32BE(0)).toBeLessThan(bytes.length);
    expect(bytes.toString('latin1')).toMatch(/messageStart.*contentBlockDelta.*messageStop.*metadata/s);
  });
});

describe('a fault', () => {
  it.each([
    ['chat', 'overflow', 400, 'context_length_exceeded'],
    ['responses', 'auth', 401, 'invalid_api_key'],
    ['gemini', 'overflow', 400, 'exceeds the maximum number of tokens'],
    ['gemini', 'auth', 400, 'API key not valid'],
    ['converse', 'overflow', 400, 'Input is too long'],
  ] as const)('is sent in the format of %s: %s', async (wire, errorClass, status, words) => {
    const response = await post(await start(wire, [fail(errorClass)]), wire);
    expect(response.status).toBe(status);
    expect(await response.text()).toContain(words);
  });

  it('contains the delay if the provider sends one', async () => {
    const script = () => fail('rate_limit', { retryAfterMs: 2_000 });
    const chat = await post(await start('chat', script), 'chat');
    expect([chat.status, chat.headers.get('retry-after')]).toEqual([429, '2']);
    expect(await (await post(await start('gemini', script), 'gemini')).text()).toContain('"retryDelay":"2s"');
  });

  it('breaks the connection before or after the first byte, or only stops', async () => {
    const server = await start('chat', [
      breakOff(),
      answer(say('x'), breakOff()),
      answer(say('x'), hangUp()),
    ]);
    await expect(post(server, 'chat')).rejects.toThrow('fetch failed');
    await expect((await post(server, 'chat')).text()).rejects.toThrow('terminated');
    expect(await (await post(server, 'chat')).text()).not.toContain('[DONE]');
  });

  it("cuts at the cap, with the provider's own finish reason", async () => {
    const reasons = async (wire: FakeWire & keyof typeof PATHS) =>
      (await post(await start(wire, [answer(say('x'), cut())]), wire)).text();
    expect(await reasons('chat')).toContain('"finish_reason":"length"');
    expect(await reasons('responses')).toContain('"reason":"max_output_tokens"');
    expect(await reasons('gemini')).toContain('"finishReason":"MAX_TOKENS"');
  });
});

describe('a request', () => {
  const called = { role: 'assistant', tool_calls: [{ id: 't1' }] };
  const result = { role: 'tool', tool_call_id: 't1' };

  it('is recorded', async () => {
    const server = await start('chat', [raw(418, 'tea')]);
    expect((await post(server, 'chat', { extra: 1 })).status).toBe(418);
    expect(server.calls[0]).toMatchObject({ path: PATHS.chat, body: { extra: 1 }, ended: 'answered' });
    server.assertNoViolations();
  });

  it.each([
    ['a call without its result', [called], 't1: no result'],
    ['a result without its call', [result], 't1: a result without its call'],
    ['two results for one call', [called, result, result], 't1: a result without its call'],
  ])('with %s is rejected and recorded', async (_what, messages, problem) => {
    const server = await start('chat', [say('never')]);
    expect((await post(server, 'chat', { messages })).status).toBe(400);
    expect(server.problems).toEqual([`call 1: ${problem}`]);
    expect(() => server.assertNoViolations()).toThrow(problem);
  });

  it('beyond the script or its paths is a problem', async () => {
    const server = await start('chat', []);
    await post(server, 'chat');
    await post(server, 'responses');
    expect(server.problems).toEqual([
      'the script has no step for call 1',
      'nothing is asked at /v1/responses',
    ]);
  });

  it('for the models gets a response', async () => {
    const server = await start('chat', [], { models: ['a'] });
    const get = async (path: string) => (await fetch(`${server.url}${path}`)).json();
    expect(await get('/v1/models')).toMatchObject({ data: [{ id: 'a' }] });
    expect(await get('/api/tags')).toMatchObject({ models: [{ name: 'a' }] });
  });
});
