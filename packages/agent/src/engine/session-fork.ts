/** Side questions of one session: the fork of its conversation, its budget, and the entries about their costs. */
import type { CacheSafeParams, Spent } from '@heddle/core';
import { plainModelName, smallModelBeside, systemClock } from '@heddle/models';
import type { CostTracker } from '../cost/cost-tracker.ts';
import { Fork, type ForkAnswer, type SmallQuestion } from '../fork/fork.ts';
import { entriesOf } from '../session/codec/entries.ts';
import { errorSentence } from './lines.ts';
import type { AgentOptions } from './options.ts';
import { type SessionLog, storedOutcome } from './session-log.ts';

export interface SessionForkSetup {
  /** Returns the current options of the engine. */
  readonly options: () => AgentOptions;
  readonly log: SessionLog;
  readonly costs: CostTracker;
  /** The request that the next run would start with. */
  readonly nextRequest: () => CacheSafeParams;
}

export class SessionFork {
  readonly #setup: SessionForkSetup;
  readonly fork: Fork;
  /** Ends the open questions of the user. */
  #open = new AbortController();

  constructor(setup: SessionForkSetup) {
    this.#setup = setup;
    const { options, log, costs } = setup;
    this.fork = new Fork({
      model: () => costs.withPriceLoading(options().model),
      clock: options().clock ?? systemClock,
      random: options().random ?? Math.random,
      messages: () => log.messages,
      nextRequest: setup.nextRequest,
      smallModel: () => smallModelBeside(options().modelName, options().smallModel, process.env),
      objection: async (models) => (costs.spent ? errorSentence(costs.spent) : costs.objection(models)),
      bill: (spent) => this.bill(spent),
    });
  }

  /** Asks a question of the user. It outlasts the run beside which it was asked. */
  ask(question: string): Promise<ForkAnswer> {
    if (this.#open.signal.aborted) this.#open = new AbortController();
    return this.fork.askForUser(question, this.#open.signal);
  }

  /** Asks the small model, or another one by any spelling of its name. */
  askSmall({ model, ...question }: SmallQuestion): Promise<ForkAnswer> {
    const name = model === undefined ? undefined : plainModelName(model, process.env);
    return this.fork.askSmall({ ...question, model: name });
  }

  abort(reason: unknown): void {
    this.#open.abort(reason);
  }

  /** A cost that cannot be stored still counts in this process. */
  async bill(spent: Spent): Promise<void> {
    const { options, log, costs } = this.#setup;
    const event = { type: 'spent', ...spent } as const;
    const cost = await costs.take(event);
    if (log.hasBegun)
      storedOutcome(() => {
        for (const body of entriesOf(event, cost)) log.store(body);
        return { ok: true };
      });
    options().onEvent?.(event);
  }
}
