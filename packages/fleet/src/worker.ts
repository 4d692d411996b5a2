/** A worker: takes turns from the queue, runs each with the same engine as a local session, and hands them back when it stops. */
import {
  type Agent,
  type AgentOptions,
  createAgent,
  type PermissionAnswer,
  type SdkMessage,
  type SdkResult,
  type Session,
} from '@heddle/agent';
import { errorMessage, isRecord } from '@heddle/core';
import {
  type Database,
  inTransaction,
  listen,
  openDatabase,
  retrying,
  type Transaction,
  type TurnId,
} from './database.ts';
import { LIFELINE_TIMES, type LifelineTimes, openLifeline } from './lifeline.ts';
import { LineSignals } from './line-signals.ts';
import { type FleetSession, openSession, takeOver } from './log.ts';
import { AnswerInbox } from './questions.ts';
import { openScheduler } from './scheduler/open-scheduler.ts';
import type { Scheduler } from './scheduler/scheduler.ts';
import {
  endTurn,
  enqueueNext,
  readTurn,
  refusalOf,
  requeueTurn,
  returnTurn,
  storedResult,
  type TurnRow,
} from './turns.ts';
import { openFiles, type SessionFiles, sourceOf } from './workspace/session-files.ts';

export interface WorkerSetup {
  readonly url: string;
  /** The agent of a turn: model, tools, folder. Model keys come from here, never from a table. */
  readonly agent: (turn: WorkerTurn) => Promise<WorkerAgent> | WorkerAgent;
  /** Turns at the same time. */
  readonly concurrency?: number;
  /** A question waits this long in the worker. Then the turn is parked until the answer comes. */
  readonly parkAfterMs?: number;
  /** The folder for clones and snapshots. Without it, all turns use the folder of the agent. */
  readonly workspaces?: string | undefined;
  readonly times?: Partial<LifelineTimes>;
  /** Receives one line about each turn that begins or ends here. */
  readonly log?: (text: string) => void;
  /** Called when this worker was taken for dead. The process should end. */
  readonly onLost?: () => void;
  /** Called when this worker should stop, with the time that its turns have. It may be called again. */
  readonly onDrain?: (waitMs: number) => void;
}

export interface WorkerTurn {
  readonly session: string;
  readonly n: number;
  readonly tenant: string;
  readonly options: Readonly<Record<string, unknown>>;
  /** The log of the session. The agent must use it. */
  readonly log: Session;
  readonly ask: NonNullable<AgentOptions['canUseTool']>;
  /** The folder of the session, if the worker has workspaces. The agent must use it. */
  readonly folder: string | undefined;
  /** Facts for the model, such as a move from another machine. The agent must use it. */
  readonly news: NonNullable<AgentOptions['news']>;
}

/** An agent with its release, or the options of one. */
export type WorkerAgent =
  | { readonly agent: Agent; readonly close?: () => Promise<void> }
  | { readonly options: Omit<AgentOptions, 'session' | 'canUseTool'> };

export interface Worker {
  readonly id: number;
  /** The turns that run here. */
  readonly running: number;
  /** Hands the turns back to the queue. `waitMs` lets them finish first. */
  stop(choice?: { readonly waitMs?: number }): Promise<void>;
}

const CONCURRENCY = 20;
const PARK_AFTER_MS = 300_000;

