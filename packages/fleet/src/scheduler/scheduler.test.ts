/** Both schedulers pass the same tests: order, limits, rates, dead workers, versions, drain. */
import { afterEach, describe, expect, it } from 'vitest';
import { Fleet } from '../client.ts';
import { type Database, inTransaction, openDatabase } from '../database.ts';
import { findPrograms } from '../postgres/embedded.ts';
import { LOG_VERSION, migrate } from '../schema.ts';
import { startLocalWorker } from '../test/local-worker.ts';
import { createDatabase } from '../test/shared-server.ts';
import { resultText } from '../turns.ts';
import { chooseScheduler, openScheduler, SCHEDULERS } from './open-scheduler.ts';

const isInstalled = (await findPrograms()) !== undefined;

describe.runIf(isInstalled).each(SCHEDULERS)('the scheduler %s', (name) => {
  let database: Database;
  let fleet: Fleet;
  const closing: (() => Promise<unknown>)[] = [];

  async function open(): Promise<string> {
    const url = await createDatabase();
    database = openDatabase(url, 5);
    await migrate(database);
    await chooseScheduler(database, name);
    fleet = await Fleet.connect(url);
    closing.push(
      () => fleet.close(),
      () => database.end(),
    );
    return url;
  }
  afterEach(async () => {
    for (const close of closing.splice(0)) await close();
  });

  async function submit(session: string, tenant: string, n = 1): Promise<void> {
    await fleet.tenant(tenant);
    await fleet.create(session, tenant);
    for (let at = 0; at < n; at++) await fleet.submit(session, 'Do it.');
  }

  async function ended(session: string, n = 1): Promise<string> {
    for await (const _line of fleet.watch(session, { untilTurn: n }));
    return resultText((await fleet.turn(session, n))?.result);
  }

  const statesOf = async (tenant: string): Promise<string[]> =>
    (await fleet.list(tenant)).map(({ state }) => state).sort();

  it('runs turns in order, holds the limit of a tenant, and lets other tenants pass', async () => {
    const url = await open();
    await fleet.tenant('busy', { maxRunning: 2 });
    const gate = Promise.withResolvers<void>();
    const both = Promise.withResolvers<void>();
    let most = 0;
    let running = 0;
    const worker = await startLocalWorker(url, {
      run: async (id) => {
        most = Math.max(most, ++running);
        if (running === 2) both.resolve();
        if (running <= 2 && id === 'call_1') await gate.promise;
        running--;
        return 'ok';
      },
    });
    closing.unshift(() => worker.stop());
    for (const session of ['b1', 'b2', 'b3', 'b4']) await submit(session, 'busy');
    await both.promise;
    await submit('other', 'calm', 2);
    // The gate holds only the first two calls.
    expect(await ended('other', 2)).toBe('Done after 2 calls.');
    expect(await statesOf('busy')).toEqual(['queued', 'queued', 'running', 'running']);
    gate.resolve();
    for (const session of ['b1', 'b2', 'b3', 'b4']) expect(await ended(session)).toBe('Done after 1 calls.');
    expect(most).toBe(3);
  });

  it('starts no more turns of a tenant per minute than allowed', async () => {
    const url = await open();
    await fleet.tenant('slow', { startsPerMinute: 2 });
    for (const session of ['r1', 'r2', 'r3']) await submit(session, 'slow');
    const worker = await startLocalWorker(url);
    closing.unshift(() => worker.stop());
    await ended('r1');
    await ended('r2');
    await submit('free', 'calm');
    await ended('free');
    expect(await statesOf('slow')).toEqual(['idle', 'idle', 'queued']);
  });

  it('returns the turns of a dead worker to the queue, and counts the takeover', async () => {
    const url = await open();
    await submit('dead', 'acme');
    const scheduler = await openScheduler(database, { worker: 99, concurrency: 1 });
    const taken = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    const lost = await scheduler.run(async () => {
      taken.resolve();
      await release.promise;
    });
    await taken.promise;
    expect((await scheduler.list()).map(({ state, worker }) => [state, worker])).toEqual([['running', 99]]);
    expect(await inTransaction(database, (tx) => scheduler.giveBack(tx, 99))).toBe(1);
    await lost.stop();
    release.resolve();
    await lost.end();
    await scheduler.close();
    const worker = await startLocalWorker(url);
    closing.unshift(() => worker.stop());
    expect(await ended('dead')).toBe('Done after 1 calls.');
    expect(await fleet.turn('dead', 1)).toMatchObject({ takeovers: 1 });
  });

  it('cancels queued turns, and never runs them', async () => {
    const url = await open();
    await submit('gone', 'acme');
    expect(await fleet.cancel('gone')).toBe(true);
    await submit('next', 'acme');
    const worker = await startLocalWorker(url);
    closing.unshift(() => worker.stop());
    await ended('next');
    expect(await ended('gone')).toBe('The turn was canceled before it began.');
  });
});

