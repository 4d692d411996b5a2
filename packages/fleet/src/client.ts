/** The client of a fleet: submits prompts, watches sessions, answers questions, cancels turns. It needs no worker. */
import type { PermissionAnswer } from '@heddle/agent';
import { isRecord } from '@heddle/core';
import { randomUUID } from 'node:crypto';
import { type Database, inTransaction, notify, openDatabase, type Queries } from './database.ts';
import { LineWatch } from './line-signals.ts';
import { CHILD_RECORD, type StoredLine } from './log.ts';
import {
  type FleetHealth,
  listSessions,
  pruneSessions,
  readHealth,
  type SessionRow,
  type SessionSelection,
} from './overview.ts';
import { type OpenQuestion, openQuestions, type QuestionKey, storeAnswer } from './questions.ts';
import { chooseScheduler, openScheduler, type SchedulerName } from './scheduler/open-scheduler.ts';
import type { Scheduler } from './scheduler/scheduler.ts';
import { LOG_VERSION, migrate } from './schema.ts';
import { TokenStore } from './tokens.ts';
import { endTurn, enqueueNext } from './turns.ts';
import { refuseCredentials } from './workspace/session-files.ts';

export interface TenantLimits {
  /** Turns at the same time. */
  readonly maxRunning?: number;
  readonly startsPerMinute?: number | null;
  readonly budgetUsd?: number | null;
}

export interface SubmitChoice {
  /** The same key names the same turn: a repeated submit has no effect. */
  readonly key?: string;
  /** The name of the submitter, for lists. */
  readonly by?: string;
}

export interface TurnState {
  readonly n: number;
  readonly state: 'waiting' | 'queued' | 'running' | 'parked' | 'done';
  readonly result: unknown;
  readonly takeovers: number;
  /** The name of the submitter. */
  readonly by: string | null;
  readonly created: Date;
  readonly started: Date | null;
  readonly ended: Date | null;
}

/** Stored lines in order. `seq` is the place to continue a watch from. */
export type Seen = StoredLine;

/** A line of the file of a session or of a subagent, or the record of a subagent. */
export type FileLine = Pick<StoredLine, 'agent' | 'line'> & { readonly isRecord: boolean };

/** A lost notification delays a line by this time at most. */
const POLL_MS = 1_000;
const PAGE_LINES = 500;
const TURN_STATE = 'n, state, result, takeovers, by, created, started, ended';

/** Ids become parts of file names in workers. `~` separates the tenant from the name in ids that the gateway makes. */
const ID = /^[A-Za-z0-9][\w.~-]{0,199}$/;
/** The id of a session in the gateway has a tenant, `~`, and up to 100 characters. */
const TENANT = /^[A-Za-z0-9][\w.-]{0,98}$/;

/** A name that cannot be used for a tenant or a session. */
export class NameError extends Error {
  constructor(kind: 'session' | 'tenant') {
    super(
      `The name of a ${kind} is too long, or has other characters than letters, digits, dots, dashes and underscores.`,
    );
  }
}

export class Fleet {
  readonly #database: Database;
  readonly #scheduler: Scheduler;
  readonly #lines: LineWatch;
  /** The tokens of the gateway. */
  readonly tokens: TokenStore;

  private constructor(database: Database, scheduler: Scheduler) {
    this.#database = database;
    this.tokens = new TokenStore(database);
    this.#scheduler = scheduler;
    this.#lines = new LineWatch(database.url);
  }

  /** Connects, and brings the tables up to date. */
  static async connect(url: string, connections = 4): Promise<Fleet> {
    const database = openDatabase(url, connections);
    await migrate(database);
    return new Fleet(database, await openScheduler(database, { worker: 0, concurrency: 0 }));
  }

  async close(): Promise<void> {
    await this.#lines.close();
    await this.#scheduler.close();
    await this.#database.end();
  }

  /** Rejects if the database is away. */
  async ping(): Promise<void> {
    await this.#database.pool.query('select 1');
  }

