/**
 * API errors in the real program, with a fake Messages API over HTTP. Checks the output and the exit code, and that the
 * key appears only in requests.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import path from 'node:path';
import {
  answer,
  type ApiScript,
  breakOff,
  call,
  fail,
  type FakeApi,
  html,
  say,
  startFakeApi,
  unfinished,
} from '@heddle/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Home, homeFor } from './test/home.ts';
import { type Ended, install, type Installed, linesOf, type RunOptions } from './test/program.ts';

const MODEL = 'claude-sonnet-4-5';
/** Does not look like a key, so a pattern cannot find it. */
const KEY = 'hunter2-is-the-key-of-this-test';

let installed: Installed;
const open: { close(): unknown }[] = [];

beforeAll(async () => {
  installed = await install();
});
afterAll(() => installed.remove());
afterEach(async () => {
  for (const closable of open.splice(0)) await closable.close();
});

interface Played extends Ended {
  readonly home: Home;
  readonly api: FakeApi;
}

async function apiFor(script: ApiScript): Promise<FakeApi> {
  const api = await startFakeApi(script, { models: [MODEL] });
  open.push(api);
  return api;
}

/** Runs one prompt. Checks that the key does not appear in any output or file. */
async function ask(
  baseUrl: string,
  argv: readonly string[] = [],
  more: Omit<RunOptions, 'cwd' | 'env'> = {},
): Promise<Ended & { readonly home: Home }> {
  const home = homeFor(installed.program);
  const env = { ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: baseUrl };
  const ended = await home.run(['-p', 'go', '--model', `anthropic/${MODEL}`, ...argv], { env, ...more });
  expect(ended.stdout + ended.stderr).not.toContain(KEY);
  for (const file of filesIn(home.folder)) expect(readFileSync(file, 'utf8')).not.toContain(KEY);
  return { ...ended, home };
}

async function play(script: ApiScript, argv: readonly string[] = []): Promise<Played> {
  const api = await apiFor(script);
  const ended = await ask(api.url, argv);
  api.assertNoViolations();
  expect(api.requests.map(({ headers }) => headers['x-api-key'])).toEqual(api.requests.map(() => KEY));
  return { ...ended, api };
}

function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name));
}

const STREAM = ['--output-format', 'stream-json', '--verbose'];

describe('a permanent error: exit code 1 and a sentence on standard error, after one request', () => {
  it.each([
    ['a rejected key', fail('auth'), /refused the key.*Check ANTHROPIC_API_KEY/],
    ['a web page instead of the API', html(200, 'Log in'), /not the Messages API.*Check ANTHROPIC_BASE_URL/],
    ['a retry delay that is too long', fail('rate_limit', { retryAfterMs: 1e14 }), /does not reset within/],
  ])('%s', async (_fault, reply, sentence) => {
    const { code, stdout, stderr, api } = await play([reply]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(sentence);
    expect(api.requests).toHaveLength(1);
  });

  it('an unknown model', async () => {
    const { code, stdout, stderr, api } = await play([], ['--model', 'anthropic/claude-nine']);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/claude-nine.*heddle models/);
    expect(api.requests).toHaveLength(1);
  });

  it('a rejected key with stream-json output', async () => {
    const { code, stdout } = await play([fail('auth')], STREAM);
    expect(code).toBe(1);
    expect(linesOf(stdout).at(-1)).toMatchObject({ type: 'result', is_error: true });
  });

  it('an unknown host', async () => {
    // The name is longer than DNS allows, so no name server is asked.
    const { code, stdout, stderr } = await ask(`http://${'x'.repeat(64)}.invalid`);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/name is not known/);
  });
});

describe('a temporary error: exit code 0 and a complete answer', () => {
  it.each([
    ['overload', fail('overloaded')],
    ['a stream that breaks', answer(unfinished(say('half an answer that never')), breakOff())],
  ])('%s', async (_fault, step) => {
    const { code, stdout, stderr, api } = await play([step, say('The answer.')]);
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: 'The answer.\n', stderr: '' });
    expect(api.requests).toHaveLength(2);
  });

  it('a server that starts late', async () => {
    const api = await apiFor([say('Here I am.')]);
    const place = await freePort();
    let opened: Promise<unknown> | undefined;
    const { code, stdout } = await ask(`http://127.0.0.1:${place}`, STREAM, {
      onOutput(stdout) {
        if (stdout.includes('api_retry')) opened ??= listenAt(place, forwarder(api.url));
      },
    });
    await opened;
    expect(code).toBe(0);
    const lines = linesOf(stdout);
    expect(lines.find((line) => line['subtype'] === 'api_retry')).toMatchObject({ attempt: 1 });
    expect(lines.at(-1)).toMatchObject({ type: 'result', is_error: false, result: 'Here I am.' });
  });
});

describe('the key', () => {
  it('is not in the environment of a command that the model runs', async () => {
    const { code, stdout, api } = await play(
      [call('Bash', { command: 'env' }, 'b1'), say('Done.')],
      ['--allowed-tools', 'Bash', ...STREAM],
    );
    expect(code).toBe(0);
    expect(stdout).toContain('HEDDLE_CONFIG_DIR=');
    expect(stdout).not.toContain('ANTHROPIC_API_KEY=');
    expect(new TextDecoder().decode(api.requests[1]?.bytes)).not.toContain(KEY);
  });
});

async function listenAt(place: number, server: Server): Promise<Server> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => sockets.add(socket));
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(place, '127.0.0.1', resolve);
  await promise;
  open.push({
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  });
  return server;
}

/** A port on which no server listens. */
async function freePort(): Promise<number> {
  const server = await listenAt(0, createServer());
  const address = server.address();
  const { promise, resolve } = Promise.withResolvers<void>();
  server.close(() => resolve());
  await promise;
  return typeof address === 'object' && address !== null ? address.port : 0;
}

function forwarder(url: string): Server {
  return createServer((socket) => {
    const onward = connect(Number(new URL(url).port), '127.0.0.1');
    for (const end of [socket, onward]) end.on('error', () => undefined);
    socket.pipe(onward).pipe(socket);
  });
}
