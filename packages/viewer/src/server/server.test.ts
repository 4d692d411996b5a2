import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { exportSession } from '../export-session.ts';
import type { DecisionPage, RunDecisions } from '../model/decisions.ts';
import type { FactPage } from '../model/facts.ts';
import { parseOwn } from '../model/parse-own.ts';
import { SampleLog, writeLog, writeSample } from '../test/sample-session.ts';
import { startViewer, type Viewer } from './server.ts';

const ID = 'c0ffee00-0000-4000-8000-000000000001';
let home = '';
let file = '';
let viewer: Viewer;

beforeAll(async () => {
  home = mkdtempSync(path.join(os.tmpdir(), 'heddle-server-'));
  const place = { configDir: home, cwd: '/project' };
  file = writeSample(place, ID);
  viewer = await startViewer({
    place,
    page: { script: 'console.log(1)', style: 'body{}' },
    info: { version: '1', session: undefined, canFork: false },
    redact: (text) => text.replaceAll('leap years', '[redacted]'),
  });
});

afterAll(async () => {
  await viewer.close();
  rmSync(home, { recursive: true, force: true });
});

interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

/** `fetch` does not allow to set `Host`. */
function ask(
  where: string,
  headers: Record<string, string> = {},
  options: { readonly method?: string; readonly body?: string } = {},
): Promise<Reply> {
  const { promise, resolve, reject } = Promise.withResolvers<Reply>();
  const { method = 'GET', body = '' } = options;
  const sent = request({ host: '127.0.0.1', port: viewer.port, path: where, method, headers }, (response) => {
    let text = '';
    response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    response.on('end', () =>
      resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }),
    );
  });
  sent.on('error', reject).end(body);
  return promise;
}

