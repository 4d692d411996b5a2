/**
 * The work of one session that no run waits for: suggestions, memory, sentences about tool calls. It also owns the resources that
 * tools hold until the turn ends.
 */
import {
  type Attachment,
  type CacheSafeParams,
  type Clock,
  type MessageHistory,
  type QueryDeps,
  type Spent,
  textOf,
} from '@heddle/core';
import { plainModelName, smallModelBeside, systemClock } from '@heddle/models';
import { BackgroundWork, nextTask, TurnResources } from './background-work.ts';
import { Fork, type ForkAnswer, type SmallQuestion } from '../fork/fork.ts';
import { MemoryFolder } from '../memory/memory-folder.ts';
import type { SdkMessage } from '../sdk/message.ts';
import type { CostTracker } from '../cost/cost-tracker.ts';
import { entriesOf } from '../session/codec/entries.ts';
import { errorSentence, type LineStamp } from './lines.ts';
import type { AgentOptions } from './options.ts';
import { type SessionLog, storedOutcome } from './session-log.ts';

/** The limits of each kind of work, in milliseconds. */
const LIMITS = {
  suggestion: 30_000,
  extraction: 120_000,
  consolidation: 300_000,
  prefetch: 30_000,
} as const;

/** How long the end of a program waits for memory that is being extracted. */
const DRAIN_MS = 15_000;

interface SessionBackgroundSetup extends SessionForkSetup {
  readonly stamp: () => LineStamp;
}

export class SessionBackground {
  readonly questions: SessionFork;
  readonly resources: TurnResources;
  readonly #setup: SessionBackgroundSetup;
  readonly #clock: Clock;
  readonly #work: BackgroundWork;
  /** Lines that wait for the result of the running prompt. */
  #lines: SdkMessage[] = [];
  #isRunning = false;
  /** Relevant memories that no request contains yet. */
  #memories: readonly Attachment[] = [];
  /** A turn ended while the extraction of an earlier one was running. */
  #extractsAgain = false;

  constructor(setup: SessionBackgroundSetup) {
    this.#setup = setup;
    this.questions = new SessionFork(setup);
    this.#clock = setup.options().clock ?? systemClock;
    this.#work = new BackgroundWork(this.#clock);
    this.resources = new TurnResources(this.#clock);
  }

  get fork(): Fork {
    return this.questions.fork;
  }

  /** A suggestion for an earlier prompt is no longer useful. */
  promptStarted(): void {
    this.#isRunning = true;
    this.#lines = [];
    this.#memories = [];
    this.#work.cancel('suggestion');
    this.#work.cancel('prefetch');
  }

  /** Emits the lines that belong behind the result. */
  promptEnded(): void {
    this.#isRunning = false;
    for (const line of this.#lines.splice(0)) this.#setup.options().onLine?.(line);
  }

  suggest(): void {
    this.#lines = [];
    if (this.#setup.options().promptSuggestions !== true) return;
    this.#work.start('suggestion', LIMITS.suggestion, async (signal) => {
      const { suggestPrompt } = await import('../fork/short-texts.ts');
      const suggestion = await suggestPrompt(this.fork, signal);
      if (suggestion === undefined || signal.aborted) return;
      this.#emit({ type: 'prompt_suggestion', ...this.#setup.stamp(), suggestion });
    });
  }

  /** One extraction runs at a time. The last turn is always covered. */
  extract(): void {
    const folder = this.#setup.options().memory;
    if (folder === undefined) return;
    this.#extractsAgain = this.#work.isRunning('extraction');
    if (this.#extractsAgain) return;
    this.#work.start('extraction', LIMITS.extraction, async (signal) => {
      const { extractMemories } = await import('../memory/memory-work.ts');
      do {
        this.#extractsAgain = false;
        await extractMemories(new MemoryFolder(folder), this.fork, signal);
      } while (this.#extractsAgain && !signal.aborted);
    });
  }

  consolidate(): void {
    const folder = this.#setup.options().memory;
    if (folder === undefined || this.#work.isRunning('consolidation')) return;
    this.#work.start('consolidation', LIMITS.consolidation, async (signal) => {
      const { consolidateMemories, CONSOLIDATION_RHYTHM } = await import('../memory/memory-work.ts');
      const sessionId = this.#setup.stamp().session_id;
      const now = this.#clock.now();
      const about = { sessionId, now, rhythm: CONSOLIDATION_RHYTHM, signal };
      await consolidateMemories(new MemoryFolder(folder), this.fork, about);
    });
  }

  /** Looks for memories that matter for the prompt, once in each run of the main thread. */
  prefetch(messages: MessageHistory): void {
    const { memory, bare } = this.#setup.options();
    if (memory === undefined || bare) return;
    const all = messages.since(0);
    const prompt = all.findLast((message) => message.type === 'user' && message.isMeta !== true);
    if (prompt?.type !== 'user') return;
    const text = typeof prompt.content === 'string' ? prompt.content : textOf(prompt.content);
    const known = new Set(
      all.flatMap((message) =>
        message.type === 'attachment' && message.attachment.kind === 'memory'
          ? [message.attachment.path]
          : [],
      ),
    );
    this.#work.start('prefetch', LIMITS.prefetch, async (signal) => {
      const { selectMemories } = await import('../memory/memory-work.ts');
      const found = await selectMemories(new MemoryFolder(memory), this.fork, {
        prompt: text,
        known,
        signal,
      });
      if (!signal.aborted) this.#memories = found;
    });
  }

  /** Takes the memories that are ready. */
  takeMemories(): readonly Attachment[] {
    const memories = this.#memories;
    this.#memories = [];
    return memories;
  }

  readonly describeCalls: QueryDeps['summarizeTools'] = async (calls, signal) => {
    await nextTask();
    const { describeCalls } = await import('../fork/short-texts.ts');
    return describeCalls(this.fork, calls, signal);
  };

  /** Waits for memory and a suggestion, and ends all other work. For the end of a program. */
  settle(limitMs: number = DRAIN_MS): Promise<void> {
    return this.#work.settle(['suggestion', 'extraction', 'consolidation'], limitMs);
  }

  #emit(line: SdkMessage): void {
    if (this.#isRunning) this.#lines.push(line);
    else this.#setup.options().onLine?.(line);
  }
}

interface SessionForkSetup {
  /** Returns the current options of the engine. */
  readonly options: () => AgentOptions;
  readonly log: SessionLog;
  readonly costs: CostTracker;
  /** The request that the next run would start with. */
  readonly nextRequest: () => CacheSafeParams;
}

/** Side questions of one session: the fork of its conversation, its budget, and the entries about their costs. */
class SessionFork {
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
