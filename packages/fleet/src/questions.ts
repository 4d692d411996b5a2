/**
 * Questions of turns, and their answers. An answer belongs to one call with one input, for one reason and with the same real places.
 * The first answer counts.
 */
import type { PermissionAnswer, PermissionQuestion } from '@heddle/agent';
import { type CallPlace, isRecord, omitUndefined } from '@heddle/core';
import { createHash, randomUUID } from 'node:crypto';
import {
  type Database,
  inTransaction,
  listen,
  type Listener,
  notify,
  retrying,
  type TurnId,
} from './database.ts';
import type { Scheduler } from './scheduler/scheduler.ts';

export interface OpenQuestion {
  readonly session: string;
  readonly turn: number;
  readonly toolUseId: string;
  readonly digest: string;
  readonly tool: string;
  readonly input: unknown;
  readonly reason: string;
  /** The folder of the call on its worker, and the files that it uses, with links resolved. */
  readonly workingDirectory?: string;
  readonly places?: CallPlace['places'];
}

/** Session, turn, call, input and decision: an answer can only belong to this question. */
export function questionId({ session, turn, toolUseId, digest }: QuestionKey): string {
  return `${session}:${turn}:${toolUseId}:${digest.slice(0, 12)}`;
}

export type QuestionKey = Pick<OpenQuestion, 'session' | 'turn' | 'toolUseId' | 'digest'>;

interface QuestionRow {
  readonly session: string;
  readonly turn: number;
  readonly tool_use_id: string;
  readonly digest: string;
  readonly question: Pick<OpenQuestion, 'tool' | 'input' | 'reason' | 'workingDirectory' | 'places'>;
}

export async function openQuestions({ pool }: Database, tenant?: string): Promise<readonly OpenQuestion[]> {
  const { rows } = await pool.query<QuestionRow>(
    `select q.session, q.turn, q.tool_use_id, q.digest, q.question from heddle.question q
     join heddle.turn t on t.session = q.session and t.n = q.turn
     where q.answer is null and t.state <> 'done' and ($1::text is null or t.tenant = $1) order by q.asked`,
    [tenant ?? null],
  );
  return rows.map(({ session, turn, tool_use_id: toolUseId, digest, question }) => {
    const { tool, input, reason, workingDirectory, places } = question;
    const place = omitUndefined({ workingDirectory, places });
    return Object.assign({ session, turn, toolUseId, digest, tool, input, reason }, place);
  });
}

/** Stores an answer. Returns false if the question is unknown or already answered. */
export function storeAnswer(
  database: Database,
  scheduler: Scheduler,
  question: QuestionKey,
  answer: PermissionAnswer,
  by: string | undefined,
): Promise<boolean> {
  const { session, turn, toolUseId, digest } = question;
  return inTransaction(database, async (tx) => {
    const { rows } = await tx.query<{ state: string }>(
      'select state from heddle.turn where session = $1 and n = $2 for update',
      [session, turn],
    );
    const { rowCount } = await tx.query(
      `update heddle.question set answer = $5, answered_by = $6, answered = now()
       where session = $1 and turn = $2 and tool_use_id = $3 and digest = $4 and answer is null`,
      [session, turn, toolUseId, digest, JSON.stringify(answer), by ?? null],
    );
    if (rowCount === 0) return false;
    if (rows[0]?.state === 'parked') {
      await tx.query('update heddle.turn set part = part + 1 where session = $1 and n = $2', [session, turn]);
      await scheduler.enqueue(tx, { session, n: turn });
    }
    await notify(tx, 'heddle_answer', session);
    return true;
  });
}

/** Waits for answers in a worker. One connection serves all turns. */
export class AnswerInbox {
  readonly #database: Database;
  readonly #waiting = new Set<() => void>();
  #listener: Listener | undefined;

  constructor(database: Database) {
    this.#database = database;
  }

