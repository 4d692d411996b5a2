/** Connections to PostgreSQL: a pool for statements, transactions, and notifications. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Pool, type PoolClient } from 'pg';

/** Both a pool and a transaction can run statements. */
export type Queries = Pick<Pool | PoolClient, 'query'>;

/** A connection in an open transaction. */
export type Transaction = PoolClient;

export interface Database {
  readonly url: string;
  readonly pool: Pool;
  end(): Promise<void>;
}

/** A submitted prompt. The turns of a session have the numbers 1, 2, 3, … */
export interface TurnId {
  readonly session: string;
  readonly n: number;
}

/** How long a statement waits for a connection, including the wait for a free one in the pool. */
const CONNECT_MS = 30_000;

/**
 * The server ends a transaction whose client sends nothing for this time. Otherwise a worker that hangs inside a transaction keeps
 * its locks, and every other worker waits for them.
 */
export const IDLE_IN_TRANSACTION_MS = 10_000;

export function openDatabase(
  url: string,
  connections = 10,
  idleInTransactionMs = IDLE_IN_TRANSACTION_MS,
): Database {
  const pool = new Pool({
    connectionString: url,
    max: connections,
    connectionTimeoutMillis: CONNECT_MS,
    idle_in_transaction_session_timeout: idleInTransactionMs,
    // The server notices a vanished machine after about ten seconds.
    options: '-c tcp_keepalives_idle=5 -c tcp_keepalives_interval=2 -c tcp_keepalives_count=3',
  });
  // A pool without a listener ends the process when an idle connection breaks.
  pool.on('error', () => undefined);
  // The pool listens to idle connections only. One in a transaction needs its own listener.
  pool.on('connect', (client) => client.on('error', () => undefined));
  return { url, pool, end: () => pool.end() };
}

export async function inTransaction<T>(
  { pool }: Pick<Database, 'pool'>,
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  const client = await pool.connect();
  try {
    await client.query('begin');
    const value = await work(client);
    await client.query('commit');
    client.release();
    return value;
  } catch (thrown) {
    // A connection that cannot roll back is broken, and leaves the pool.
    const broken = await client.query('rollback').then(
      () => false,
      () => true,
    );
    client.release(broken);
    throw thrown;
  }
}

/** The channels of notifications. A notification only wakes its receiver, which then reads the tables. */
export type Channel = 'heddle_queue' | 'heddle_cancel' | 'heddle_answer' | 'heddle_drain' | 'heddle_lines';

export function notify(queries: Queries, channel: Channel, payload = ''): Promise<unknown> {
  return queries.query('select pg_notify($1, $2)', [channel, payload]);
}

export interface Listener {
  end(): Promise<void>;
}

/** Calls `wake` for each notification. After a lost connection it reconnects by itself. */
export async function listen(
  url: string,
  channels: readonly Channel[],
  wake: (channel: string, payload: string) => void,
): Promise<Listener> {
  let isListening = false;
  let retry: NodeJS.Timeout | undefined;
  let client: Client;
  const connect = async (): Promise<void> => {
    const next = new Client({ connectionString: url, connectionTimeoutMillis: CONNECT_MS });
    client = next;
    next.on('error', () => undefined);
    next.on('end', () => {
      if (isListening) retry = setTimeout(() => void connect().catch(() => undefined), RECONNECT_MS);
    });
    next.on('notification', ({ channel, payload = '' }) => wake(channel, payload));
    await next.connect();
    for (const channel of channels) await next.query(`listen ${channel}`);
  };
  const end = async (): Promise<void> => {
    isListening = false;
    clearTimeout(retry);
    await client.end().catch(() => undefined);
  };
  try {
    await connect();
  } catch (thrown) {
    await end();
    throw thrown;
  }
  isListening = true;
  return { end };
}

const RECONNECT_MS = 500;

/** How long a lost database may stay away. */
export const AWAY_MS = 60_000;
const AWAY_RETRY_MS = 200;

/** Repeats work that failed because the database was away. The work must be repeatable. */
export async function retrying<T>(work: () => Promise<T>, isOver: () => boolean = () => false): Promise<T> {
  const giveUpAt = Date.now() + AWAY_MS;
  for (;;) {
    try {
      return await work();
    } catch (thrown) {
      if (!isConnectionError(thrown) || isOver() || Date.now() > giveUpAt) throw thrown;
      await sleep(AWAY_RETRY_MS);
    }
  }
}

/** Errors after which the same statement may succeed on another connection. */
export function isConnectionError(thrown: unknown): boolean {
  if (!(thrown instanceof Error)) return false;
  const code = 'code' in thrown ? String(thrown.code) : '';
  // 08: connection exception. 57P: the server shuts down or starts. 53300: too many connections. 25P03: idle in a transaction.
  if (/^(?:08|57P0|53300|25P03)/.test(code) || /^E(?:CONN|PIPE|HOST|NOTFOUND|TIMEDOUT)/.test(code))
    return true;
  return /Connection terminated|timeout exceeded when trying to connect|Client has encountered/.test(
    thrown.message,
  );
}

/** A row with the same key exists. */
export const KEY_EXISTS = '23505';

/** The code of an error of the server, such as `KEY_EXISTS`. */
export function sqlState(thrown: unknown): string | undefined {
  return thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'string'
    ? thrown.code
    : undefined;
}