export async function startWorker(setup: WorkerSetup): Promise<Worker> {
  const { concurrency = CONCURRENCY, log = () => undefined } = setup;
  const database = openDatabase(setup.url, concurrency + 4);
  const lifeline = await openLifeline(
    database,
    { ...LIFELINE_TIMES, ...setup.times },
    { onLost: () => setup.onLost?.(), onDrain: (waitMs) => setup.onDrain?.(waitMs) },
  );
  const scheduler = await openScheduler(database, { worker: lifeline.worker, concurrency });
  const inbox = new AnswerInbox(database);
  await inbox.open();
  const signals = new LineSignals(database);
  const turns = new Map<string, TurnRun>();
  const cancels = await listen(database.url, ['heddle_cancel'], (_channel, session) =>
    turns.get(session)?.cancel(),
  );
  const queue = await scheduler.run(async (turn) => {
    const run = new TurnRun({ database, scheduler, inbox, signals, setup, worker: lifeline.worker }, turn);
    turns.set(turn.session, run);
    log(`turn ${turn.session}:${turn.n} began`);
    try {
      log(`turn ${turn.session}:${turn.n} ${await run.toEnd()}`);
    } catch (thrown) {
      log(`turn ${turn.session}:${turn.n} is queued again: ${errorMessage(thrown)}`);
      const requeue = () =>
        inTransaction(database, (tx) => requeueTurn(tx, scheduler, turn, lifeline.worker));
      await retrying(requeue).catch(() => undefined);
    } finally {
      turns.delete(turn.session);
    }
  });
  lifeline.watch(scheduler);
  const stop = async (waitMs: number): Promise<void> => {
    await queue.stop();
    const ends = Promise.all([...turns.values()].map((run) => run.ended));
    const timer = Promise.withResolvers<void>();
    const timeout = setTimeout(timer.resolve, waitMs);
    await Promise.race([ends, timer.promise]);
    clearTimeout(timeout);
    await Promise.all([...turns.values()].map((run) => run.handBack()));
    await cancels.end();
    await inbox.close();
    await queue.end();
    await signals.close();
    await lifeline.end();
    await scheduler.close();
    await database.end();
  };
  let stopping: Promise<void> | undefined;
  return {
    id: lifeline.worker,
    get running() {
      return turns.size;
    },
    // A signal and a drain may come at the same time.
    stop: ({ waitMs = 0 } = {}) => (stopping ??= stop(waitMs)),
  };
}

interface RunDeps {
  readonly database: Database;
  readonly scheduler: Scheduler;
  readonly inbox: AnswerInbox;
  readonly signals: LineSignals;
  readonly setup: WorkerSetup;
  readonly worker: number;
}

type TurnEnd = 'ended' | 'was parked' | 'was handed back' | 'was taken over';

/** One turn in this worker, from its takeover to its end. */
class TurnRun {
  readonly #deps: RunDeps;
  readonly #turn: TurnId;
  /** Undefined: the run failed. */
  readonly #done = Promise.withResolvers<TurnEnd | undefined>();
  #session: FleetSession | undefined;
  #agent: Agent | undefined;
  #workspace: SessionFiles | undefined;
  #isCanceled = false;
  /** Set if the turn leaves this worker before its end. */
  #leaves: Exclude<TurnEnd, 'ended'> | undefined;

  constructor(deps: RunDeps, turn: TurnId) {
    this.#deps = deps;
    this.#turn = turn;
  }

  get ended(): Promise<unknown> {
    return this.#done.promise;
  }

  cancel(): void {
    this.#isCanceled = true;
    this.#agent?.abort('cancel');
  }