  async open(): Promise<void> {
    this.#listener = await listen(this.#database.url, ['heddle_answer'], () => {
      for (const wake of this.#waiting) wake();
    });
  }

  async close(): Promise<void> {
    await this.#listener?.end();
  }

  /** Asks, and waits for the answer. Undefined after `patienceMs`: the turn is to be parked. */
  async ask(
    { turn, folder }: AskingTurn,
    question: PermissionQuestion,
    signal: AbortSignal,
    patienceMs: number,
  ): Promise<PermissionAnswer | undefined> {
    const wait = randomUUID();
    const isOver = (): boolean => signal.aborted;
    const until = Date.now() + patienceMs;
    const call = callOf(question);
    const basis = digestOf([folder === undefined ? question.basis : withoutFolder(question.basis, folder)]);
    for (let repetition = 0; ; ) {
      const key = [turn.session, turn.n, question.toolUseId, digestOf([call, basis, repetition])];
      // A database that is away must not become a denial.
      await retrying(() => this.#store(key, { call, basis }, question), isOver);
      const taken = await retrying(() => this.#take(key, wait), isOver);
      if (taken.answer) return taken.answer;
      if (taken.isOfAnother) {
        repetition++;
        continue;
      }
      const leftMs = until - Date.now();
      if (leftMs <= 0 || signal.aborted) return undefined;
      await this.#nextWake(Math.min(leftMs, POLL_MS), signal);
    }
  }

  /** A question about the same call that was decided otherwise before is withdrawn, unless it has an answer. */
  #store(
    key: readonly unknown[],
    { call, basis }: { readonly call: string; readonly basis: string },
    { tool, input, reason, workingDirectory, places }: PermissionQuestion,
  ): Promise<unknown> {
    const shown = JSON.stringify({ tool, input, reason, workingDirectory, places });
    return this.#database.pool.query(STORE, [...key, shown, call, basis]);
  }

  /** Takes the answer for one wait. A worker that dies after this asks again. */
  async #take(
    key: readonly unknown[],
    wait: string,
  ): Promise<{ readonly answer?: PermissionAnswer; readonly isOfAnother: boolean }> {
    const { rows } = await this.#database.pool.query<{ answer: unknown; taken_by: string | null }>(TAKE, [
      ...key,
      wait,
    ]);
    const { answer, taken_by: takenBy } = rows[0] ?? {};
    if (!isRecord(answer)) return { isOfAnother: false };
    return takenBy === wait ? { answer: answerOf(answer), isOfAnother: false } : { isOfAnother: true };
  }

  async #nextWake(ms: number, signal: AbortSignal): Promise<void> {
    await new Promise<void>((resolve) => {
      const wake = (): void => {
        clearTimeout(timer);
        this.#waiting.delete(wake);
        signal.removeEventListener('abort', wake);
        resolve();
      };
      const timer = setTimeout(wake, ms);
      this.#waiting.add(wake);
      signal.addEventListener('abort', wake, { once: true });
    });
  }
}

const STORE = `with withdrawn as (
    delete from heddle.question
    where session = $1 and turn = $2 and tool_use_id = $3 and call = $6 and basis <> $7 and answer is null
  )
  insert into heddle.question (session, turn, tool_use_id, digest, question, call, basis)
  values ($1, $2, $3, $4, $5, $6, $7)
  on conflict do nothing`;

const TAKE = `with taken as (
    update heddle.question set taken_by = $5
    where session = $1 and turn = $2 and tool_use_id = $3 and digest = $4 and answer is not null and taken_by is null
    returning answer, taken_by
  )
  select answer, taken_by from taken
  union all
  select answer, taken_by from heddle.question
  where session = $1 and turn = $2 and tool_use_id = $3 and digest = $4 and not exists (select from taken)`;

/** A lost notification delays an answer by this time at most. */
const POLL_MS = 2_000;

/** Only the decision and its message are taken from the table. A stored answer cannot change rules or the input. */
function answerOf({ allow, message }: Readonly<Record<string, unknown>>): PermissionAnswer {
  return { allow: allow === true, ...(typeof message === 'string' ? { message } : {}) };
}

/** The turn that asks, and the folder of its files on this machine. Undefined: all workers use the same folder. */
interface AskingTurn {
  readonly turn: TurnId;
  readonly folder: string | undefined;
}

/** Calls of different agents may have the same id. */
function callOf({ tool, input, agentId }: PermissionQuestion): string {
  return digestOf([tool, input, ...(agentId === undefined ? [] : [agentId])]);
}

/** The files of a session have another folder on each machine. A place that leads out of it stays as it is. */
function withoutFolder(basis: string, folder: string): string {
  return basis.replaceAll(JSON.stringify(folder).slice(1, -1), '.');
}

function digestOf(parts: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}
