/** Decides which worker runs which turn. The log never depends on it: a turn that is given out twice still has one writer. */
import type { Database, Transaction, TurnId } from '../database.ts';

export interface QueuedTurn extends TurnId {
  readonly tenant: string;
  readonly state: 'waiting' | 'queued' | 'running' | 'parked';
  readonly worker: number | null;
}

export interface Scheduler {
  /** Adds a turn to the queue, in the transaction of the caller. */
  enqueue(tx: Transaction, turn: TurnId): Promise<void>;
  /** Gives queued turns to the handler until it is stopped. */
  run(handler: (turn: TurnId) => Promise<void>): Promise<RunningScheduler>;
  /** Returns the turns of a dead worker to the queue. */
  giveBack(tx: Transaction, worker: number): Promise<number>;
  /** Turns that have not ended. */
  list(): Promise<readonly QueuedTurn[]>;
  /** Releases connections of its own. */
  close(): Promise<void>;
}

interface RunningScheduler {
  /** Takes no new turns. Running handlers continue. */
  stop(): Promise<void>;
  /** Called after the last handler has ended. */
  end(): Promise<void>;
}

export interface SchedulerSetup {
  /** The worker that takes turns. Zero: this process only adds turns. */
  readonly worker: number;
  /** Turns that this worker runs at the same time. */
  readonly concurrency: number;
}

/** Returns the running turns of a dead worker to the queue, and counts a takeover of each. */
export async function returnTurns(tx: Transaction, dead: number): Promise<readonly TurnId[]> {
  const moved = await tx.query<TurnId>(
    `update heddle.turn t set state = 'queued', worker = null, takeovers = takeovers + 1,
       idle_takeovers = case when last.seq <= last_seq + 1 then idle_takeovers + 1 else 0 end, last_seq = last.seq
     from (select session, max(seq) as seq from heddle.entry
           where session in (select session from heddle.turn where worker = $1 and state = 'running')
           group by session) last
     where t.worker = $1 and t.state = 'running' and last.session = t.session
     returning t.session, t.n`,
    [dead],
  );
  // A turn that died before its takeover has no entry.
  const early = await tx.query<TurnId>(
    `update heddle.turn set state = 'queued', worker = null, takeovers = takeovers + 1,
       idle_takeovers = idle_takeovers + 1
     where worker = $1 and state = 'running' returning session, n`,
    [dead],
  );
  return [...moved.rows, ...early.rows];
}

export async function listOpenTurns({ pool }: Database): Promise<readonly QueuedTurn[]> {
  const { rows } = await pool.query<QueuedTurn>(
    `select session, n, tenant, state, worker from heddle.turn where state <> 'done' order by created`,
  );
  return rows;
}