  /** Stores nothing more, and returns the turn to the queue unless it has ended, is parked or was taken over. */
  async handBack(): Promise<void> {
    this.#leave('was handed back');
    if ((await this.#done.promise) !== 'was handed back') return;
    await this.#workspace?.save();
    const { database, scheduler, worker } = this.#deps;
    await retrying(() => inTransaction(database, (tx) => returnTurn(tx, scheduler, this.#turn, worker)));
  }

  async toEnd(): Promise<TurnEnd> {
    let end: TurnEnd | undefined;
    try {
      end = await this.#run();
    } catch (thrown) {
      // The frozen journal rejects what the run still stores.
      if (this.#leaves !== 'was handed back') throw thrown;
      end = 'was handed back';
    } finally {
      this.#done.resolve(end);
    }
    return end;
  }

  #leave(why: Exclude<TurnEnd, 'ended'>): void {
    this.#leaves ??= why;
    this.#session?.writer.freeze(`The turn ${why}.`);
    this.#agent?.abort('cancel');
  }

  async #run(): Promise<TurnEnd> {
    const { database, scheduler, signals, worker } = this.#deps;
    const turn = await retrying(() => readTurn(database, this.#turn));
    if (!turn || turn.state !== 'running' || turn.worker !== worker) return 'was taken over';
    if (turn.cancel) this.#isCanceled = true;
    const session = await retrying(async () =>
      openSession(database, {
        turn: this.#turn,
        tenant: turn.tenant,
        seq: await takeOver(database, this.#turn, worker),
        frame: { cwd: process.cwd(), version: '0' },
        onStored: () => signals.note(this.#turn.session),
        onLost: () => this.#leave('was taken over'),
      }),
    );
    this.#session = session;
    signals.note(this.#turn.session);
    const hasEnd = session.turnEntries.some(({ type }) => type === 'end');
    const refusal = hasEnd ? undefined : refusalOf(turn, session.turnEntries.length > 0);
    let result: object = hasEnd ? storedResult(session.turnEntries) : { errors: [refusal] };
    if (!hasEnd && refusal === undefined && !this.#leaves) {
      const made = await this.#makeAgent(session, turn);
      if ('problem' in made) result = { errors: [made.problem] };
      else {
        this.#agent = made.agent;
        try {
          result = (await this.#consume(made.agent, turn)) ?? result;
          if (!this.#leaves) await session.writer.settle();
          if (!this.#leaves) await this.#workspace?.save();
        } finally {
          await made.close?.();
        }
      }
    }
    if (this.#leaves) return this.#leaves;
    const end = (): Promise<void> =>
      inTransaction(database, async (tx) => {
        await endTurn(tx, this.#turn, result);
        await enqueueNext(tx, scheduler, this.#turn.session);
      });
    await retrying(end);
    signals.note(this.#turn.session);
    return 'ended';
  }

  /** A worker that cannot make the agent, for example without a model, ends the turn with the reason. */
  async #makeAgent(
    session: FleetSession,
    { session: id, n, tenant, options }: TurnRow,
  ): Promise<{ agent: Agent; close?: () => Promise<void> } | { problem: string }> {
    const ask: WorkerTurn['ask'] = (question, signal) => this.#ask(question, signal);
    const { database, worker, setup } = this.#deps;
    const { workspaces: root } = setup;
    try {
      if (root !== undefined)
        this.#workspace = await openFiles(
          { database, worker, root, turn: this.#turn, ...sourceOf(options) },
          () => session.writer.storedSeq,
          setup.log ?? (() => undefined),
        );
      const { folder, news = () => [] } = this.#workspace ?? {};
      const made = await setup.agent({ session: id, n, tenant, options, log: session, ask, folder, news });
      if ('agent' in made) return made;
      const place = folder === undefined ? {} : { cwd: folder };
      const { subagents } = made.options;
      const agent = createAgent({
        ...made.options,
        ...place,
        session,
        canUseTool: ask,
        news,
        // A turn ends with everything that it started.
        subagents: subagents && { ...subagents, waitsForAll: true },
      });
      return { agent, close: () => agent.endSubagents() };
    } catch (thrown) {
      return { problem: `The agent could not be started: ${errorMessage(thrown)}` };
    }
  }

  /** Submits the prompt, or continues it if the log contains it. */
  async #consume(agent: Agent, turn: TurnRow): Promise<SdkResult | undefined> {
    const isStored = this.#session?.turnEntries.some(({ type }) => type === 'user');
    const { prompt, message_uuid: uuid } = turn;
    const lines: AsyncIterable<SdkMessage> = isStored
      ? agent.continue()
      : agent.submit({ content: isRecord(prompt) ? String(prompt['text']) : '', uuid, verbatim: true });
    let result: SdkResult | undefined;
    for await (const line of lines) {
      // The signal of a run exists from its first line on.
      if (this.#isCanceled || this.#leaves) agent.abort('cancel');
      if (line.type === 'user') this.#workspace?.saveSoon();
      if (line.type === 'result') result = line;
    }
    return result;
  }

  async #ask(question: Parameters<WorkerTurn['ask']>[0], signal: AbortSignal): Promise<PermissionAnswer> {
    const { inbox, setup } = this.#deps;
    const answer = await inbox.ask(
      { turn: this.#turn, folder: this.#workspace?.folder },
      question,
      signal,
      setup.parkAfterMs ?? PARK_AFTER_MS,
    );
    if (answer) return answer;
    if (!signal.aborted) await this.#park();
    return { allow: false, message: 'The turn waits for an answer.' };
  }

  /** The worker is free again. The answer queues the turn. */
  async #park(): Promise<void> {
    const { database, scheduler } = this.#deps;
    await this.#session?.writer.settle();
    await this.#workspace?.save();
    this.#leave('was parked');
    const { session, n } = this.#turn;
    const park = async (tx: Transaction): Promise<void> => {
      await tx.query(
        `update heddle.turn set state = 'parked', worker = null where session = $1 and n = $2 and state = 'running'`,
        [session, n],
      );
      // An answer may have come while the turn was being parked.
      const { rows } = await tx.query<{ open: number }>(
        'select count(*)::int as open from heddle.question where session = $1 and turn = $2 and answer is null',
        [session, n],
      );
      if (rows[0]?.open === 0) await scheduler.enqueue(tx, this.#turn);
    };
    await retrying(() => inTransaction(database, park));
  }
}
