/** Turns that cannot run or should stop: newer versions, turns that kill their workers, drained workers. */
import { once } from 'node:events';
import type { QueryConfig } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Fleet } from './client.ts';
import { type Database, inTransaction, openDatabase } from './database.ts';
import { findPrograms } from './postgres/embedded.ts';
import { LineWriter } from './line-writer.ts';
import { takeOver } from './log.ts';
import { CLAIM_LOCK, createQueue } from './scheduler/queue.ts';
import { startLocalWorker } from './test/local-worker.ts';
import { createDatabase } from './test/shared-server.ts';
import { resultText } from './turns.ts';

const isInstalled = (await findPrograms()) !== undefined;

describe.runIf(isInstalled)('a fleet', () => {
  let url: string;
  let fleet: Fleet;
  let database: Database;
  beforeAll(async () => {
    url = await createDatabase();
    fleet = await Fleet.connect(url);
    database = openDatabase(url, 2);
    await fleet.tenant('acme');
  });
  afterAll(async () => {
    await database.end();
    await fleet.close();
  });

  async function submit(session: string): Promise<void> {
    await fleet.create(session, 'acme');
    await fleet.submit(session, 'Do it.');
  }

  async function ended(session: string): Promise<string> {
    for await (const _line of fleet.watch(session, { untilTurn: 1 }));
    return resultText((await fleet.turn(session, 1))?.result);
  }

  it('leaves turns of a newer version in the queue, and names them', async () => {
    await submit('newer');
    await database.pool.query(`update heddle.turn set log_version = 99 where session = 'newer'`);
    const worker = await startLocalWorker(url);
    await submit('current');
    expect(await ended('current')).toBe('Done after 1 calls.');
    expect(await fleet.turn('newer', 1)).toMatchObject({ state: 'queued', started: null });
    expect((await fleet.health()).unreadable).toEqual(['newer']);
    await database.pool.query(`update heddle.turn set log_version = 1 where session = 'newer'`);
    expect(await ended('newer')).toBe('Done after 1 calls.');
    await worker.stop();
  });

  it('stores every line once if the reply to an insert is lost, and more lines come meanwhile', async () => {
    await submit('replies');
    let isLost = false;
    const onLost: string[] = [];
    const query = async (statement: QueryConfig | string, values?: unknown[]): Promise<unknown> => {
      const reply: unknown = await database.pool.query(statement, values);
      if (isLost) return reply;
      isLost = true;
      writer.add({ kind: 'test', agent: 'a1', line: 'second', costUsd: 0 });
      throw Object.assign(new Error('Connection terminated unexpectedly'), { code: '08006' });
    };
    const pool = Object.assign(Object.create(database.pool), { query });
    const turn = { session: 'replies', n: 1 };
    const setup = { turn, tenant: 'acme', seq: 0, onLost: (reason: string) => void onLost.push(reason) };
    const writer = new LineWriter({ ...database, pool }, setup);
    writer.add({ kind: 'test', agent: null, line: 'first', costUsd: 1 });
    await writer.settle();
    const lines = await fleet.page('replies', 0, 10);
    expect(lines.map(({ seq, agent, line }) => [seq, agent, line])).toEqual([
      [1, null, 'first'],
      [2, 'a1', 'second'],
    ]);
    expect(onLost).toEqual([]);
    expect((await fleet.list('acme', ['replies']))[0]?.spentUsd).toBe(1);
    // Another writer has the next number.
    await takeOver(database, turn, 99);
    writer.add({ kind: 'test', agent: null, line: 'third', costUsd: 0 });
    await expect(writer.settle()).rejects.toThrow('Another worker has taken the session over.');
    await fleet.cancel('replies');
  });

  it('ends a turn that kills its workers, and does not count turns that were handed back', async () => {
    const queue = createQueue(database, { worker: 0, concurrency: 0 });
    for (const session of ['poison', 'returned']) await submit(session);
    for (let death = 0; death < 5; death++) {
      await database.pool.query(
        `update heddle.turn set state = 'running', worker = 4000 where session = 'poison'`,
      );
      await inTransaction(database, (tx) => queue.giveBack(tx, 4_000));
      await inTransaction(database, (tx) => queue.enqueue(tx, { session: 'returned', n: 1 }));
    }
    const worker = await startLocalWorker(url);
    expect(await ended('poison')).toBe('The turn was stopped: its worker died 5 times.');
    expect(await ended('returned')).toBe('Done after 1 calls.');
    expect(await fleet.turn('returned', 1)).toMatchObject({ takeovers: 0 });
    await worker.stop();
  });

  it('takes turns while another worker hangs inside its claim', async () => {
    const hung = openDatabase(url, 1, 300);
    const claimed = Promise.withResolvers<void>();
    hung.pool.on('connect', (client) => {
      const query = client.query.bind(client) as (...rest: unknown[]) => Promise<unknown>;
      const stop = async (...rest: unknown[]): Promise<unknown> => {
        if (rest[0] === 'commit') {
          claimed.resolve();
          await once(client, 'end');
        }
        return query(...rest);
      };
      Object.assign(client, { query: stop });
    });
    await submit('claimed');
    const stopped = await createQueue(hung, { worker: 4_001, concurrency: 1 }).run(async () => undefined);
    await claimed.promise;
    const worker = await startLocalWorker(url);
    expect(await ended('claimed')).toBe('Done after 1 calls.');
    await stopped.stop();
    await worker.stop();
    await hung.end();
  });

  it('leaves a turn that ends while its worker stops at its end', async () => {
    const locker = await database.pool.connect();
    const worker = await startLocalWorker(url, {
      run: async () => {
        await locker.query('begin');
        await locker.query(`select 1 from heddle.turn where session = 'ending' for no key update`);
        return 'ok';
      },
    });
    await submit('ending');
    const connections = async (condition: string): Promise<number | null> => {
      const all = 'select 1 from pg_stat_activity where datname = current_database()';
      return (await database.pool.query(`${all} and ${condition}`)).rowCount;
    };
    await expect
      .poll(() => connections(`wait_event_type = 'Lock' and query like '%state = ''done''%'`))
      .toBe(1);
    const stopped = worker.stop();
    // Without the listener, the worker hands its turns back next.
    await expect.poll(() => connections(`query = 'listen heddle_queue'`)).toBe(0);
    await locker.query('rollback');
    locker.release();
    await stopped;
    expect(await fleet.turn('ending', 1)).toMatchObject({ state: 'done' });
  });

  it('does not claim a turn again that it hands back while it stops', async () => {
    const began = Promise.withResolvers<void>();
    const worker = await startLocalWorker(url, {
      run: async (_id, signal) => {
        began.resolve();
        await once(signal, 'abort');
        return 'ok';
      },
    });
    await submit('returning');
    await began.promise;
    const locker = await database.pool.connect();
    await locker.query('select pg_advisory_lock($1)', [CLAIM_LOCK]);
    const waiting = `select 1 from pg_stat_activity where datname = current_database() and wait_event = 'advisory'`;
    await expect.poll(async () => (await database.pool.query(waiting)).rowCount).toBe(1);
    const stopped = worker.stop();
    const state = async (): Promise<string | undefined> => (await fleet.turn('returning', 1))?.state;
    // The time in which a worker that does not wait for its claim would hand the turn back.
    await expect
      .poll(state, { timeout: 500 })
      .toBe('queued')
      .catch(() => undefined);
    await locker.query('select pg_advisory_unlock($1)', [CLAIM_LOCK]);
    locker.release();
    await stopped;
    expect(await state()).toBe('queued');
    await fleet.cancel('returning');
  });

  it('drains a worker: its turns end in time, or return to the queue uncounted', async () => {
    const gates = new Map<string, PromiseWithResolvers<void>>();
    const began = Promise.withResolvers<void>();
    const start = async () => {
      const stopped = Promise.withResolvers<void>();
      const worker = await startLocalWorker(url, {
        run: async (_id, signal) => {
          began.resolve();
          await Promise.race([gates.get('gate')?.promise, once(signal, 'abort')]);
          return 'ok';
        },
        onDrain: (waitMs) => void worker.stop({ waitMs }).then(stopped.resolve),
      });
      return { id: worker.id, stopped: stopped.promise };
    };
    gates.set('gate', Promise.withResolvers());
    const patient = await start();
    await submit('patient');
    await began.promise;
    expect(await fleet.drain(60_000, patient.id)).toEqual([patient.id]);
    gates.get('gate')?.resolve();
    await patient.stopped;
    expect(await ended('patient')).toBe('Done after 1 calls.');
    gates.set('gate', Promise.withResolvers());
    const hasty = await start();
    await submit('hasty');
    for await (const { kind } of fleet.watch('hasty')) if (kind === 'intent') break;
    expect(await fleet.drain(0)).toEqual([hasty.id]);
    await hasty.stopped;
    expect(await fleet.turn('hasty', 1)).toMatchObject({ state: 'queued', takeovers: 0 });
    expect((await fleet.health()).workers).toEqual([]);
  });
});
