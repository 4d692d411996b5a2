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

export async function listSessions(
  { pool }: Database,
  tenant?: string,
  ids?: readonly string[],
): Promise<readonly SessionRow[]> {
  const { rows } = await pool.query<SessionRow>(
    `select s.id, s.tenant, coalesce(open.state, 'idle') as state, s.next_turn - 1 as turns, open.worker,
       (select coalesce(max(seq), 0) from heddle.entry e where e.session = s.id) as entries, s.spent_usd as "spentUsd"
     from heddle.session s
     left join lateral (select state, worker from heddle.turn t where t.session = s.id and state <> 'done'
       order by n limit 1) open on true
     where ($1::text is null or s.tenant = $1) and ($2::text[] is null or s.id = any($2)) order by s.created`,
    [tenant ?? null, ids ?? null],
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
