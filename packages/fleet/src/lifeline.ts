/**
 * The life of a worker: a session lock that the server frees when the connection breaks, and a heartbeat for workers that hang.
 * Every worker looks for dead ones and returns their turns to the queue.
 */
import { hostname } from 'node:os';
import { Client } from 'pg';
import { type Database, inTransaction, listen } from './database.ts';
import type { Scheduler } from './scheduler/scheduler.ts';

export interface Lifeline {
  readonly worker: number;
  /** Starts to look for dead workers. */
  watch(scheduler: Scheduler): void;
  /** Returns after this worker is no longer registered. */
  end(): Promise<void>;
}

export interface LifelineTimes {
  readonly lookMs: number;
  readonly heartbeatMs: number;
  /** A worker without a heartbeat for this time hangs. */
  readonly hungMs: number;
}

export const LIFELINE_TIMES: LifelineTimes = { lookMs: 1_000, heartbeatMs: 5_000, hungMs: 30_000 };

/** The class of the advisory locks of workers. */
const WORKER_LOCK = 4_207;
/** After a server start, workers need this time to connect again. */
const SERVER_START_SECONDS = 5;

interface LifelineEvents {
  /** Called if the connection with the lock breaks: other workers take over the turns of this one. */
  readonly onLost: () => void;
  /** Called when this worker is asked to end, with the time that its turns have. */
  readonly onDrain: (waitMs: number) => void;
}

export async function openLifeline(
  database: Database,
  times: LifelineTimes,
  { onLost, onDrain }: LifelineEvents,
): Promise<Lifeline> {
  const { rows } = await database.pool.query<{ id: number }>(
    `select nextval(pg_get_serial_sequence('heddle.worker', 'id'))::int as id`,
  );
  const worker = rows[0]?.id ?? 0;
  let isOver = false;
  let client = await holdLock(database.url, worker, lost);
  // Registered after the lock is held: a registered worker without a lock counts as dead.
  await database.pool.query(
    'insert into heddle.worker (id, host, pid) overriding system value values ($1, $2, $3)',
    [worker, hostname(), process.pid],
  );
  const timers: NodeJS.Timeout[] = [];
  const beat = async (): Promise<void> => {
    const { rows: beaten } = await database.pool.query<{ drain_ms: number | null }>(
      'update heddle.worker set heartbeat = now() where id = $1 returning drain_ms',
      [worker],
    );
    if (isOver) return;
    const [row] = beaten;
    // Another worker took this one for dead.
    if (!row) onLost();
    else if (row.drain_ms !== null) onDrain(row.drain_ms);
  };
  const drains = await listen(database.url, ['heddle_drain'], () => void beat().catch(() => undefined));
  timers.push(setInterval(() => void beat().catch(() => undefined), times.heartbeatMs));

  /** The server may only have restarted: the lock is taken again unless another worker was faster. */
  function lost(): void {
    if (isOver) return;
    const retry = async (left: number): Promise<void> => {
      try {
        client = await holdLock(database.url, worker, lost);
      } catch {
        if (isOver) return;
        if (left === 0) return onLost();
        setTimeout(() => void retry(left - 1), RETRY_MS);
      }
    };
    void retry(RETRIES);
  }

  return {
    worker,
    watch(scheduler) {
      let isLooking = false;
      const look = async (): Promise<void> => {
        if (isLooking || isOver) return;
        isLooking = true;
        try {
          await collectDead(database, scheduler, worker, times);
        } catch {
          // The database is away. The next look tries again.
        } finally {
          isLooking = false;
        }
      };
      timers.push(setInterval(() => void look(), times.lookMs));
    },
    async end() {
      isOver = true;
      for (const timer of timers) clearInterval(timer);
      await drains.end();
      await database.pool.query('delete from heddle.worker where id = $1', [worker]).catch(() => undefined);
      await client.end().catch(() => undefined);
    },
  };
}

const RETRY_MS = 250;
/** One minute. */
const RETRIES = 240;

async function holdLock(url: string, worker: number, onEnd: () => void): Promise<Client> {
  const client = new Client({
    connectionString: url,
    options: '-c tcp_keepalives_idle=5 -c tcp_keepalives_interval=2 -c tcp_keepalives_count=3',
  });
  client.on('error', () => undefined);
  await client.connect();
  try {
    const { rows } = await client.query<{ held: boolean }>('select pg_try_advisory_lock($1, $2) as held', [
      WORKER_LOCK,
      worker,
    ]);
    if (!rows[0]?.held) throw new Error(`The lock of worker ${worker} is in use.`);
  } catch (thrown) {
    await client.end().catch(() => undefined);
    throw thrown;
  }
  client.on('end', onEnd);
  return client;
}

async function collectDead(
  database: Database,
  scheduler: Scheduler,
  self: number,
  { hungMs }: LifelineTimes,
): Promise<void> {
  const { rows } = await database.pool.query<{ id: number; hangs: boolean }>(
    `select id, heartbeat < now() - make_interval(secs => $2) as hangs from heddle.worker
     where id <> $1 and pg_postmaster_start_time() < now() - make_interval(secs => $3)`,
    [self, hungMs / 1_000, SERVER_START_SECONDS],
  );
  const orphans = await database.pool.query<{ worker: number }>(
    `select distinct worker from heddle.turn where state = 'running' and worker not in (select id from heddle.worker)`,
  );
  for (const { worker } of orphans.rows)
    await inTransaction(database, (tx) => scheduler.giveBack(tx, worker));
  for (const { id, hangs } of rows) {
    if (hangs) await disconnect(database, id);
    await inTransaction(database, async (tx) => {
      const held = await tx.query<{ free: boolean }>('select pg_try_advisory_xact_lock($1, $2) as free', [
        WORKER_LOCK,
        id,
      ]);
      if (!held.rows[0]?.free) return;
      await scheduler.giveBack(tx, id);
      await tx.query('delete from heddle.worker where id = $1', [id]);
    });
  }
}

/** Ends the connection of a hung worker, which frees its lock. When it wakes, its next insert fails on the key. */
async function disconnect({ pool }: Database, worker: number): Promise<void> {
  await pool.query(
    `select pg_terminate_backend(pid) from pg_locks
     where locktype = 'advisory' and classid = $1 and objid = $2 and granted
       and database = (select oid from pg_database where datname = current_database())`,
    [WORKER_LOCK, worker],
  );
}