describe.runIf(isInstalled)('the columns of DBOS', () => {
  it('have the names, types and states that the scheduler uses', async () => {
    const database = openDatabase(await createDatabase(), 3);
    await migrate(database);
    await chooseScheduler(database, 'dbos');
    const fleet = await Fleet.connect(database.url);
    await fleet.tenant('acme');
    await fleet.create('s1', 'acme');
    await fleet.submit('s1', 'A prompt that DBOS must not store.');
    const { rows } = await database.pool.query<Record<string, unknown>>(
      `select workflow_uuid, status, name, executor_id, application_name, application_version, queue_name,
         queue_partition_key from dbos.workflow_status`,
    );
    expect(rows).toEqual([
      {
        workflow_uuid: expect.stringMatching(/^s1:1:/),
        status: 'ENQUEUED',
        name: 'turn',
        executor_id: expect.anything(),
        application_name: 'heddle',
        application_version: String(LOG_VERSION),
        queue_name: 'heddle-20-any',
        queue_partition_key: 'acme',
      },
    ]);
    const dump = await database.pool.query<{ text: string }>(
      `select query_to_xml(format('select t::text from dbos.%I t', table_name), true, true, '')::text as text
       from information_schema.tables where table_schema = 'dbos'`,
    );
    const stored = dump.rows.map(({ text }) => text).join();
    expect(stored).toContain('s1:1:');
    expect(stored).not.toContain('A prompt');
    await fleet.close();
    await database.end();
  });

  it('registers the first queue for many submits at once', async () => {
    const database = openDatabase(await createDatabase(), 3);
    await migrate(database);
    await chooseScheduler(database, 'dbos');
    const fleet = await Fleet.connect(database.url, 2);
    await fleet.tenant('acme');
    const sessions = ['s1', 's2', 's3', 's4'];
    for (const session of sessions) await fleet.create(session, 'acme');
    expect(await Promise.all(sessions.map((session) => fleet.submit(session, 'Do it.')))).toEqual([
      1, 1, 1, 1,
    ]);
    await fleet.close();
    await database.end();
  });

  it('run a turn whose claim was stored and whose reply was lost', async () => {
    const database = openDatabase(await createDatabase(), 5);
    await migrate(database);
    await chooseScheduler(database, 'dbos');
    const fleet = await Fleet.connect(database.url);
    await fleet.tenant('acme');
    await fleet.create('s1', 'acme');
    await fleet.submit('s1', 'Do it.');
    let lost = 0;
    const pool = new Proxy(database.pool, {
      get(target, name) {
        if (name !== 'query') return Reflect.get(target, name, target) as unknown;
        return async (text: string, values: unknown[]) => {
          const reply = await target.query(text, values);
          if (text.includes(`set state = 'running'`) && lost++ === 0)
            throw new Error('Connection terminated unexpectedly');
          return reply;
        };
      },
    });
    const scheduler = await openScheduler({ ...database, pool }, { worker: 99, concurrency: 1 });
    const handled = Promise.withResolvers<object>();
    const running = await scheduler.run(async (turn) => handled.resolve(turn));
    expect(await handled.promise).toEqual({ session: 's1', n: 1 });
    expect(lost).toBe(2);
    await running.stop();
    await running.end();
    await scheduler.close();
    await fleet.close();
    await database.end();
  });

  it('can be chosen only while no turn is open', async () => {
    const database = openDatabase(await createDatabase(), 3);
    await migrate(database);
    const fleet = await Fleet.connect(database.url);
    await fleet.tenant('acme');
    await fleet.create('s1', 'acme');
    await fleet.submit('s1', 'Wait.');
    await expect(chooseScheduler(database, 'dbos')).rejects.toThrow('only when no turn is open');
    await fleet.close();
    await database.end();
  });
});
