/**
 * The session log in PostgreSQL: the same lines as the file journal, one row each. The primary key (session, seq) is the fence:
 * a worker that takes a session over inserts the next line, and the insert of the earlier writer fails.
 */
import {
  decodeLine,
  encodeEntry,
  type EntryChain,
  type EntryFrame,
  type Journal,
  JournalError,
  PowerPolicy,
  type Session,
  SessionReader,
  StoredCosts,
} from '@heddle/agent/store';
import { type Entry, type EntryBody, unfinishedRun } from '@heddle/core';
import { setTimeout as sleep } from 'node:timers/promises';
import { AWAY_MS, type Database, isConnectionError, retrying, sqlState } from './database.ts';

export interface TurnId {
  readonly session: string;
  readonly n: number;
}

const TAKEN_OVER = 'Another worker has taken the session over.';

/** Inserts the line of a takeover. Every later insert of the earlier writer fails on the key. Returns its number. */
export async function takeOver({ pool }: Database, turn: TurnId, worker: number): Promise<number> {
  const line = { type: 'taken', worker, turn: turn.n, timestamp: new Date().toISOString() };
  const statement = `
    insert into heddle.entry (session, seq, turn, kind, line)
    select $1, coalesce(max(seq), 0) + 1, $2, 'taken', $3 from heddle.entry where session = $1
    returning seq`;
  for (;;) {
    try {
      const { rows } = await pool.query<{ seq: number }>(statement, [
        turn.session,
        turn.n,
        JSON.stringify(line),
      ]);
      return rows[0]?.seq ?? 1;
    } catch (thrown) {
      // The earlier writer has just stored a line. The next number is free.
      if (sqlState(thrown) !== KEY_EXISTS) throw thrown;
    }
  }
}

const KEY_EXISTS = '23505';

export interface StoredLine {
  readonly seq: number;
  readonly turn: number;
  readonly kind: string;
  readonly line: string;
}

interface LogSetup {
  readonly turn: TurnId;
  readonly tenant: string;
  /** The number of the takeover line. */
  readonly seq: number;
  readonly frame: Omit<EntryFrame, 'sessionId'>;
  /** Called once when entries can no longer be stored. The run must end. */
  readonly onLost: (reason: string) => void;
}

export interface FleetSession extends Session {
  readonly journal: FleetJournal;
  /** The entries of the turn so far. */
  readonly turnEntries: readonly Entry[];
}

/** Opens a session after its takeover. Only lines from the last boundary on are read. */
export async function openSession(database: Database, setup: LogSetup): Promise<FleetSession> {
  const { turn } = setup;
  const { rows } = await database.pool.query<StoredLine>(
    `select seq, turn, kind, line from heddle.entry
     where session = $1 and (kind = 'session' or turn = $2 or seq >= coalesce(
       (select max(seq) from heddle.entry where session = $1 and kind = 'boundary'), 0))
     order by seq`,
    [turn.session, turn.n],
  );
  const boundary = rows.findLastIndex(({ kind }) => kind === 'boundary');
  const reader = new SessionReader();
  for (const [at, row] of rows.entries()) if (row.kind === 'session' || at >= boundary) reader.take(row.line);
  const turnEntries = rows.filter((row) => row.turn === turn.n).flatMap(entriesIn);
  const { projection, snapshot, bill, chain } = reader;
  const journal = new FleetJournal(database, { ...setup, chain, bill, standing: projection });
  return {
    id: turn.session,
    journal,
    projection,
    snapshot,
    bill,
    notices: [],
    turnEntries,
    unfinished: () => unfinishedRun(turnEntries),
  };
}

function entriesIn({ line }: StoredLine): Entry[] {
  return decodeLine(line).flatMap((decoded) => (decoded.kind === 'entry' ? [decoded.entry] : []));
}

interface JournalSetup extends LogSetup {
  readonly chain: EntryChain;
  readonly bill: StoredCosts;
  readonly standing: Session['projection'];
}

interface PendingLine extends StoredLine {
  readonly costUsd: number;
}

const RETRY_MS = 200;

/** Stores lines in batches, one batch at a time. The engine waits only for lines that cannot be reconstructed. */
class FleetJournal implements Journal {
  readonly sessionId: string;
  readonly path = undefined;
  readonly #database: Database;
  readonly #setup: JournalSetup;
  readonly #bill: StoredCosts;
  readonly #power = new PowerPolicy();
  #pending: PendingLine[] = [];
  #nextSeq: number;
  #storedSeq: number;
  /** The last line that the next step waits for. */
  #neededSeq: number;
  #flushing: Promise<void> | undefined;
  /** The reason why nothing more is stored. */
  #lost: string | undefined;

