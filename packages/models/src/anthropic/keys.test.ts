/** Searches everything that a run produces for keys, with a server that repeats everything it receives. */
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { query } from '@heddle/core';
import { allowAll, collect, contextOf, createClock, fakeDeps } from '@heddle/testing';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { listening } from '../test/listen.ts';
import { closeStages, stagePort } from '../test/stage-api.ts';
import type { AnthropicOptions } from './options.ts';

afterEach(closeStages);

const SECRET = 'sk-ant-only-for-this-test-4711';
const PASSWORD = 'pass-word-of-the-proxy';
/** Does not look like a key. Only a program that was given the value can hide it. */
const PLAIN = 'hunter2secret';

type Indiscretion = (response: ServerResponse, leaked: string) => void;

const json =
  (status: number, type: string): Indiscretion =>
  (response, leaked) => {
    response.writeHead(status, { 'content-type': 'application/json', location: `http://x/?${leaked}` });
    response.end(JSON.stringify({ type: 'error', error: { type, message: `You sent ${leaked}` } }));
  };

const INDISCRETIONS: Readonly<Record<string, Indiscretion>> = {
  '400': json(400, 'invalid_request_error'),
  '401': json(401, 'authentication_error'),
  '403': json(403, 'permission_error'),
  '429': json(429, 'rate_limit_error'),
  '500': json(500, 'api_error'),
  '302': json(302, 'moved'),
  page: (response, leaked) => {
    response.writeHead(502, { 'content-type': 'text/html' });
    response.end(`<html><title>${leaked}</title></html>`);
  },
  'an error in the stream': (response, leaked) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(
      `data: ${JSON.stringify({ type: 'error', error: { type: 'api_error', message: leaked } })}\n\n`,
    );
  },
  'an event that cannot be read': (response, leaked) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(`data: ${leaked}\n\n`);
  },
};

async function indiscreet(say: Indiscretion): Promise<{ url: string; leaked: string[] }> {
  const leaked: string[] = [];
  const server = createServer((request: IncomingMessage, response) => {
    const { 'x-api-key': key = '', authorization = '' } = request.headers;
    leaked.push(`${String(key)} ${authorization}`);
    request.resume();
    say(response, `${String(key)} ${authorization}`);
  });
  const { port } = await listening(server);
  return { url: `http://127.0.0.1:${port}`, leaked };
}

/** Returns all output of a run on this port. */
async function allOutput(options: AnthropicOptions): Promise<string> {
  const { port } = stagePort({ ...options });
  const loop = query({
    messages: [{ type: 'user', uuid: 'u1', at: 0, content: 'go' }],
    systemPrompt: [],
    userContext: {},
    systemContext: {},
    authorizeCall: allowAll,
    toolUseContext: contextOf(),
    querySource: 'sdk',
    config: { sessionId: 's', partialMessages: true, retry: { maxAttempts: 2 } },
    deps: fakeDeps({ model: port, clock: createClock({ auto: true }) }),
  });
  const { yielded, returned } = await collect(loop);
  expect(returned.reason).toBe('api_error');
  return JSON.stringify([yielded, returned, port.keySource, { ...port }]);
}

const BEARERS: readonly { readonly how: string; readonly options: AnthropicOptions }[] = [
  { how: 'a key', options: { apiKey: SECRET } },
  {
    how: 'a key in the environment',
    options: { apiKey: undefined as never, environment: { ANTHROPIC_API_KEY: SECRET } },
  },
  { how: 'a token', options: { apiKey: undefined as never, authToken: SECRET } },
  {
    how: 'a helper',
    options: {
      apiKey: undefined as never,
      keyHelper: `echo ${SECRET}`,
      environment: { PATH: process.env['PATH'] ?? '' },
    },
  },
];

describe.each(BEARERS)('a secret that came as $how', ({ options }) => {
  it.each(Object.entries(INDISCRETIONS))('is not shown by a run that ends in %s', async (_name, say) => {
    const written: string[] = [];
    const spies = [process.stdout, process.stderr].map((stream) =>
      vi.spyOn(stream, 'write').mockImplementation((text) => {
        written.push(String(text));
        return true;
      }),
    );
    const { url, leaked } = await indiscreet(say);
    const output = await allOutput({ ...options, baseUrl: url }).finally(() => {
      for (const spy of spies) spy.mockRestore();
    });
    expect(leaked.join()).toContain(SECRET);
    expect(output).not.toContain(SECRET);
    expect(written.join('')).not.toContain(SECRET);
  });
});

const FORMS: Readonly<Record<string, (text: string) => string>> = {
  'in Base64': (text) => Buffer.from(text).toString('base64'),
  'in Base64 of an address': (text) => Buffer.from(`u:${text}`).toString('base64url'),
  'in hex': (text) => Buffer.from(text).toString('hex'),
  'behind the longest text that is shown': (text) => `${'a '.repeat(245)}${text}`,
};

