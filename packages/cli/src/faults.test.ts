/**
 * Faults of the API as the user of the program meets them: the real program against a fake Messages API over HTTP. What it
 * prints, how it ends, and that its key is nowhere but in its requests.
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
/** Looks like no key: whoever hides it must know it. */
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

/** Asks the program one question. Whatever came of it, its key is nowhere to be found. */
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

describe('a fault that lasts ends the program with 1 and a sentence on standard error, after one request', () => {
  it.each([
    ['a key that is refused', fail('auth'), /refused the key.*Check ANTHROPIC_API_KEY/],
    ['a page in place of the API', html(200, 'Log in'), /not the Messages API.*Check ANTHROPIC_BASE_URL/],
    ['a wait that no one has', fail('rate_limit', { retryAfterMs: 1e14 }), /does not reset within/],
  ])('%s', async (_fault, reply, sentence) => {
    const { code, stdout, stderr, api } = await play([reply]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(sentence);
    expect(api.requests).toHaveLength(1);
  });

  it('a model that nobody knows', async () => {
    const { code, stdout, stderr, api } = await play([], ['--model', 'anthropic/claude-nine']);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/claude-nine.*heddle models/);
    expect(api.requests).toHaveLength(1);
  });

  it('and says so in the result of a stream, too', async () => {
    const { code, stdout } = await play([fail('auth')], STREAM);
    expect(code).toBe(1);
    expect(linesOf(stdout).at(-1)).toMatchObject({ type: 'result', is_error: true });
  });

  it('a host that nobody knows', async () => {
    // Longer than a name can be, so that no server of names needs to be asked.
    const { code, stdout, stderr } = await ask(`http://${'x'.repeat(64)}.invalid`);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/name is not known/);
  });
});

describe('a fault that passes leaves no trace in the answer, and the program ends with 0', () => {
  it.each([
    ['overload', fail('overloaded')],
    ['a stream that breaks', answer(unfinished(say('half an answer that never')), breakOff())],
  ])('%s', async (_fault, step) => {
    const { code, stdout, stderr, api } = await play([step, say('The answer.')]);
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: 'The answer.\n', stderr: '' });
    expect(api.requests).toHaveLength(2);
  });

  it('a server that is not there yet', async () => {
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

/** A port where nothing listens any more. */
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
