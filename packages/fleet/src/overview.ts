/** Reads and removes whole sessions: lists, the health of the fleet, retention. */
import type { Database } from './database.ts';
import { LOG_VERSION } from './schema.ts';

export interface SessionRow {
  readonly id: string;
  readonly tenant: string;
  readonly state: 'idle' | 'waiting' | 'queued' | 'running' | 'parked';
  readonly turns: number;
  readonly entries: number;
  readonly spentUsd: number;
  readonly worker: number | null;
}

export interface FleetHealth {
  readonly workers: readonly {
    readonly id: number;
    readonly host: string;
    readonly pid: number;
    readonly running: number;
    readonly idleSeconds: number;
  }[];
  /** Turns that have not ended, by state. */
  readonly turns: Readonly<Record<string, number>>;
  /** Sessions whose lines are of a newer version. */
  readonly unreadable: readonly string[];
}

/** Undefined: all. */
export interface SessionSelection {
  readonly tenant?: string | undefined;
  readonly ids?: readonly string[] | undefined;
  /** The id of a session. The list continues behind it. */
  readonly after?: string | undefined;
  readonly limit?: number | undefined;
}

/** The oldest session is the first. */
export async function listSessions(
  { pool }: Database,
  { tenant, ids, after, limit }: SessionSelection,
): Promise<readonly SessionRow[]> {
  const { rows } = await pool.query<SessionRow>(
    `select s.id, s.tenant, coalesce(open.state, 'idle') as state, s.next_turn - 1 as turns, open.worker,
       (select coalesce(max(seq), 0) from heddle.entry e where e.session = s.id) as entries, s.spent_usd as "spentUsd"
     from heddle.session s
     left join lateral (select state, worker from heddle.turn t where t.session = s.id and state <> 'done'
       order by n limit 1) open on true
     where ($1::text is null or s.tenant = $1) and ($2::text[] is null or s.id = any($2)) and ($3::text is null
       or (s.created, s.id) > (select last.created, last.id from heddle.session last where last.id = $3))
     order by s.created, s.id limit $4`,
    [tenant ?? null, ids ?? null, after ?? null, limit ?? null],
  );
  return rows;
}

export async function pruneSessions({ pool }: Database, before: Date): Promise<number> {
  const { rowCount } = await pool.query(
    `delete from heddle.session s where created < $1 and not exists (
       select 1 from heddle.turn t where t.session = s.id and (t.state <> 'done' or t.ended >= $1))`,
    [before],
  );
  return rowCount ?? 0;
}

/** Workers, and turns that no current worker can run. */
export async function readHealth({ pool }: Database): Promise<FleetHealth> {
  const workers = await pool.query<FleetHealth['workers'][number]>(
    `select w.id, w.host, w.pid, extract(epoch from now() - w.heartbeat)::float8 as "idleSeconds",
       (select count(*)::int from heddle.turn t where t.worker = w.id and t.state = 'running') as running
     from heddle.worker w order by w.id`,
  );
  const turns = await pool.query<{ state: string; n: number }>(
    `select state, count(*)::int as n from heddle.turn where state <> 'done' group by state`,
  );
  const newer = await pool.query<{ session: string }>(
    `select distinct session from heddle.turn where state <> 'done' and log_version > $1`,
    [LOG_VERSION],
  );
  return {
    workers: workers.rows,
    turns: Object.fromEntries(turns.rows.map(({ state, n }) => [state, n])),
    unreadable: newer.rows.map(({ session }) => session),
  };
}