function tokenOf(link: string): string {
  return link.replace(/^.*#token=/, '');
}

async function login(): Promise<Record<string, string>> {
  const { body } = await ask('/api/login', {}, { method: 'POST', body: tokenOf(viewer.link()) });
  return { authorization: `Bearer ${body}` };
}

test('the token of a link works once', async () => {
  const body = tokenOf(viewer.link());
  expect((await ask('/api/login', {}, { method: 'POST', body })).status).toBe(200);
  expect((await ask('/api/login', {}, { method: 'POST', body })).status).toBe(401);
  expect((await ask('/api/login', {}, { method: 'POST', body: '' })).status).toBe(401);
});

test('data needs the key, and the page itself does not', async () => {
  expect((await ask('/api/sessions')).status).toBe(401);
  expect((await ask('/api/sessions', { authorization: 'Bearer wrong' })).status).toBe(401);
  expect((await ask('/')).status).toBe(200);
  expect((await ask('/page.js')).body).toBe('console.log(1)');
});

test.each([
  ['another name for this address', { host: 'evil.example:80' }],
  ['the right name without the port', { host: '127.0.0.1' }],
  ['a page of another site', { origin: 'https://evil.example' }],
  ['a page without an origin', { origin: 'null' }],
  ['a cross-site request', { 'sec-fetch-site': 'cross-site' }],
])('refuses %s', async (_what, headers) => {
  const key = await login();
  const reply = await ask('/api/sessions', { ...key, ...headers });
  expect(reply.status).toBe(403);
  expect(reply.body).not.toContain('calendar');
});

test('every answer forbids other hosts, frames and inline scripts', async () => {
  for (const where of ['/', '/page.js', '/api/sessions', '/nothing']) {
    const { headers } = await ask(where);
    const policy = String(headers['content-security-policy']);
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toContain('unsafe');
    expect(headers).toMatchObject({ 'x-frame-options': 'DENY', 'cache-control': 'no-store' });
    expect(headers['access-control-allow-origin']).toBeUndefined();
  }
});

test('listens on loopback only and answers only reading requests', async () => {
  const key = await login();
  expect(viewer.link()).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#token=[\w-]{32}$/);
  expect((await ask('/api/sessions', key, { method: 'DELETE' })).status).toBe(405);
});

test('lists sessions and their subagents', async () => {
  const key = await login();
  const sessions: unknown = JSON.parse((await ask('/api/sessions', key)).body);
  expect(sessions).toMatchObject([{ id: ID, cwd: '/project' }]);
  const children: unknown = JSON.parse((await ask(`/api/sessions/${ID}/subagents`, key)).body);
  expect(children).toMatchObject([{ id: `${ID}~agent-a1`, isOpen: false }]);
  const facts = await ask(`/api/sessions/${ID}~agent-a1/facts?from=0`, key);
  expect(facts.body).toContain('Check the calendar page');
});

test('an exported file contains the subagents', () => {
  const page = { script: '', style: '' };
  const html = exportSession({ file, version: '1', page, redact: (value) => value });
  expect(html).toContain('"subagents":[{"card":{"id":"agent-a1"');
  expect(html).toContain('src/calendar.ts');
});

test.each(['//', 'http://[', 'http://a:b:c/'])('answers the malformed address %s with 400', async (where) => {
  expect(await ask(where)).toMatchObject({ status: 400 });
});

test.each(['..%2f..%2fetc', `${ID}~..%2f..%2fagent-a1`, 'unknown', '%00', `${ID}~agent-a2`])(
  'an id that is not in the list names no file: %s',
  async (id) => {
    const reply = await ask(`/api/sessions/${id}/facts?from=0`, await login());
    expect(reply.status).toBe(404);
  },
);

test('replays a turn through the machine', async () => {
  const key = await login();
  const reply = await ask(`/api/sessions/${ID}/decisions?run=0`, key);
  const { steps, iterations } = parseOwn<RunDecisions>(reply.body);
  expect(iterations.map(({ verdict }) => verdict)).toEqual(Array(5).fill('confirmed'));
  expect(steps.slice(0, 4).map(({ effect, next }) => [effect, next.kind, next.name])).toEqual([
    ['begin', 'do', 'prepare'],
    ['prepare', 'do', 'stream'],
    ['stream', 'do', 'run_tools'],
    ['run_tools', 'do', 'attach'],
  ]);
  expect(steps.at(-1)?.next).toEqual({ kind: 'stop', name: 'completed' });
  expect((await ask(`/api/sessions/${ID}/decisions?run=9`, key)).status).toBe(404);
});

test('answers the decisions of a long turn in pages, and those of lines that were added', async () => {
  const id = 'c0ffee00-0000-4000-8000-000000000002';
  const log = new SampleLog().begin('/project').prompt('Work for a long time.');
  for (let turn = 0; turn < 450; turn++)
    log
      .call(1, `c${turn}`, 'Read', { file_path: `${turn}` })
      .answer(1, 2)
      .intent(`c${turn}`, 'Read')
      .result(`c${turn}`, '1')
      .nextTurn(turn + 2);
  const long = writeLog(log, { configDir: home, cwd: '/project' }, id);
  const key = await login();
  const page = async (from: number, line: number): Promise<DecisionPage> => {
    const reply = await ask(`/api/sessions/${id}/decisions?run=0&from=${from}&line=${line}`, key);
    return parseOwn<DecisionPage>(reply.body);
  };
  const first = await page(0, 0);
  const second = await page(first.next ?? 0, 0);
  expect([first.next, second.next, first.iterations.length + second.iterations.length]).toEqual([
    400,
    null,
    451,
  ]);
  expect(first.steps.length + second.steps.length).toBe(first.stepCount);
  expect(second.iterations.at(-1)).toMatchObject({ iteration: 451, verdict: 'undecided' });
  const end = readFileSync(file, 'utf8')
    .split('\n')
    .find((line) => line.startsWith('{"type":"end"'));
  const answered = readFileSync(long, 'utf8')
    .split('\n')
    .find((line) => line.startsWith('{"type":"answer"'));
  appendFileSync(long, `${answered}\n${end}\n`);
  const lastLine = log.entries.length + 1;
  expect((await page(450, 0)).iterations).toMatchObject([{ verdict: 'undecided' }]);
  expect((await page(450, lastLine)).iterations).toMatchObject([{ verdict: 'confirmed' }]);
});

test('starts a session only if the user who started the server allowed it', async () => {
  const key = await login();
  const body = JSON.stringify({ uuid: 'message-1', prompt: 'Again' });
  const fork = { method: 'POST', body };
  expect((await ask(`/api/sessions/${ID}/fork`, key, fork)).status).toBe(405);
  expect((await ask(`/api/sessions/${ID}/fork`, {}, fork)).status).toBe(401);
  const place = { configDir: home, cwd: '/project' };
  const asked: string[][] = [];
  const page = { script: '', style: '' };
  const info = { version: '1', session: undefined, canFork: true };
  const other = await startViewer({
    place,
    page,
    info,
    fork: (...given) => {
      asked.push(given);
      return Promise.resolve('new-session');
    },
  });
  const origin = new URL(other.link()).origin;
  const entry = await fetch(`${origin}/api/login`, { method: 'POST', body: tokenOf(other.link()) });
  const authorization = `Bearer ${await entry.text()}`;
  const post = (text: string): Promise<Response> =>
    fetch(`${origin}/api/sessions/${ID}/fork`, { method: 'POST', body: text, headers: { authorization } });
  expect((await post('not json')).status).toBe(400);
  expect(await (await post(body)).json()).toBe('new-session');
  expect(asked).toEqual([[ID, 'message-1', 'Again']]);
  await other.close();
});

test('removes known secrets from facts, rows, texts and matches', async () => {
  const key = await login();
  for (const question of [
    'facts?from=0',
    'rows?from=0&to=400',
    'text?line=1&part=0',
    'search?words=leap+years',
  ]) {
    const { status, body } = await ask(`/api/sessions/${ID}/${question}`, key);
    expect(status).toBe(200);
    expect(body).toContain('[redacted]');
    expect(body).not.toContain('leap years');
  }
});

test('a waiting request is answered when the log grows', async () => {
  const key = await login();
  const first = parseOwn<FactPage>((await ask(`/api/sessions/${ID}/facts?from=0`, key)).body);
  const waiting = ask(`/api/sessions/${ID}/facts?from=${first.next}&wait=1`, key);
  const text = readFileSync(file, 'utf8');
  appendFileSync(file, text.slice(text.lastIndexOf('{"type":"end"')));
  const grown: unknown = JSON.parse((await waiting).body);
  expect(grown).toMatchObject({ next: first.next + 1, facts: [{ type: 'end' }] });
});