  /** Chooses the scheduler of this database. Connect again to use it. */
  chooseScheduler(name: SchedulerName): Promise<void> {
    return chooseScheduler(this.#database, name);
  }

  /** Creates a tenant, or changes the limits that are given. */
  async tenant(id: string, { maxRunning, startsPerMinute, budgetUsd }: TenantLimits = {}): Promise<void> {
    if (!TENANT.test(id)) throw new NameError('tenant');
    await this.#database.pool.query(
      `insert into heddle.tenant (id, max_running, starts_per_minute, budget_usd)
       values ($1, coalesce($2, 20), $3, $4)
       on conflict (id) do update set max_running = coalesce($2, tenant.max_running),
         starts_per_minute = case when $5 then $3 else tenant.starts_per_minute end,
         budget_usd = case when $6 then $4 else tenant.budget_usd end`,
      [
        id,
        maxRunning ?? null,
        startsPerMinute ?? null,
        budgetUsd ?? null,
        startsPerMinute !== undefined,
        budgetUsd !== undefined,
      ],
    );
  }

  /** Creates a session of a tenant. An existing session of the same tenant stays as it is. */
  async create(session: string, tenant: string, options: object = {}): Promise<void> {
    if (!ID.test(session)) throw new NameError('session');
    refuseCredentials(options);
    const { rows } = await this.#database.pool.query<{ tenant: string }>(
      `with made as (insert into heddle.session (id, tenant, options) values ($1, $2, $3)
         on conflict do nothing returning tenant)
       select tenant from made union all select tenant from heddle.session where id = $1`,
      [session, tenant, JSON.stringify(options)],
    );
    if (rows[0]?.tenant !== tenant) throw new Error(`The session ${session} belongs to another tenant.`);
  }

  /** Stores a prompt. It runs after the earlier prompts of its session. Returns the number of its turn. */
  async submit(
    session: string,
    prompt: string,
    { key = randomUUID(), by }: SubmitChoice = {},
  ): Promise<number> {
    return inTransaction(this.#database, async (tx) => {
      const { rows } = await tx.query<{ tenant: string; next_turn: number }>(
        'select tenant, next_turn from heddle.session where id = $1 for update',
        [session],
      );
      const [found] = rows;
      if (!found) throw new Error(`There is no session ${session}.`);
      const known = await tx.query<{ n: number }>(
        'select n from heddle.turn where session = $1 and key = $2',
        [session, key],
      );
      if (known.rows[0]) return known.rows[0].n;
      const n = found.next_turn;
      await tx.query('update heddle.session set next_turn = next_turn + 1 where id = $1', [session]);
      await tx.query(
        `insert into heddle.turn (session, n, tenant, key, prompt, message_uuid, state, by, log_version)
         values ($1, $2, $3, $4, $5, $6, 'waiting', $7, $8)`,
        [
          session,
          n,
          found.tenant,
          key,
          JSON.stringify({ text: prompt }),
          randomUUID(),
          by ?? null,
          LOG_VERSION,
        ],
      );
      if (!(await isBusy(tx, session))) await this.#scheduler.enqueue(tx, { session, n });
      return n;
    });
  }

  /** Yields the stored lines of a session. Ends after the last line of `untilTurn`, or when the signal aborts. */
  async *watch(
    session: string,
    choice: { readonly after?: number; readonly untilTurn?: number; readonly signal?: AbortSignal } = {},
  ): AsyncGenerator<Seen> {
    let { after = 0 } = choice;
    const { untilTurn, signal } = choice;
    const stored = await this.#lines.open(session);
    try {
      for (;;) {
        if (signal?.aborted) return;
        // Read before the lines, so that no line of an ended turn is missed.
        const turn = untilTurn === undefined ? undefined : await this.turn(session, untilTurn);
        const rows = await this.page(session, after, PAGE_LINES);
        for (const row of rows) {
          yield row;
          after = row.seq;
        }
        if (rows.length > 0) continue;
        if (turn?.state === 'done') return;
        await stored.next(POLL_MS, signal);
      }
    } finally {
      stored.close();
    }
  }

  async turn(session: string, n: number): Promise<TurnState | undefined> {
    const { rows } = await this.#database.pool.query<TurnState>(
      `select ${TURN_STATE} from heddle.turn where session = $1 and n = $2`,
      [session, n],
    );
    return rows[0];
  }

  /** The last turns of a session, newest first. */
  async turns(session: string, limit: number): Promise<readonly TurnState[]> {
    const { rows } = await this.#database.pool.query<TurnState>(
      `select ${TURN_STATE} from heddle.turn where session = $1 order by n desc limit $2`,
      [session, limit],
    );
    return rows;
  }

  /** Lines after a number, in order. */
  async page(session: string, after: number, limit: number): Promise<readonly Seen[]> {
    const { rows } = await this.#database.pool.query<Seen>(
      'select seq, turn, kind, agent, line from heddle.entry where session = $1 and seq > $2 order by seq limit $3',
      [session, after, limit],
    );
    return rows;
  }

  questions(tenant?: string): Promise<readonly OpenQuestion[]> {
    return openQuestions(this.#database, tenant);
  }

  /** Returns false if the question is unknown or already answered. */
  answer(question: QuestionKey, answer: PermissionAnswer, by?: string): Promise<boolean> {
    return storeAnswer(this.#database, this.#scheduler, question, answer, by);
  }

  /** Cancels the turn that runs, waits for an answer or is queued. Returns false if there is none. */
  async cancel(session: string): Promise<boolean> {
    return inTransaction(this.#database, async (tx) => {
      const { rows } = await tx.query<{ n: number; state: string; started: Date | null }>(
        `update heddle.turn set cancel = true where session = $1 and state in ('queued', 'running', 'parked')
         returning n, state, started`,
        [session],
      );
      const [turn] = rows;
      if (!turn) return false;
      const id = { session, n: turn.n };
      if (turn.started === null) {
        await endTurn(tx, id, { errors: ['The turn was canceled before it began.'] });
        await enqueueNext(tx, this.#scheduler, session);
      } else if (turn.state === 'parked') await this.#scheduler.enqueue(tx, id);
      await notify(tx, 'heddle_cancel', session);
      return true;
    });
  }

  /** Asks workers to stop: one, or all that are registered now. Returns their numbers. Their turns get `waitMs` to end. */
  async drain(waitMs: number, worker?: number): Promise<readonly number[]> {
    const { rows } = await this.#database.pool.query<{ id: number }>(
      'update heddle.worker set drain_ms = $1 where $2::int is null or id = $2 returning id',
      [waitMs, worker ?? null],
    );
    await notify(this.#database.pool, 'heddle_drain');
    return rows.map(({ id }) => id);
  }

  /** The lines of a session in the format of a session file, with those of its subagents. Lines of the fleet are left out. */
  async *lines(session: string): AsyncGenerator<FileLine> {
    for (let after = 0; ; ) {
      const rows = await this.page(session, after, PAGE_LINES);
      for (const { kind, agent, line } of rows)
        if (kind !== 'taken') yield { agent, line, isRecord: kind === CHILD_RECORD };
      const last = rows.at(-1);
      if (!last) return;
      after = last.seq;
    }
  }

  /** Stores the lines of a session file as a new session. Its prompts count as ended. */
  async addLines(session: string, lines: readonly FileLine[]): Promise<void> {
    const kinds = lines.map(({ line, isRecord: isChild }) => (isChild ? CHILD_RECORD : kindOf(line)));
    await inTransaction(this.#database, async (tx) => {
      const { rows } = await tx.query('select 1 from heddle.entry where session = $1 limit 1', [session]);
      if (rows.length > 0) throw new Error(`The session ${session} has entries already.`);
      await tx.query(
        `insert into heddle.entry (session, turn, seq, kind, agent, line)
         select $1, 0, row_number() over (), kind, agent, line
         from unnest($2::text[], $3::text[], $4::text[]) as given (kind, agent, line)`,
        [session, kinds, lines.map(({ agent }) => agent), lines.map(({ line }) => line)],
      );
    });
  }

  /** Removes sessions whose last turn ended before this time, with everything about them. */
  prune(before: Date): Promise<number> {
    return pruneSessions(this.#database, before);
  }

  health(): Promise<FleetHealth> {
    return readHealth(this.#database);
  }

  /** The sessions of a tenant, or of all tenants. With `ids`, only those among them. */
  list(
    tenant?: string,
    ids?: readonly string[],
    page: Pick<SessionSelection, 'after' | 'limit'> = {},
  ): Promise<readonly SessionRow[]> {
    return listSessions(this.#database, { tenant, ids, ...page });
  }
}

function kindOf(line: string): string {
  const value: unknown = JSON.parse(line);
  return isRecord(value) && typeof value['type'] === 'string' ? value['type'] : '';
}

async function isBusy(tx: Queries, session: string): Promise<boolean> {
  const { rows } = await tx.query(
    `select 1 from heddle.turn where session = $1 and state in ('queued', 'running', 'parked') limit 1`,
    [session],
  );
  return rows.length > 0;
}
