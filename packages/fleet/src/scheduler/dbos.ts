/**
 * DBOS as the scheduler. A workflow is one part of a turn and has no steps: the log continues a turn, not DBOS. The arguments of a
 * workflow are the session and the number of the turn, because DBOS stores arguments in plain text.
 *
 * The SDK is pinned: `giveBack` and the sweep use columns of `dbos.workflow_status` that are not part of its public interface.
 * A contract test checks them.
 */
import { randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';
import type * as Sdk from '@dbos-inc/dbos-sdk';
import type { DBOSClient } from '@dbos-inc/dbos-sdk';
import { findPackage } from '@heddle/agent/packages';
import {
  type Database,
  IDLE_IN_TRANSACTION_MS,
  inTransaction,
  openDatabase,
  retrying,
  type Transaction,
  type TurnId,
} from '../database.ts';
import { LOG_VERSION } from '../schema.ts';
import { listOpenTurns, returnTurns, type Scheduler, type SchedulerSetup } from './scheduler.ts';
import { omitUndefined, Semaphore } from '@heddle/core';

const APPLICATION = 'heddle';
const WORKFLOW = 'turn';
/** Workers of another log version leave the turn in the queue. */
const VERSION = String(LOG_VERSION);
const POLL_MS = 200;
const SWEEP_MS = 5_000;
/** A workflow that comes while its worker stops waits this long for another worker. */
const BOUNCE_SECONDS = 1;
const SHUTDOWN_MS = 5_000;
/** Connections of DBOS, beside those of the worker. */
const POOL = 5;
/** Connections for the registration of queues. */
const REGISTRY_POOL = 1;
/** Any constant: DBOS does not allow two migrations at the same time. */
const MIGRATION_LOCK = 4_207_003;

const SILENT = { info: ignore, debug: ignore, warn: ignore, error: ignore };

function ignore(): void {}

function loadSdk(): typeof Sdk {
  const file = findPackage('@dbos-inc/dbos-sdk', { code: import.meta.dirname });
  if (file === undefined) {
    throw new Error('The fleet uses DBOS. Install the optional package @dbos-inc/dbos-sdk.');
  }
  const load: (name: string) => typeof Sdk = createRequire(import.meta.url);
  return load(file);
}

function configOf({ url }: Database, executorID: string) {
  const place = { name: APPLICATION, systemDatabaseUrl: url, systemDatabasePoolSize: POOL };
  const limits = { systemDatabaseIdleTransactionTimeoutMs: IDLE_IN_TRANSACTION_MS };
  return { ...place, ...limits, executorID, applicationVersion: VERSION, logger: SILENT };
}

export async function migrateDbos(database: Database): Promise<void> {
  const { DBOS } = loadSdk();
  // A lock of the session, not of a transaction: the migration waits for open transactions.
  const client = await database.pool.connect();
  try {
    await client.query('select pg_advisory_lock($1)', [MIGRATION_LOCK]);
    // `DBOS.migrate` prints to standard output. A launch migrates, too, and takes a logger.
    DBOS.setConfig({ ...configOf(database, 'migration'), runMigrations: true, listenQueues: [] });
    await DBOS.launch();
    await DBOS.shutdown();
  } finally {
    // The lock ends with the connection.
    client.release(true);
  }
}

export async function createDbosScheduler(database: Database, setup: SchedulerSetup): Promise<Scheduler> {
  const { DBOS, DBOSClient: Client } = loadSdk();
  // Queues are registered while a transaction is open. With connections of the same pool, many transactions would wait for each other.
  const registry = openDatabase(database.url, REGISTRY_POOL);
  const client = await Client.create({
    systemDatabaseUrl: database.url,
    systemDatabasePool: registry.pool,
    applicationName: APPLICATION,
    logger: SILENT,
  });
  const queues = new TenantQueues(client);
  const enqueue = async (tx: Transaction, turn: TurnId, delaySeconds?: number): Promise<void> => {
    const { session, n } = turn;
    const { tenant, name } = await queues.of(tx, turn);
    const workflowID = `${session}:${n}:${randomUUID()}`;
    await tx.query(
      `update heddle.turn set state = 'queued', queued = now(), worker = null, workflow = $3 where session = $1 and n = $2`,
      [session, n, workflowID],
    );
    const place = { queueName: name, queuePartitionKey: tenant, workflowName: WORKFLOW, workflowID };
    const choice = { ...place, appVersion: VERSION, ...omitUndefined({ delaySeconds }) };
    await client.enqueueInTransaction(tx, choice, session, n);
  };
  return {
    enqueue,
    async run(handler) {
      // Workflows beyond the limit of this worker wait. The limit of DBOS is the same for all workers of a queue.
      const slots = new Semaphore(setup.concurrency);
      let isOver = false;
      const body = async (session: string, n: number): Promise<void> => {
        const turn = { session, n };
        const workflow = DBOS.workflowID ?? '';
        const leave = await slots.enter();
        try {
          if (isOver)
            return await retrying(() =>
              inTransaction(database, async (tx) => {
                if (await isQueued(tx, turn, workflow)) await enqueue(tx, turn, BOUNCE_SECONDS);
              }),
            );
          if (await retrying(() => claimTurn(database, turn, workflow, setup.worker))) await handler(turn);
        } catch {
          // An error would end the workflow for good. The sweep queues the turn again.
        } finally {
          leave();
        }
      };
      DBOS.setConfig({ ...configOf(database, String(setup.worker)), runMigrations: false });
      DBOS.registerWorkflow(body, { name: WORKFLOW });
      await DBOS.launch();
      const sweeper = setInterval(() => void sweep(database, enqueue).catch(ignore), SWEEP_MS);
      return {
        async stop() {
          isOver = true;
          clearInterval(sweeper);
        },
        end: () => DBOS.shutdown({ deregister: true, workflowCompletionTimeoutMS: SHUTDOWN_MS }),
      };
    },
    async giveBack(tx, dead) {
      // A workflow of a dead worker would count as running for ever.
      await tx.query(
        `update dbos.workflow_status set status = 'CANCELLED'
         where status = 'PENDING' and executor_id = $1 and application_name = $2`,
        [String(dead), APPLICATION],
      );
      const turns = await returnTurns(tx, dead);
      for (const turn of turns) await enqueue(tx, turn);
      return turns.length;
    },
    list: () => listOpenTurns(database),
    async close() {
      await client.destroy();
      await registry.end();
    },
  };
}

/** One queue for each pair of limits. Its partitions are the tenants with these limits. */
class TenantQueues {
  readonly #client: DBOSClient;
  readonly #known = new Map<string, Promise<unknown>>();

  constructor(client: DBOSClient) {
    this.#client = client;
  }

  async of(tx: Transaction, { session }: TurnId): Promise<{ tenant: string; name: string }> {
    const { rows } = await tx.query<{ id: string; max_running: number; starts_per_minute: number | null }>(
      `select tenant.id, max_running, starts_per_minute from heddle.session s join heddle.tenant on tenant.id = s.tenant
       where s.id = $1`,
      [session],
    );
    const { id = '', max_running: most = 1, starts_per_minute: rate = null } = rows[0] ?? {};
    const name = `heddle-${most}-${rate ?? 'any'}`;
    const known = this.#known.get(name) ?? this.#register(name, most, rate);
    this.#known.set(name, known);
    try {
      await known;
    } catch (thrown) {
      // The next turn tries again.
      if (this.#known.get(name) === known) this.#known.delete(name);
      throw thrown;
    }
    return { tenant: id, name };
  }

  #register(name: string, partitionConcurrency: number, perMinute: number | null): Promise<unknown> {
    return this.#client.registerQueue(name, {
      partitionConcurrency,
      ...(perMinute === null ? {} : { partitionRateLimit: { limitPerPeriod: perMinute, periodSec: 60 } }),
      minPollingIntervalMs: POLL_MS,
      onConflict: 'never_update',
    });
  }
}

