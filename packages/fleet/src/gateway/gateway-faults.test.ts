/** The gateway with clients that send nonsense or leave early, and a gateway that closes while requests run. */
import { once } from 'node:events';
import { IncomingMessage, ServerResponse } from 'node:http';
import { connect, Socket } from 'node:net';
import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { Fleet, type Seen } from '../client.ts';
import { findPrograms } from '../postgres/embedded.ts';
import { createDatabase } from '../test/shared-server.ts';
import { RIGHTS } from '../tokens.ts';
import { sendEvents } from './event-stream.ts';
import { type Gateway, type GatewayOptions, type RequestRecord, startGateway } from './gateway.ts';

const isInstalled = (await findPrograms()) !== undefined;

describe.runIf(isInstalled)('the gateway', () => {
  let url: string;
  let fleet: Fleet;
  let locker: Client;
  let token: string;
  const closing: (() => Promise<unknown>)[] = [];

  const createToken = async (): Promise<string> =>
    (await fleet.tokens.create({ tenant: 'acme', rights: RIGHTS, label: 'test' })).token;

  beforeAll(async () => {
    url = await createDatabase();
    fleet = await Fleet.connect(url);
    locker = new Client({ connectionString: url });
    await locker.connect();
    await fleet.tenant('acme');
    await fleet.create('acme~s1', 'acme');
    token = await createToken();
  });
  afterEach(async () => {
    await locker.query('rollback');
    for (const close of closing.splice(0)) await close();
  });
  afterAll(async () => {
    await locker.end();
    await fleet.close();
  });

  async function start(options: Partial<GatewayOptions> = {}): Promise<Gateway> {
    const gateway = await startGateway({ url, ...options });
    closing.push(() => gateway.close());
    return gateway;
  }

  const get = ({ address }: Gateway, path: string, bearer = token): Promise<Response> =>
    fetch(`${address}${path}`, { headers: { authorization: `Bearer ${bearer}` } });

  async function sendRaw({ address }: Gateway, path: string): Promise<Socket> {
    const { hostname, port } = new URL(address);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    socket.write(`GET ${path} HTTP/1.1\r\nHost: gateway\r\nAuthorization: Bearer ${token}\r\n\r\n`);
    return socket;
  }

  /** Locks a table, so that the next request which reads it waits. */
  async function lock(table: string): Promise<void> {
    await locker.query('begin');
    await locker.query(`lock table ${table} in access exclusive mode`);
  }

  async function untilWaiting(): Promise<void> {
    const waiting = `select 1 from pg_locks where not granted
      and database = (select oid from pg_database where datname = current_database())`;
    await expect.poll(async () => (await locker.query(waiting)).rowCount).toBeGreaterThan(0);
  }

  it('rejects an address that cannot be parsed, and continues', async () => {
    const gateway = await start();
    const socket = await sendRaw(gateway, '//');
    const [reply]: unknown[] = await once(socket.setEncoding('utf8'), 'data');
    expect(reply).toContain('HTTP/1.1 400 ');
    socket.destroy();
    expect((await get(gateway, '/v1/health')).status).toBe(200);
  });

  it('ends the stream of a client that left while its token was checked', async () => {
    const reported = Promise.withResolvers<RequestRecord>();
    const gateway = await start({ streams: 1, log: reported.resolve });
    await lock('heddle.token');
    const socket = await sendRaw(gateway, '/v1/sessions/s1/events');
    await untilWaiting();
    socket.resetAndDestroy();
    await once(socket, 'close');
    await locker.query('rollback');
    expect((await reported.promise).route).toBe('/v1/sessions/{session}/events');
    const next = await get(gateway, '/v1/sessions/s1/events');
    expect(next.status).toBe(200);
    await next.body?.cancel();
  });

  it('looks up no unknown token of an address with too many wrong ones', async () => {
    const gateway = await start({ failuresPerMinute: 1 });
    const unseen = await createToken();
    const wrong = `hdl_000000000000_${'A'.repeat(43)}`;
    const statuses = [];
    for (const bearer of [token, wrong, wrong, unseen, token])
      statuses.push((await get(gateway, '/v1/sessions', bearer)).status);
    expect(statuses).toEqual([200, 401, 429, 429, 200]);
  });

  it('lets requests and streams end when it closes', async () => {
    const gateway = await startGateway({ url });
    const stream = await get(gateway, '/v1/sessions/s1/events');
    await lock('heddle.session');
    const request = get(gateway, '/v1/sessions');
    await untilWaiting();
    const closed = gateway.close();
    await locker.query('rollback');
    expect((await request).status).toBe(200);
    expect(await stream.text()).toBe('');
    await closed;
  });

  it('creates no tenant whose sessions could not be named', async () => {
    for (const name of ['', 'my team', 'a~b', 'a\0', 'x'.repeat(100)])
      await expect(fleet.tenant(name)).rejects.toThrow('The name of a tenant');
  });
});

it('writes nothing to a stream that ended while its token was checked', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const response = new ServerResponse(new IncomingMessage(new Socket()));
  const errors: unknown[] = [];
  response.on('error', (error) => errors.push(error));
  const check = Promise.withResolvers<boolean>();
  const over = Promise.withResolvers<void>();
  async function* stream(): AsyncGenerator<Seen> {
    await over.promise;
    yield* [];
  }
  const sent = sendEvents(
    response,
    {},
    {
      stream: stream(),
      end: async () => undefined,
      signal: new AbortController().signal,
      isValid: () => check.promise,
    },
  );
  vi.advanceTimersByTime(10_000);
  vi.useRealTimers();
  over.resolve();
  await sent;
  check.resolve(true);
  await new Promise(setImmediate);
  expect(errors).toEqual([]);
});
