/** Statements about turns: reading one, ending one, and choosing the next one of a session. */
import { type Entry, isRecord, textOf } from '@heddle/core';
import type { Database, Queries, Transaction, TurnId } from './database.ts';
import type { Scheduler } from './scheduler/scheduler.ts';

export interface TurnRow {
  readonly session: string;
  readonly n: number;
  readonly tenant: string;
  readonly state: string;
  readonly worker: number | null;
  readonly prompt: unknown;
  readonly message_uuid: string;
  readonly cancel: boolean;
  readonly takeovers: number;
  readonly idle_takeovers: number;
  readonly options: Readonly<Record<string, unknown>>;
  readonly budget_usd: number | null;
  readonly spent_usd: number;
}

export async function readTurn({ pool }: Database, { session, n }: TurnId): Promise<TurnRow | undefined> {
  const { rows } = await pool.query<TurnRow>(
    `select t.session, t.n, t.tenant, t.state, t.worker, t.prompt, t.message_uuid, t.cancel, t.takeovers,
       t.idle_takeovers, s.options, tenant.budget_usd, tenant.spent_usd
     from heddle.turn t join heddle.session s on s.id = t.session join heddle.tenant on tenant.id = t.tenant
     where t.session = $1 and t.n = $2`,
    [session, n],
  );
  return rows[0];
}

/** A turn that kills its workers ends after so many takeovers, or so many in a row without a new entry. */
const MAX_TAKEOVERS = 20;
const MAX_IDLE_TAKEOVERS = 5;

/** Returns why a turn is not run. */
export function refusalOf(turn: TurnRow, hasBegun: boolean): string | undefined {
  const { takeovers, idle_takeovers: idle, budget_usd: budget, spent_usd: spent, tenant } = turn;
  if (turn.cancel && !hasBegun) return 'The turn was canceled before it began.';
  if (takeovers >= MAX_TAKEOVERS || idle >= MAX_IDLE_TAKEOVERS)
    return `The turn was stopped: its worker died ${takeovers} times.`;
  if (budget !== null && spent >= budget)
    return `The budget of the tenant ${tenant} is used up: $${spent.toFixed(4)} of $${budget}.`;
  return undefined;
}

export async function endTurn(tx: Queries, { session, n }: TurnId, result: unknown): Promise<void> {
  await tx.query(
    `update heddle.turn set state = 'done', worker = null, ended = now(), result = $3
     where session = $1 and n = $2 and state <> 'done'`,
    [session, n, JSON.stringify(result)],
  );
}

/** Returns a turn that failed in its worker to the queue. Counts as a takeover, so that a turn that always fails ends. */
export const requeueTurn = enqueueIf(
  `update heddle.turn set takeovers = takeovers + 1
   where session = $1 and n = $2 and worker = $3 and state = 'running'`,
);

/** Returns a turn that still belongs to its worker to the queue, uncounted. */
export const returnTurn = enqueueIf(
  `select 1 from heddle.turn where session = $1 and n = $2 and worker = $3 and state = 'running' for update`,
);

/** Puts the turn into the queue if the statement finds it with its worker. */
function enqueueIf(statement: string) {
  return async (tx: Transaction, scheduler: Scheduler, turn: TurnId, worker: number): Promise<void> => {
    const { rowCount } = await tx.query(statement, [turn.session, turn.n, worker]);
    if (rowCount === 1) await scheduler.enqueue(tx, turn);
  };
}

/** The turns of a session run one after another. */
export async function enqueueNext(tx: Transaction, scheduler: Scheduler, session: string): Promise<void> {
  const { rows } = await tx.query<{ n: number }>(
    `select n from heddle.turn where session = $1 and state = 'waiting' order by n limit 1 for update`,
    [session],
  );
  const [next] = rows;
  if (next) await scheduler.enqueue(tx, { session, n: next.n });
}

/** The result of a turn whose worker died between its last entry and its end. */
export function storedResult(entries: readonly Entry[]): object {
  const answer = entries.findLast(
    (entry) => entry.type === 'assistant' && textOf(entry.message.content) !== '',
  );
  return { type: 'result', result: answer?.type === 'assistant' ? textOf(answer.message.content) : '' };
}

/** The result of a turn as one text, for people. */
export function resultText(result: unknown): string {
  if (!isRecord(result)) return '';
  if (typeof result['result'] === 'string') return result['result'];
  const { errors } = result;
  return Array.isArray(errors) ? errors.join(' ') : '';
}