/** False if the turn was canceled, or another workflow has it. */
async function isQueued(tx: Transaction, { session, n }: TurnId, workflow: string): Promise<boolean> {
  const { rowCount } = await tx.query(
    `select 1 from heddle.turn where session = $1 and n = $2 and state = 'queued' and workflow = $3 for update`,
    [session, n, workflow],
  );
  return rowCount === 1;
}

/** Like `isQueued`. Repeatable: a claim whose reply was lost succeeds again for the same workflow. */
async function claimTurn(
  { pool }: Database,
  { session, n }: TurnId,
  workflow: string,
  worker: number,
): Promise<boolean> {
  const { rowCount } = await pool.query(
    `update heddle.turn set state = 'running', worker = $3, started = coalesce(started, now())
     where session = $1 and n = $2 and workflow = $4 and (state = 'queued' or (state = 'running' and worker = $3))`,
    [session, n, worker, workflow],
  );
  return rowCount === 1;
}

/** Queues turns again whose workflow is over, and ends workflows of workers that have gone. */
async function sweep(
  database: Database,
  enqueue: (tx: Transaction, turn: TurnId) => Promise<void>,
): Promise<void> {
  await database.pool.query(
    `update dbos.workflow_status set status = 'CANCELLED'
     where status = 'PENDING' and application_name = $1 and executor_id not in (select id::text from heddle.worker)`,
    [APPLICATION],
  );
  await inTransaction(database, async (tx) => {
    const { rows } = await tx.query<TurnId>(
      `select t.session, t.n from heddle.turn t
       where t.state = 'queued' and t.queued < now() - make_interval(secs => $1) and not exists (
         select 1 from dbos.workflow_status w where w.workflow_uuid = t.workflow
           and w.status in ('ENQUEUED', 'DELAYED', 'PENDING'))
       for update of t skip locked`,
      [SWEEP_MS / 1_000],
    );
    for (const turn of rows) await enqueue(tx, turn);
  });
}
