/**
 * The session log in PostgreSQL: the same lines as the file journal, one row each. A worker that takes a session over inserts the
 * next line. The logs of subagents and their records are rows of the same session.
 */
import {
  type ChildPlace,
  type ChildStore,
  decodeLine,
  encodeEntry,
  type EntryFrame,
  type Journal,
  JournalError,
  PowerPolicy,
  type Session,
  SessionReader,
  StoredCosts,
} from '@heddle/agent/store';
import { type Entry, type EntryBody, unfinishedRun } from '@heddle/core';
import { type Database, KEY_EXISTS, retrying, sqlState, type TurnId } from './database.ts';
import { LineWriter, type StoredLine, type WriterSetup } from './line-writer.ts';

export type { StoredLine };

/** The kind of a line with the record of a subagent. */
export const CHILD_RECORD = 'child';

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

export interface LogSetup extends WriterSetup {
  readonly frame: Omit<EntryFrame, 'sessionId'>;
}

export interface FleetSession extends Session {
  readonly writer: LineWriter;
  /** The entries of the turn so far. */
  readonly turnEntries: readonly Entry[];
}

/** Opens a session after its takeover. Only lines from the last boundary on are read. */
export async function openSession(database: Database, setup: LogSetup): Promise<FleetSession> {
  const { turn, frame } = setup;
  const [{ rows }, records] = await Promise.all([
    database.pool.query<StoredLine>(
      `select seq, turn, kind, line from heddle.entry
       where session = $1 and agent is null and (kind = 'session' or turn = $2 or seq >= coalesce(
         (select max(seq) from heddle.entry where session = $1 and kind = 'boundary' and agent is null), 0))
       order by seq`,
      [turn.session, turn.n],
    ),
    readRecords(database, turn.session),
  ]);
  const turnEntries = rows.filter((row) => row.turn === turn.n).flatMap(entriesIn);
  const writer = new LineWriter(database, setup);
  return {
    ...conversationOf(rows, writer, { ...frame, sessionId: turn.session }),
    id: turn.session,
    writer,
    turnEntries,
    unfinished: () => unfinishedRun(turnEntries),
    children: new FleetChildren(database, writer, turn.session, records),
  };
}

/** The newest record of each subagent. */
async function readRecords({ pool }: Database, session: string): Promise<Map<string, unknown>> {
  const { rows } = await pool.query<{ agent: string; line: string }>(
    `select distinct on (agent) agent, line from heddle.entry
     where session = $1 and agent is not null and kind = '${CHILD_RECORD}' order by agent, seq desc`,
    [session],
  );
  return new Map(rows.map(({ agent, line }) => [agent, JSON.parse(line)]));
}

/** The subagents of a session. Their lines are in its sequence, so they are stored in order and by one writer. */
class FleetChildren implements ChildStore {
  readonly records: Map<string, unknown>;
  readonly #database: Database;
  readonly #writer: LineWriter;
  readonly #session: string;

  constructor(database: Database, writer: LineWriter, session: string, records: Map<string, unknown>) {
    this.records = records;
    this.#database = database;
    this.#writer = writer;
    this.#session = session;
  }

  async open({ id, cwd, version }: ChildPlace): Promise<Session> {
    // A task of this worker may have ended a moment ago.
    await this.#writer.settle();
    const { rows } = await retrying(() =>
      this.#database.pool.query<StoredLine>(
        `select seq, turn, kind, line from heddle.entry
         where session = $1 and agent = $2 and kind <> '${CHILD_RECORD}' order by seq`,
        [this.#session, id],
      ),
    );
    const frame = { sessionId: this.#session, cwd, version, agentId: id };
    const unfinished = (): readonly Entry[] | undefined => unfinishedRun(rows.flatMap(entriesIn));
    return { ...conversationOf(rows, this.#writer, frame), id, unfinished };
  }

  writeRecord(agentId: string, record: object): void {
    this.#writer.add({ kind: CHILD_RECORD, agent: agentId, line: JSON.stringify(record), costUsd: 0 });
    this.records.set(agentId, record);
  }
}

type Conversation = Pick<Session, 'journal' | 'projection' | 'snapshot' | 'bill' | 'notices'>;

/** Reads the lines of one conversation, and continues it with this writer. */
function conversationOf(
  rows: readonly Pick<StoredLine, 'kind' | 'line'>[],
  writer: LineWriter,
  frame: EntryFrame,
): Conversation {
  const boundary = rows.findLastIndex(({ kind }) => kind === 'boundary');
  const reader = new SessionReader();
  for (const [at, row] of rows.entries()) if (row.kind === 'session' || at >= boundary) reader.take(row.line);
  const { projection, snapshot, bill } = reader;
  return { journal: new FleetJournal(writer, reader, frame), projection, snapshot, bill, notices: [] };
}

function entriesIn({ line }: Pick<StoredLine, 'line'>): Entry[] {
  return decodeLine(line).flatMap((decoded) => (decoded.kind === 'entry' ? [decoded.entry] : []));
}

/** The journal of a session or of a subagent. The engine waits only for lines that cannot be reconstructed. */
class FleetJournal implements Journal {
  readonly sessionId: string;
  readonly path = undefined;
  readonly #writer: LineWriter;
  readonly #frame: EntryFrame;
  readonly #chain: SessionReader['chain'];
  readonly #bill: StoredCosts;
  readonly #standing: Session['projection'];
  readonly #power = new PowerPolicy();
  /** The last line that the next step waits for. */
  #neededSeq: number;
  #isClosed = false;

  constructor(
    writer: LineWriter,
    { chain, bill, projection }: Pick<SessionReader, 'chain' | 'bill' | 'projection'>,
    frame: EntryFrame,
  ) {
    this.#writer = writer;
    this.#chain = chain;
    this.#bill = new StoredCosts(bill);
    this.#standing = projection;
    this.#frame = frame;
    this.sessionId = frame.sessionId;
    this.#neededSeq = writer.storedSeq;
  }

  append(body: EntryBody): void {
    if (this.#isClosed) throw new JournalError('The session is closed.');
    // An entry that is not accepted must not become part of the chain.
    this.#writer.check();
    const before = { parentUuid: this.#chain.parent, bill: this.#bill, standing: this.#standing };
    const line = encodeEntry({ ...body, at: Date.now() }, this.#frame, before);
    // The session has a line about the costs of its subagents.
    const isCharged = this.#frame.agentId === undefined && (body.type === 'answer' || body.type === 'spent');
    const seq = this.#writer.add({
      kind: 'type' in line ? String(line.type) : body.type,
      agent: this.#frame.agentId ?? null,
      line: JSON.stringify(line),
      costUsd: isCharged ? (body.costUsd ?? 0) : 0,
    });
    if (this.#power.mustSync(body)) this.#neededSeq = seq;
    this.#chain.follow(body);
    this.#bill.note(body);
  }

  stored(): Promise<void> | undefined {
    return this.#writer.isStored(this.#neededSeq) ? undefined : this.#writer.reached(this.#neededSeq);
  }

  /** Lines that were accepted are still stored. */
  close(): void {
    this.#isClosed = true;
  }
}
