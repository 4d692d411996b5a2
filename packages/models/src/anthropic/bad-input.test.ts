/** Invalid input from the network and the settings. Every case ends with a clear error, and none hangs. */
import { readFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { connect, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { html, raw, requestOf, say } from '@heddle/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { ErrorBody } from './attempt.ts';
import { listening } from '../test/listen.ts';
import { ask, closeStages, failureOf, stageApi, stagePort, TEST_KEY } from '../test/stage-api.ts';

afterEach(closeStages);

const TLS = path.join(import.meta.dirname, '../test/tls');
const CERTIFICATE = path.join(TLS, 'certificate.pem');
const ANSWER = 'data: {"type":"message_stop"}\n\n';

const portOf = async (server: Server) => (await listening(server)).port;

function secureServer() {
  const options = { key: readFileSync(path.join(TLS, 'key.pem')), cert: readFileSync(CERTIFICATE) };
  return createHttpsServer(options, (request, response) => {
    request.resume();
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(ANSWER);
  });
}

describe('an address that leads nowhere', () => {
  it('where nothing listens', async () => {
    const port = await portOf(createTcpServer());
    await closeStages();
    const { port: model } = stagePort({ baseUrl: `http://127.0.0.1:${port}` });
    expect(await failureOf(model)).toMatchObject({
      class: 'network',
      message: expect.stringContaining('ECONNREFUSED'),
    });
  });

  it('whose name cannot be resolved is not tried again', async () => {
    // The name is longer than DNS allows, so no name server is asked.
    const { port } = stagePort({ baseUrl: `http://${'x'.repeat(64)}.invalid` });
    expect(await failureOf(port)).toMatchObject({
      class: 'network',
      shouldRetry: false,
      message: expect.stringContaining('name is not known'),
    });
  });

  it.each(['nonsense', 'ftp://host', ''])('that is none: “%s”', async (baseUrl) => {
    const { port } = stagePort({ baseUrl });
    expect(await failureOf(port)).toMatchObject({
      class: 'bad_request',
      message: expect.stringContaining('ANTHROPIC_BASE_URL'),
    });
  });

  it('whose server closes the connection before it responds', async () => {
    const port = await portOf(createTcpServer((socket) => socket.once('data', () => socket.destroy())));
    const { port: model } = stagePort({ baseUrl: `http://127.0.0.1:${port}` });
    expect(await failureOf(model)).toMatchObject({
      class: 'network',
      message: expect.stringContaining('closed'),
    });
  });

  it('whose server does not use HTTP', async () => {
    const port = await portOf(createTcpServer((socket) => socket.end('SSH-2.0-OpenSSH\r\n')));
    const { port: model } = stagePort({ baseUrl: `http://127.0.0.1:${port}` });
    expect(await failureOf(model)).toMatchObject({
      class: 'network',
      message: expect.stringContaining('not HTTP'),
    });
  });
});

describe('a limit with an absurd wait', () => {
  const ABSURD: readonly Readonly<Record<string, string>>[] = [
    { 'retry-after': '99999999999999' },
    { 'retry-after': '-99999999999999' },
    { 'retry-after': 'NaN' },
    { 'retry-after': 'Infinity' },
    { 'retry-after': 'Fri, 31 Dec 9999 23:59:59 GMT' },
    { 'retry-after-ms': '1e308' },
    {
      'anthropic-ratelimit-tokens-remaining': '0',
      'anthropic-ratelimit-tokens-reset': '9999-12-31T23:59:59Z',
    },
  ];

  it.each(ABSURD)('is a limit like any other: %j', async (headers) => {
    const { port } = await stageApi([raw(429, '{}', { 'content-type': 'application/json', ...headers })]);
    expect(await failureOf(port)).toMatchObject({ class: 'rate_limit', status: 429 });
  });

  it.each(ABSURD)('is one inside a stream, too: %j', async (headers) => {
    const event = { type: 'error', error: { type: 'rate_limit_error', message: 'enough' } };
    const { port } = await stageApi([
      raw(200, `data: ${JSON.stringify(event)}\n\n`, { 'content-type': 'text/event-stream', ...headers }),
    ]);
    expect(await failureOf(port)).toMatchObject({ class: 'rate_limit', status: 429 });
  });
});

describe('an error whose words break off', () => {
  it('is classified by its status', async () => {
    const server = createHttpServer((request, response) => {
      request.resume();
      response.writeHead(529, { 'content-type': 'application/json' });
      response.write('{"type":"error","er', () => response.destroy());
    });
    const { port } = stagePort({ baseUrl: `http://127.0.0.1:${await portOf(server)}` });
    expect(await failureOf(port)).toMatchObject({ class: 'overloaded', status: 529 });
  });

  it('is read as far as it came when the rest does not come', () => {
    const read: string[] = [];
    const body = new PassThrough();
    const words = new ErrorBody(body, (text) => read.push(text));
    body.write('half');
    body.read();
    words.giveUp();
    words.giveUp();
    expect(read).toHaveLength(1);
    expect(body.destroyed).toBe(true);
  });
});

describe('TLS', () => {
  it('that is not trusted is reported, with a solution, and not tried again', async () => {
    const port = await portOf(secureServer());
    const { port: model } = stagePort({ baseUrl: `https://127.0.0.1:${port}` });
    expect(await failureOf(model)).toMatchObject({
      class: 'network',
      shouldRetry: false,
      message: expect.stringContaining('NODE_EXTRA_CA_CERTS'),
    });
  });

  it('is trusted with the extra certificates, also over a connection opened early', async () => {
    const port = await portOf(secureServer());
    const { port: model } = stagePort({ baseUrl: `https://localhost:${port}`, extraCaFile: CERTIFICATE });
    model.preconnect();
    expect((await ask(model)).at(-1)).toEqual({ type: 'done' });
    expect((await ask(model)).at(-1)).toEqual({ type: 'done' });
  });

  it('with certificates that cannot be read names the file', async () => {
    const { port } = stagePort({
      baseUrl: 'https://127.0.0.1:9',
      extraCaFile: path.join(TLS, 'missing.pem'),
    });
    expect(await failureOf(port)).toMatchObject({
      shouldRetry: false,
      message: expect.stringContaining('missing.pem'),
    });
  });

  it('at a port that uses plain HTTP is reported', async () => {
    const port = await portOf(createHttpServer((_request, response) => response.end()));
    const { port: model } = stagePort({ baseUrl: `https://127.0.0.1:${port}` });
    expect(await failureOf(model)).toMatchObject({
      shouldRetry: false,
      message: expect.stringContaining('does not speak TLS'),
    });
  });
});

describe('a proxy', () => {
  it('is used for http if the environment names one, and skipped if NO_PROXY excludes the host', async () => {
    const asked: string[] = [];
    const proxy = await portOf(
      createHttpServer((request, response) => {
        asked.push(`${request.method} ${request.url}`);
        request.resume();
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.end(ANSWER);
      }),
    );
    const environment = { HTTP_PROXY: `http://127.0.0.1:${proxy}`, NO_PROXY: 'localhost' };
    const { port } = stagePort({ baseUrl: 'http://gateway.test:8080/base/', environment });
    expect((await ask(port)).at(-1)).toEqual({ type: 'done' });
    expect(asked).toEqual(['POST http://gateway.test:8080/base/v1/messages']);
    const { port: direct } = stagePort({ baseUrl: 'http://localhost:9', environment });
    expect(await failureOf(direct)).toMatchObject({ class: 'network' });
    expect(asked).toHaveLength(1);
  });

  it('carries TLS through a tunnel', async () => {
    const target = await portOf(secureServer());
    const proxy = createHttpServer();
    proxy.on('connect', (_request, socket: Socket) => {
      socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      const through = connect(target, '127.0.0.1');
      socket.pipe(through).pipe(socket);
    });
    const environment = { HTTPS_PROXY: `http://127.0.0.1:${await portOf(proxy)}` };
    const { port } = stagePort({
      baseUrl: `https://localhost:${target}`,
      environment,
      extraCaFile: CERTIFICATE,
    });
    port.preconnect();
    expect((await ask(port)).at(-1)).toEqual({ type: 'done' });
  });

  it('that closes the connection is reported', async () => {
    const proxy = createTcpServer((socket) => socket.once('data', () => socket.destroy()));
    const environment = { HTTPS_PROXY: `http://127.0.0.1:${await portOf(proxy)}` };
    const { port } = stagePort({ baseUrl: 'https://gateway.test', environment });
    const error = await failureOf(port);
    expect(error).toMatchObject({ class: 'network' });
    expect(error.shouldRetry).toBeUndefined();
  });

  it('that rejects the request is not asked again, and its password is not shown', async () => {
    const proxy = createHttpServer();
    proxy.on('connect', (_request, socket: Socket) =>
      socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n'),
    );
    const environment = { HTTPS_PROXY: `http://user:password-of-mine@127.0.0.1:${await portOf(proxy)}` };
    const { port } = stagePort({ baseUrl: 'https://gateway.test', environment });
    const error = await failureOf(port);
    expect(error).toMatchObject({ class: 'network', shouldRetry: false });
    expect(error.message).not.toContain('password-of-mine');
  });

  it('whose address cannot be parsed is reported', async () => {
    const { port } = stagePort({
      baseUrl: 'http://gateway.test',
      environment: { HTTP_PROXY: 'socks5://127.0.0.1:1' },
    });
    expect(await failureOf(port)).toMatchObject({ class: 'network', shouldRetry: false });
  });
});

describe('a response that is not a stream', () => {
  it.each([
    [html(502), { class: 'server', status: 502 }],
    [html(200, 'Log in'), { class: 'network', shouldRetry: false }],
    [raw(200, '{"id":"msg_1","type":"message","content":[]}'), { class: 'network', shouldRetry: false }],
    [raw(200, '{"type":"error","error":{"type":"overloaded_error","message":"x"}}'), { class: 'overloaded' }],
    [raw(500, ''), { class: 'server', status: 500 }],
    [raw(400, 'x'.repeat(1_000_000)), { class: 'bad_request' }],
    [raw(302, '', { location: 'https://elsewhere.test' }), { class: 'bad_request', status: 302 }],
  ])('%j', async (reply, expected) => {
    const { port } = await stageApi([reply]);
    expect(await failureOf(port)).toMatchObject(expected);
  });

  it('because the model is unknown', async () => {
    const { port } = await stageApi([say('x')], {}, { models: ['claude-one'] });
    expect(await failureOf(port, requestOf([['user', 'x']], { model: 'claude-nine' }))).toMatchObject({
      class: 'not_found',
      status: 404,
      message: expect.stringContaining('model: claude-nine'),
    });
  });
});

describe('a key', () => {
  it('that is missing is reported before anything is sent', async () => {
    const { port, api } = await stageApi([], { apiKey: undefined as never, environment: {} });
    expect(port.keySource).toBe('none');
    expect(await failureOf(port)).toMatchObject({
      class: 'auth',
      message: expect.stringContaining('Set ANTHROPIC_API_KEY'),
    });
    expect(api.requests).toEqual([]);
  });

  it.each(['two words', 'line\nbreak', 'schlüssel'])(
    'like “%s” is rejected before anything is sent, and not shown',
    async (apiKey) => {
      const { port, api } = await stageApi([], { apiKey });
      const error = await failureOf(port);
      expect(error).toMatchObject({ class: 'auth' });
      expect(error.message).not.toContain(apiKey);
      expect(api.requests).toEqual([]);
    },
  );

  it('that is wrong fails at once', async () => {
    const { port, api } = await stageApi([], {}, { apiKey: 'another' });
    expect(await failureOf(port)).toMatchObject({ class: 'auth', status: 401 });
    expect(api.requests).toHaveLength(1);
  });

  it('can be a token for gateways', async () => {
    const { port, api } = await stageApi([say('x')], {
      environment: { ANTHROPIC_AUTH_TOKEN: 'a-token-123' },
    });
    await ask(port);
    expect(api.requests[0]?.headers).toMatchObject({ authorization: 'Bearer a-token-123' });
    expect(api.requests[0]?.headers).not.toHaveProperty('x-api-key');
  });

  it('of a helper is fetched again, once, after it was rejected', async () => {
    const environment = { PATH: process.env['PATH'] ?? '' };
    const options = { apiKey: undefined as never, environment, keyHelper: 'echo helped-$RANDOM-$$' };
    const { port, api } = await stageApi([], options, { apiKey: 'another' });
    expect(port.keySource).toBe('apiKeyHelper');
    const error = await failureOf(port);
    expect(error).toMatchObject({ class: 'auth', status: 401 });
    const keys = api.requests.map(({ headers }) => headers['x-api-key']);
    expect(keys).toHaveLength(2);
    expect(new Set(keys).size).toBe(2);
  });

  it('of a helper that fails reports why', async () => {
    const { port } = stagePort({
      apiKey: undefined as never,
      keyHelper: `echo ${TEST_KEY} no vault >&2; exit 1`,
    });
    const error = await failureOf(port);
    expect(error).toMatchObject({ class: 'auth', message: expect.stringContaining('no vault') });
    expect(error.message).not.toContain(TEST_KEY);
  });
});
