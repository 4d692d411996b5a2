/**
 * Stores lines of a session in batches, one batch at a time. The primary key (session, seq) is the fence: after a takeover, the
 * next insert of the earlier writer fails. The lines of subagents are part of the same sequence, so the fence covers them.
 */
import { JournalError } from '@heddle/agent/store';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  AWAY_MS,
  type Database,
  isConnectionError,
  KEY_EXISTS,
  retrying,
  sqlState,
  type TurnId,
} from './database.ts';

export interface StoredLine {
  readonly seq: number;
  readonly turn: number;
  readonly kind: string;
  /** The subagent that the line belongs to. Null: the line belongs to the session itself. */
  readonly agent: string | null;
  readonly line: string;
}

export type NewLine = Pick<StoredLine, 'kind' | 'agent' | 'line'> & { readonly costUsd: number };

export interface WriterSetup {
  readonly turn: TurnId;
  readonly tenant: string;
  /** The number of the takeover line. */
  readonly seq: number;
  /** Called after lines were stored. */
  readonly onStored?: () => void;
  /** Called once when lines can no longer be stored. The run must end. */
  readonly onLost: (reason: string) => void;
}

type PendingLine = NewLine & Pick<StoredLine, 'seq'>;

const TAKEN_OVER = 'Another worker has taken the session over.';
const RETRY_MS = 200;

const INSERT = `insert into heddle.entry (session, turn, seq, kind, agent, line)
  select $1, $2, * from unnest($3::int[], $4::text[], $5::text[], $6::text[])`;
// The costs are charged in the statement that stores them, so a takeover neither loses nor repeats them.
const INSERT_AND_CHARGE = `with stored as (${INSERT}),
  charged as (update heddle.session set spent_usd = spent_usd + $7 where id = $1)
  update heddle.tenant set spent_usd = spent_usd + $7 where id = $8`;

export class LineWriter {
  readonly #database: Database;
  readonly #setup: WriterSetup;
  #pending: PendingLine[] = [];
  #nextSeq: number;
  #storedSeq: number;
  #flushing: Promise<void> | undefined;
  /** The reason why nothing more is stored. */
  #lost: string | undefined;

  constructor(database: Database, setup: WriterSetup) {
    this.#database = database;
    this.#setup = setup;
    this.#nextSeq = setup.seq + 1;
    this.#storedSeq = setup.seq;
  }

  /** Accepts a line in order. Returns its number. Throws a `JournalError` if nothing more is stored. */
  add(line: NewLine): number {
    this.check();
    const seq = this.#nextSeq++;
    this.#pending.push({ ...line, seq });
    this.#flushing ??= this.#flush();
    return seq;
  }

  /** Throws a `JournalError` if nothing more is stored. */
  check(): void {
    if (this.#lost !== undefined) throw new JournalError(this.#lost);
  }

  /** The number of the last stored line. */
  get storedSeq(): number {
    return this.#storedSeq;
  }

  /** The line with this number is stored, and later ones can be. */
  isStored(seq: number): boolean {
    return this.#lost === undefined && this.#storedSeq >= seq;
  }

  /** Waits until the line with this number is stored. Rejects with a `JournalError` if nothing more is stored. */
  async reached(seq: number): Promise<void> {
    this.check();
    while (this.#storedSeq < seq) {
      await (this.#flushing ??= this.#flush());
      this.check();
    }
  }

  /** Waits until every line is stored. */
  settle(): Promise<void> {
    return this.reached(this.#nextSeq - 1);
  }

  /** Nothing more is stored from here on. Another worker continues from the last stored line. */
  freeze(reason: string): void {
    this.#lost ??= reason;
  }

  async #flush(): Promise<void> {
    // Lines of the same step are stored together.
    await Promise.resolve();
    const giveUpAt = Date.now() + AWAY_MS;
    while (this.#pending.length > 0 && this.#lost === undefined) {
      // A copy: lines that arrive during the insert belong to the next batch.
      const batch = [...this.#pending];
      let stored = batch.length;
      try {
        await this.#insert(batch);
      } catch (thrown) {
        if (isConnectionError(thrown) && Date.now() < giveUpAt) {
          await sleep(RETRY_MS);
          continue;
        }
        const isTaken = sqlState(thrown) === KEY_EXISTS;
        // The reply to an earlier try was lost. Lines that came since then are not stored yet.
        stored = isTaken ? await retrying(() => this.#countOwn(batch)).catch(() => 0) : 0;
        if (stored === 0) {
          this.#lose(isTaken ? TAKEN_OVER : `The log cannot be stored: ${String(thrown)}`);
          break;
        }
      }
      this.#pending = this.#pending.slice(stored);
      this.#storedSeq = batch[stored - 1]?.seq ?? this.#storedSeq;
      this.#setup.onStored?.();
    }
    // Cleared here, not in `finally` of a caller: a line that comes in between would never be stored.
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
      batch.map(({ agent }) => agent),
      batch.map(({ line }) => line),
    ];
    // A statement with a name is parsed once per connection.
    await this.#database.pool.query(
      costUsd === 0
        ? { name: 'heddle_insert', text: INSERT, values }
        : { name: 'heddle_insert_and_charge', text: INSERT_AND_CHARGE, values: [...values, costUsd, tenant] },
    );
  }

  /** The number of our lines that are stored. Zero if a row with one of our numbers, or after them, is of another writer. */
  async #countOwn(batch: readonly PendingLine[]): Promise<number> {
    const { rows } = await this.#database.pool.query<StoredLine>(
      'select seq, line from heddle.entry where session = $1 and seq >= $2 order by seq',
      [this.#setup.turn.session, batch[0]?.seq ?? 0],
    );
    const areOurs = rows.every(({ seq, line }, at) => batch[at]?.seq === seq && batch[at].line === line);
    return areOurs ? rows.length : 0;
  }
}
