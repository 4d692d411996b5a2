/** The gateway over HTTP, with a real database and a worker: routes, rights, tenants, limits, and where secrets are not. */
import { isRecord } from '@heddle/core';
import { EVENT_DEADLINE_MS } from '@heddle/testing';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Fleet } from '../client.ts';
import { findPrograms } from '../postgres/embedded.ts';
import { startLocalWorker } from '../test/local-worker.ts';
import { createDatabase } from '../test/shared-server.ts';
import { type Right, RIGHTS } from '../tokens.ts';
import type { Worker } from '../worker.ts';
import { type Gateway, type RequestRecord, startGateway } from './gateway.ts';
import { RateLimit, StreamLimit } from './limits.ts';
import { ROUTES } from './routes.ts';

const isInstalled = (await findPrograms()) !== undefined;

interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

describe.runIf(isInstalled)('the gateway', () => {
  let url: string;
  let fleet: Fleet;
  let gateway: Gateway;
  let worker: Worker;
  let listener: Client;
  const records: RequestRecord[] = [];
  const notified: string[] = [];
  const issued: string[] = [];
  const tokens = { acme: '', other: '' };

  async function token(tenant: string, rights: readonly Right[], expires?: Date): Promise<string> {
    const made = await fleet.tokens.create({ tenant, rights, label: `${tenant} test`, expires });
    issued.push(made.token);
    return made.token;
  }

  async function ask(bearer: string, method: string, path: string, body?: unknown): Promise<Reply> {
    const response = await fetch(`${gateway.address}${path}`, {
      method,
      headers: {
        ...(bearer === '' ? {} : { authorization: `Bearer ${bearer}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(EVENT_DEADLINE_MS),
    });
    const { status, headers } = response;
    if (headers.get('content-type')?.includes('event-stream') && !path.includes('untilTurn')) {
      await response.body?.cancel();
      return { status, headers, body: undefined };
    }
    const text = await response.text();
    return { status, headers, body: text.startsWith('event') ? text : JSON.parse(text) };
  }

  /** A request of each route about a session, as a path and a body. */
  function requestOf(path: string, session: string, question: string): [string, unknown] {
    const filled = path
      .replace('{session}', session)
      .replace('{turn}', '1')
      .replace('{question}', encodeURIComponent(question));
    if (path.endsWith('/turns')) return [filled, { prompt: 'Do it.' }];
    return path.endsWith('/answer') ? [filled, { answer: 'deny' }] : [filled, undefined];
  }

  const bodyFor = (method: string, body: unknown): unknown => (method === 'POST' ? (body ?? {}) : undefined);

  beforeAll(async () => {
    url = await createDatabase();
    fleet = await Fleet.connect(url);
    await fleet.tenant('acme');
    await fleet.tenant('other');
    tokens.acme = await token('acme', RIGHTS);
    tokens.other = await token('other', RIGHTS);
    gateway = await startGateway({ url, log: (record) => records.push(record), failuresPerMinute: 1_000 });
    worker = await startLocalWorker(url, { asks: true });
    listener = new Client({ connectionString: url });
    await listener.connect();
    listener.on('notification', ({ payload = '' }) => notified.push(payload));
    for (const channel of ['queue', 'cancel', 'answer', 'drain', 'lines'])
      await listener.query(`listen heddle_${channel}`);
  });
  afterAll(async () => {
    await gateway.close();
    await worker.stop();
    await listener.end();
    await fleet.close();
  });

  /** Waits until the session asks. */
  async function questionOf(session: string): Promise<string> {
    for (;;) {
      const { body } = await ask(tokens.acme, 'GET', '/v1/questions');
      const found = (body as { id: string; session: string }[]).find((open) => open.session === session);
      if (found) return found.id;
    }
  }

  it('submits a prompt, shows its question, takes the answer, and streams every line with its number', async () => {
    const submit = () =>
      ask(tokens.acme, 'POST', '/v1/sessions/fix-1/turns', { prompt: 'Do it.', key: 'k1' });
    expect(await submit()).toMatchObject({ status: 202, body: { session: 'fix-1', turn: 1 } });
    expect((await submit()).body).toEqual({ session: 'fix-1', turn: 1 });
    const question = await questionOf('fix-1');
    const path = `/v1/questions/${encodeURIComponent(question)}/answer`;
    expect((await ask(tokens.acme, 'POST', path, { answer: 'allow' })).body).toEqual({ stored: true });
    expect((await ask(tokens.acme, 'POST', path, { answer: 'deny' })).status).toBe(404);
    const all = await ask(tokens.acme, 'GET', '/v1/sessions/fix-1/events?untilTurn=1');
    const ids = Array.from(String(all.body).matchAll(/^id: (\d+)$/gm), ([, id]) => Number(id));
    expect(ids).toEqual(ids.map((_id, at) => at + 1));
    expect(String(all.body)).toContain('event: end');
    expect(String(all.body)).toContain('Done after 1 calls.');
    const rest = await fetch(`${gateway.address}/v1/sessions/fix-1/events?untilTurn=1`, {
      headers: { authorization: `Bearer ${tokens.acme}`, 'last-event-id': String(ids.length - 1) },
    });
    const continued = Array.from((await rest.text()).matchAll(/^id: (\d+)$/gm), ([, id]) => Number(id));
    expect(continued).toEqual(ids.slice(-1));
  });

  it('replies to every route as its schema describes, and to bad requests with a reason', async () => {
    await ask(tokens.acme, 'POST', '/v1/sessions/described/turns', { prompt: 'Do it.' });
    const question = await questionOf('described');
    // The answer comes before the cancel, which ends the question.
    const ordered = ROUTES.filter(({ isStream }) => !isStream).toReversed();
    for (const route of ordered) {
      const [path, body] = requestOf(route.path, 'described', question);
      const reply = await ask(tokens.acme, route.method, path, bodyFor(route.method, body));
      expect([route.path, reply.status]).toEqual([route.path, route.status]);
      expect(route.reply.safeParse(reply.body).error).toBeUndefined();
    }
    const described = await ask('', 'GET', '/v1/openapi.json');
    const { paths } = described.body as { paths: Record<string, object> };
    expect(Object.keys(paths)).toEqual([...new Set(ROUTES.map(({ path }) => path))]);
    expect((await ask('', 'GET', '/v1/health')).body).toEqual({ ok: true });
    const bad: readonly [string, string, unknown, number][] = [
      ['GET', '/v1/unknown', undefined, 404],
      ['GET', '/v1/sessions/%2e%2e%2fx', undefined, 400],
      ['POST', '/v1/sessions', {}, 405],
      ['GET', '/v1/sessions/fix-1/lines?limit=0', undefined, 400],
      ['GET', '/v1/sessions/fix-1/lines?other=1', undefined, 400],
      ['GET', '/v1/sessions/fix-1/lines?after=3000000000', undefined, 400],
      ['POST', '/v1/sessions/fix-1/turns', { prompt: 'x', key: 'a\0' }, 400],
      ['POST', '/v1/sessions/fix-1/turns', { prompt: '' }, 400],
      ['POST', '/v1/sessions/fix-1/turns', { prompt: 'x', tenant: 'other' }, 400],
      ['POST', '/v1/sessions/fix-1/turns', { prompt: 'x'.repeat(2_000_001) }, 413],
      ['POST', '/v1/sessions/fix-1/turns', undefined, 415],
    ];
    for (const [method, path, body, status] of bad)
      expect([path, (await ask(tokens.acme, method, path, body)).status]).toEqual([path, status]);
  });

  it('returns lists in pages, each after the last element of the page before', async () => {
    await fleet.tenant('paged');
    const { token } = await fleet.tokens.create({ tenant: 'paged', rights: RIGHTS, label: 'test' });
    for (const name of ['e', 'a', 'd', 'b', 'c']) await fleet.create(`paged~${name}`, 'paged');
    const page = async (query: string): Promise<unknown> => {
      const { body } = await ask(token, 'GET', `/v1/sessions?${query}`);
      return Array.isArray(body) ? body.map((row: unknown) => isRecord(row) && row['name']) : body;
    };
    expect(await page('limit=2')).toEqual(['e', 'a']);
    expect(await page('limit=2&after=a')).toEqual(['d', 'b']);
    expect(await page('limit=2&after=b')).toEqual(['c']);
    expect(await page('after=c')).toEqual([]);
    expect(await page('')).toHaveLength(5);
    const status = async (path: string) => (await ask(token, 'GET', path)).status;
    expect(await status('/v1/sessions?after=secret')).toBe(404);
    for (const query of ['limit=0', 'limit=1001', 'limit=x', 'after=', 'after=%00', 'page=2'])
      expect([query, await status(`/v1/sessions?${query}`)]).toEqual([query, 400]);
    expect(await status('/v1/questions?limit=1&after=unknown')).toBe(200);
    expect(await status('/v1/questions?limit=0')).toBe(400);
  });

  it('hides everything of a tenant from the token of another one, on every route', async () => {
    await ask(tokens.acme, 'POST', '/v1/sessions/secret/turns', { prompt: 'Do it.' });
    const question = await questionOf('secret');
    // The question may arrive before the log of the answer that asks it.
    const spent = async (): Promise<number | undefined> =>
      (await fleet.list('acme', ['acme~secret']))[0]?.spentUsd;
    await expect.poll(spent).toBeGreaterThan(0);
    const before = await fleet.list('acme', ['acme~secret']);
    const seen: [string, string, number][] = [];
    for (const route of ROUTES) {
      const [path, body] = requestOf(route.path, 'secret', question);
      if (route.path.endsWith('/turns')) continue;
      const reply = await ask(tokens.other, route.method, path, bodyFor(route.method, body));
      if (route.path.includes('{')) seen.push([route.method, route.path, reply.status]);
      else expect([route.path, reply.body]).toEqual([route.path, []]);
    }
    expect(seen).toEqual(
      ROUTES.filter(({ path }) => path.includes('{') && !path.endsWith('/turns')).map(({ method, path }) => [
        method,
        path,
        404,
      ]),
    );
    // Also under the full id of the session.
    expect((await ask(tokens.other, 'GET', '/v1/sessions/acme~secret')).status).toBe(400);
    // The same name is another session, which belongs to the other tenant.
    const submitted = await ask(tokens.other, 'POST', '/v1/sessions/secret/turns', { prompt: 'Mine.' });
    expect(submitted).toMatchObject({ status: 202, body: { turn: 1 } });
    expect(await fleet.list('acme', ['acme~secret'])).toEqual(before);
    expect((await fleet.list('other')).map(({ id }) => id)).toEqual(['other~secret']);
    expect(await questionOf('secret')).toBe(question);
    await ask(tokens.acme, 'POST', '/v1/sessions/secret/cancel');
    await ask(tokens.other, 'POST', '/v1/sessions/secret/cancel');
  });

  it('needs a valid token with the right of the route', async () => {
    const expired = await token('acme', RIGHTS, new Date(Date.now() - 1_000));
    const revoked = await token('acme', RIGHTS);
    await fleet.tokens.revoke(revoked.split('_')[1] ?? '');
    const changed = `${tokens.acme.slice(0, -1)}${tokens.acme.endsWith('A') ? 'B' : 'A'}`;
    for (const route of ROUTES) {
      const [path, body] = requestOf(route.path, 'fix-1', 'q');
      const others = await token(
        'acme',
        RIGHTS.filter((right) => right !== route.right),
      );
      for (const bearer of ['', 'nonsense', expired, revoked, changed, others]) {
        const { status } = await ask(bearer, route.method, path, bodyFor(route.method, body));
        expect([route.path, status]).toEqual([route.path, bearer === others ? 403 : 401]);
      }
    }
  });

  it('limits the requests of a token, wrong tokens of an address, and open streams', async () => {
    const limits = { requestsPerMinute: 2, failuresPerMinute: 1, streams: 1 };
    const strict = await startGateway({ url, ...limits });
    const get = (bearer: string, path = '/v1/sessions') =>
      fetch(`${strict.address}${path}`, { headers: { authorization: `Bearer ${bearer}` } });
    const statuses = [];
    for (const bearer of [tokens.acme, tokens.acme, tokens.acme, tokens.other, 'wrong', 'wrong'])
      statuses.push((await get(bearer)).status);
    expect(statuses).toEqual([200, 200, 429, 200, 401, 429]);
    const watcher = await token('acme', ['watch']);
    const first = await get(watcher, '/v1/sessions/fix-1/events');
    expect(first.status).toBe(200);
    expect((await get(watcher, '/v1/sessions/fix-1/events')).headers.get('retry-after')).toBe('10');
    await strict.close();
  });

  it('stores no token, and sends none in a notification or a record', async () => {
    const { rows: tables } = await listener.query<{ name: string }>(
      `select format('%I.%I', table_schema, table_name) as name from information_schema.tables
       where table_schema not in ('pg_catalog', 'information_schema')`,
    );
    expect(tables.map(({ name }) => name)).toContain('heddle.token');
    const stored: string[] = [];
    for (const { name } of tables) {
      const { rows } = await listener.query<{ row: string }>(`select t::text as row from ${name} t`);
      stored.push(...rows.map(({ row }) => row));
    }
    const everything = [...stored, ...notified, ...records.map((record) => JSON.stringify(record))].join(
      '\n',
    );
    expect(everything).toContain('acme~fix-1');
    expect(records.length).toBeGreaterThan(20);
    for (const one of issued) {
      const [, id = '?', secret = '?'] = /^hdl_([^_]+)_(.+)$/.exec(one) ?? [];
      expect(everything).toContain(id);
      expect(everything).not.toContain(secret);
    }
    expect(records.map((record) => JSON.stringify(record)).join()).not.toContain('fix-1');
  });
});

it('limits requests and streams by time and count', () => {
  let now = 0;
  const rate = new RateLimit(60, () => now);
  expect(Array.from({ length: 60 }, () => rate.take('a')).every((seconds) => seconds === 0)).toBe(true);
  expect([rate.take('a'), rate.take('b')]).toEqual([1, 0]);
  now = 1_000;
  expect([rate.take('a'), rate.take('a')]).toEqual([0, 1]);
  const streams = new StreamLimit(1);
  const release = streams.open('a');
  expect(streams.open('a')).toBeUndefined();
  release?.();
  release?.();
  expect([typeof streams.open('a'), streams.open('a')]).toEqual(['function', undefined]);
});