/** Returns the number of letters in the longest part of the secret that the output contains. */
function commonPart(output: string, secret: string): number {
  let most = 0;
  for (let start = 0; start < secret.length; start++)
    while (output.includes(secret.slice(start, start + most + 1)) && start + most < secret.length) most++;
  return most;
}

describe.each(Object.entries(FORMS))('a secret that a server repeats %s', (_how, form) => {
  it.each(Object.entries(INDISCRETIONS))('is not shown by a run that ends in %s', async (_name, say) => {
    const { url } = await indiscreet((response) => say(response, form(PLAIN)));
    const output = await allOutput({ apiKey: PLAIN, baseUrl: url });
    expect(commonPart(output, form(PLAIN).replaceAll('a ', ''))).toBeLessThan(7);
  });

  it('is not shown in the id of a message or of a request', async () => {
    const id = form(PLAIN).replaceAll('a ', '');
    const { url } = await indiscreet((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'request-id': `req_${id}` });
      const message = { id: `msg_${id}`, model: `claude-${id}`, usage: {} };
      response.end(`data: ${JSON.stringify({ type: 'message_start', message })}\n\n`);
    });
    const output = await allOutput({ apiKey: PLAIN, baseUrl: url });
    expect(output).toMatch(/msg_\w*\[redacted\]/);
    expect(output).not.toContain(id);
  });
});

describe('a secret', () => {
  it('in the address of a proxy is not shown', async () => {
    const environment = {
      HTTPS_PROXY: `http://user:${PASSWORD}@127.0.0.1:9`,
      HTTP_PROXY: `http://user:${PASSWORD}@127.0.0.1:9`,
    };
    for (const baseUrl of ['https://gateway.test', 'http://gateway.test']) {
      const output = await allOutput({ apiKey: SECRET, environment, baseUrl });
      expect(output).not.toContain(PASSWORD);
      expect(output).not.toContain(Buffer.from(`user:${PASSWORD}`).toString('base64'));
    }
  });

  it('in the address of the API is not shown', async () => {
    const output = await allOutput({ apiKey: SECRET, baseUrl: `http://user:${PASSWORD}@127.0.0.1:9/` });
    expect(output).not.toContain(PASSWORD);
  });

  it.each([
    [`htps://me:${PLAIN}@gateway`, 'htps://gateway.'],
    [`htps://me:${PLAIN}/@x@gateway/v1?key=${PLAIN}#${PLAIN}`, 'htps://gateway/v1.'],
    [`https://me:${PLAIN}@gateway:99999`, 'https://gateway:99999.'],
    [`https://me:${PLAIN}#@gate way`, 'https://gate way.'],
    [`https:/\n/me:${PLAIN}@gate<way`, ': gate<way.'],
    [`me:${PLAIN}@gateway`, ': gateway.'],
    [`${PLAIN}@gateway`, ': gateway.'],
    [`ftp://gateway/?token=${PLAIN}`, 'ftp://gateway/.'],
  ])('in an invalid address, %j, is not shown', async (baseUrl, shown) => {
    const output = await allOutput({ apiKey: SECRET, baseUrl });
    expect(output).not.toContain(PLAIN);
    expect(output).toContain(shown);
  });

  it.each([`me:${PLAIN}@127.0.0.1:9`, `htp://me:${PLAIN}@127.0.0.1:9`, `http://me:${PLAIN}@127.0.0.1:99999`])(
    'in the invalid address of a proxy, %j, is not shown',
    async (proxy) => {
      const environment = { HTTPS_PROXY: proxy, HTTP_PROXY: proxy };
      for (const baseUrl of ['https://127.0.0.1:9', 'http://127.0.0.1:9']) {
        expect(await allOutput({ apiKey: SECRET, environment, baseUrl })).not.toContain(PLAIN);
      }
    },
  );

  it('reaches no child process and no file', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'heddle-keys-'));
    // One variable as it is and one in lower case. In upper case the key would be used instead of the
    // helper.
    const environment = {
      PATH: process.env['PATH'] ?? '',
      anthropic_api_key: PLAIN,
      COPY_OF_A_KEY: `Bearer ${PLAIN}`,
      HARMLESS: 'seen',
    };
    const { url } = await indiscreet(json(401, 'authentication_error'));
    await allOutput({
      apiKey: undefined as never,
      baseUrl: url,
      environment,
      keyHelper: `env > '${path.join(folder, 'environment')}'; echo another-key`,
    });
    expect(readdirSync(folder)).toEqual(['environment']);
    const seen = readFileSync(path.join(folder, 'environment'), 'utf8');
    expect(seen).toContain('HARMLESS=seen');
    expect(seen).not.toContain(PLAIN);
  });
});