  constructor(database: Database, setup: JournalSetup) {
    this.#database = database;
    this.#setup = setup;
    this.#bill = new StoredCosts(setup.bill);
    this.sessionId = setup.turn.session;
    this.#nextSeq = setup.seq + 1;
    this.#storedSeq = setup.seq;
    this.#neededSeq = setup.seq;
  }

  append(body: EntryBody): void {
    if (this.#lost !== undefined) throw new JournalError(this.#lost);
    const { chain, frame, standing, turn } = this.#setup;
    const before = { parentUuid: chain.parent, bill: this.#bill, standing };
    const line = encodeEntry({ ...body, at: Date.now() }, { ...frame, sessionId: turn.session }, before);
    const seq = this.#nextSeq++;
    const isBilled = body.type === 'answer' || body.type === 'spent';
    this.#pending.push({
      seq,
      turn: turn.n,
      kind: 'type' in line ? String(line.type) : body.type,
      line: JSON.stringify(line),
      costUsd: isBilled ? (body.costUsd ?? 0) : 0,
    });
    if (this.#power.mustSync(body)) this.#neededSeq = seq;
    chain.follow(body);
    this.#bill.note(body);
    this.#flushing ??= this.#flush();
  }

  stored(): Promise<void> | undefined {
    if (this.#lost !== undefined) return Promise.reject(new JournalError(this.#lost));
    return this.#storedSeq >= this.#neededSeq ? undefined : this.#reached(this.#neededSeq);
  }

  /** The number of the last stored line. */
  get lastSeq(): number {
    return this.#storedSeq;
  }

  /** Waits until every line is stored. */
  settle(): Promise<void> {
    return this.#reached(this.#nextSeq - 1);
  }

  /** Nothing more is stored from here on. Another worker continues from the last stored line. */
  freeze(reason: string): void {
    this.#lost ??= reason;
  }

  close(): void {
    this.freeze('The session is closed.');
  }

  async #reached(seq: number): Promise<void> {
    while (this.#storedSeq < seq) {
      if (this.#lost !== undefined) throw new JournalError(this.#lost);
      await (this.#flushing ??= this.#flush());
    }
  }

  async #flush(): Promise<void> {
    // Entries of the same step are stored together.
    await Promise.resolve();
    const giveUpAt = Date.now() + AWAY_MS;
    while (this.#pending.length > 0 && this.#lost === undefined) {
      // A copy: lines that arrive during the insert belong to the next batch.
      const batch = [...this.#pending];
      try {
        await this.#insert(batch);
      } catch (thrown) {
        if (
          sqlState(thrown) === KEY_EXISTS &&
          (await retrying(() => this.#isOwn(batch)).catch(() => false))
        ) {
          // The reply to an earlier try was lost.
        } else if (isConnectionError(thrown) && Date.now() < giveUpAt) {
          await sleep(RETRY_MS);
          continue;
        } else {
          this.#lose(
            sqlState(thrown) === KEY_EXISTS ? TAKEN_OVER : `The log cannot be stored: ${String(thrown)}`,
          );
          break;
        }
      }
      this.#pending = this.#pending.slice(batch.length);
      this.#storedSeq = batch.at(-1)?.seq ?? this.#storedSeq;
    }
    // Cleared here, not in `finally` of a caller: an entry that comes in between would never be stored.
    this.#flushing = undefined;
  }

  #lose(reason: string): void {
    this.#lost = reason;
    this.#setup.onLost(reason);
  }

  async #insert(batch: readonly PendingLine[]): Promise<void> {
    const { turn, tenant } = this.#setup;
    const costUsd = batch.reduce((total, line) => total + line.costUsd, 0);
    const values = [
      turn.session,
      turn.n,
      batch.map(({ seq }) => seq),
      batch.map(({ kind }) => kind),
      batch.map(({ line }) => line),
    ];
    const insert = `insert into heddle.entry (session, turn, seq, kind, line)
      select $1, $2, * from unnest($3::int[], $4::text[], $5::text[])`;
    if (costUsd === 0) return void (await this.#database.pool.query(insert, values));
    // The costs are charged in the statement that stores them, so a takeover neither loses nor repeats them.
    await this.#database.pool.query(
      `with stored as (${insert}),
       charged as (update heddle.session set spent_usd = spent_usd + $6 where id = $1)
       update heddle.tenant set spent_usd = spent_usd + $6 where id = $7`,
      [...values, costUsd, tenant],
    );
  }

  /** Compares the rows under our numbers with our lines. */
  async #isOwn(batch: readonly PendingLine[]): Promise<boolean> {
    const { rows } = await this.#database.pool.query<StoredLine>(
      'select seq, line from heddle.entry where session = $1 and seq >= $2 order by seq',
      [this.sessionId, batch[0]?.seq ?? 0],
    );
    return batch.every(({ seq, line }, at) => rows[at]?.seq === seq && rows[at].line === line);
  }
}
