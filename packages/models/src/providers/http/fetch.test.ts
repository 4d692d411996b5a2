import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { say, startFakeProvider } from '@heddle/testing';
import { ask, requestTo } from '../../test/bridge.ts';
import { listening } from '../../test/listen.ts';
import { closeStages, closing, textIn } from '../../test/stage-api.ts';
import { CHAT, COMPATIBLE, CONVERSE, GEMINI, OTHERS, RESPONSES, stageWire } from '../../test/wires.ts';
import { createFetch } from '../fetch.ts';

afterEach(async () => {
  vi.unstubAllGlobals();
  await closeStages();
});

async function serve(
  answer: (request: IncomingMessage, response: ServerResponse) => unknown,
): Promise<string> {
  const { port } = await listening(createServer((request, response) => void answer(request, response)));
  return `http://127.0.0.1:${port}`;
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  return Buffer.concat(await request.toArray()).toString();
}

const post = { method: 'POST', body: '{"a":1}', headers: { authorization: 'Bearer k' } };

describe('the fetch that packages get', () => {
  it('is used by every package, because the default one gives up after five minutes', async () => {
    vi.stubGlobal('fetch', () => Promise.reject(new Error('the usual one')));
    for (const wire of [CHAT, COMPATIBLE, RESPONSES, GEMINI, CONVERSE, ...OTHERS]) {
      const { port } = await stageWire(wire, [say(`From ${wire.id}.`)]);
      expect(textIn(await ask(port, requestTo(wire)))).toBe(`From ${wire.id}.`);
    }
  });

  it('sends method, headers and body, and gets status, headers and body', async () => {
    const url = await serve(async (request, response) => {
      response.writeHead(418, { 'x-seen': request.headers.authorization, 'content-type': 'text/plain' });
      response.end(`${request.method} ${await bodyOf(request)}`);
    });
    const answer = await createFetch({})(url, post);
    expect([answer.status, answer.headers.get('x-seen'), await answer.text()]).toEqual([
      418,
      'Bearer k',
      'POST {"a":1}',
    ]);
  });

  it.each([
    ['gzip', gzipSync('hello')],
    ['deflate', deflateSync('hello')],
    ['br', brotliCompressSync('hello')],
  ])('decompresses %s', async (encoding, bytes) => {
    const url = await serve((_, response) => {
      response.writeHead(200, { 'content-encoding': encoding, 'content-type': 'text/event-stream' });
      response.end(bytes);
    });
    expect(await (await createFetch({})(url)).text()).toBe('hello');
  });

  it('follows a redirect on the same host, with the body and the key', async () => {
    const url = await serve(async (request, response) => {
      if (request.url === '/old') return void response.writeHead(308, { location: '/new' }).end();
      const received = `${request.url} ${request.headers.authorization} ${await bodyOf(request)}`;
      return void response.writeHead(200, { 'content-type': 'text/plain' }).end(received);
    });
    expect(await (await createFetch({})(`${url}/old`, post)).text()).toBe('/new Bearer k {"a":1}');
  });

  it.each([
    ['to another host', 307, 'http://127.0.0.2:1/'],
    ['in a circle', 307, '/again'],
    ['where a POST would become a GET', 302, '/elsewhere'],
  ])('does not follow %s, and reports the target', async (_, status, location) => {
    const url = await serve((_request, response) => void response.writeHead(status, { location }).end());
    const answer = await createFetch({})(url, post);
    expect(answer.status).toBe(status);
    expect(await answer.json()).toEqual({ error: { message: `it points to ${location}` } });
  });

  it.each([204, 304])('accepts a response without a body: %i', async (status) => {
    const url = await serve((_, response) => void response.writeHead(status).end());
    expect(await createFetch({})(url, post)).toMatchObject({ status, body: null });
  });

  it('ends when its signal aborts, before a response and during one', async () => {
    const closed = Promise.withResolvers<void>();
    const url = await serve((request, response) => {
      request.socket.once('close', () => closed.resolve());
      if (request.url === '/silent') return;
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('data: 1\n\n');
    });
    const before = new AbortController();
    const silent = createFetch({})(`${url}/silent`, { signal: before.signal });
    before.abort();
    await expect(silent).rejects.toThrow('aborted');
    const middle = new AbortController();
    const answer = await createFetch({})(url, { signal: middle.signal });
    const reader = answer.body?.getReader();
    await reader?.read();
    middle.abort();
    await expect(reader?.read()).rejects.toThrow('aborted');
    await closed.promise;
  });

  it('reports why a connection failed', async () => {
    await expect(createFetch({})('http://127.0.0.1:9')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    const url = await serve((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('data: 1\n\n', () => response.destroy());
    });
    const answer = await createFetch({})(url);
    await expect(answer.text()).rejects.toMatchObject({ code: 'ECONNRESET' });
  });

  it('uses the configured proxy, but not for this machine', async () => {
    const proxied: (string | undefined)[] = [];
    const proxy = await serve((request, response) => {
      proxied.push(request.url);
      response.writeHead(200, { 'content-type': 'text/plain' }).end('from the proxy');
    });
    const fetch = createFetch({ HTTP_PROXY: proxy });
    expect(await (await fetch('http://somewhere.test/x')).text()).toBe('from the proxy');
    const server = closing(await startFakeProvider('chat', [], { models: ['a'] }));
    // A JSON response in place of a stream is reported as an error.
    await expect(fetch(`${server.url}/v1/models`)).rejects.toThrow('did not stream');
    expect(proxied).toEqual(['http://somewhere.test/x']);
  });
});
