/**
 * One conversation. It owns the session, the abort controller, the denials and the bill; `submitMessage` runs one prompt
 * and ends with exactly one `result`. What the loop yields is stored before the loop is asked for its next step.
 */
import { randomUUID } from 'node:crypto';
import {
  type ContentBlock,
  type ContextPipeline,
  type ContextReport,
  type EntryBody,
  finishCalls,
  type History,
  type LoopEvent,
  type Message,
  query,
  type QueryParams,
  type Terminal,
} from '@heddle/core';
import type { PermissionDenial, SdkMessage } from '../sdk/message.ts';
import { createTranslator, type Translator } from '../sdk/translate.ts';
import { entriesOf } from '../session/codec/entries.ts';
import { JournalError } from '../session/journal/journal.ts';
import { memorySession } from '../session/open/memory.ts';
import type { Session } from '../session/open/open.ts';
import { systemClock } from './deps.ts';
import { createFileState } from './file-state.ts';
import { failedStart, initLine, type LineStamp, resultLine } from './lines.ts';
import { Meter, type Price } from './meter.ts';
import { answerOf, planOpenCalls, resultMessage } from './open-calls.ts';
import type { AgentOptions } from './options.ts';
import {
  type CommandOutcome,
  type CommandSetup,
  compactSession,
  undoCompaction,
} from '../context/commands.ts';
import { contextDoorOf } from '../context/context-door.ts';
import { headOf, paramsOf, snapshotOf } from './params.ts';
import { parserOf, StructuredOutput } from './structured-output.ts';
import { Tally } from './tally.ts';

export interface Prompt {
  readonly content: string | readonly ContentBlock[];
  /** The host's own id for it; a new one by default. */
  readonly uuid?: string;
}

/** What belongs to one prompt's run. */
interface Turn {
  readonly tally: Tally;
  readonly denials: PermissionDenial[];
  readonly translator: Translator;
  readonly structured: StructuredOutput | undefined;
}

export class QueryEngine {
  readonly sessionId: string;
  readonly #options: AgentOptions;
  readonly #session: Session;
  readonly #meter: Meter;
  readonly #fileState = createFileState();
  #context: ContextPipeline | undefined;
  readonly #now: () => number;
  readonly #uuid: () => string;
  #controller = new AbortController();
  #begun = false;
  #priceLoading: Promise<Price> | undefined;

  constructor(options: AgentOptions) {
    this.#options = options;
    this.#uuid = options.uuid ?? randomUUID;
    this.#now = (options.clock ?? systemClock).now;
    this.#session = options.session ?? memorySession(this.#uuid(), this.#now);
    this.sessionId = this.#session.id;
    this.#meter = new Meter(options.price, this.#session.bill);
  }

  /** Ends the running turn. `interrupt`: because the user sent a new message. */
  abort(reason: unknown = 'cancel'): void {
    this.#controller.abort(reason);
  }

  /** The conversation as the next request would start from it. */
  get messages(): History<Message> {
    return this.#session.projection.messages;
  }

  /** Replaces the conversation by a hand-over, on the user's word. Between two prompts only. */
  async compact(instructions?: string): Promise<CommandOutcome<{ readonly report: ContextReport }>> {
    this.#controller = new AbortController();
    const { toolUseContext } = this.#params(this.#turn());
    return compactSession(this.#commandSetup(), this.#contextDoor(), toolUseContext, instructions);
  }

  /** Puts back what the last compaction replaced. */
  undoCompaction(): CommandOutcome<{ readonly messages: number }> {
    return undoCompaction(this.#commandSetup());
  }

  async *submitMessage(prompt: string | Prompt): AsyncGenerator<SdkMessage, Terminal> {
    this.#controller = new AbortController();
    const turn = this.#turn();
    const problem = await this.#accept(typeof prompt === 'string' ? { content: prompt } : prompt);
    if (problem !== undefined) {
      yield failedStart(problem, this.#stamp());
      return { reason: 'model_error', message: problem };
    }
    yield initLine(this.#options, this.#stamp());
    const terminal = yield* this.#drive(turn);
    const unstored = this.#finish(terminal);
    const { tally, denials, structured } = turn;
    yield resultLine(
      {
        terminal,
        tally,
        denials,
        meter: this.#meter,
        now: this.#now(),
        unstored,
        structured: structured?.value,
        exhausted: structured?.exhausted === true && ENDS_IN_PEACE.has(terminal.reason),
      },
      this.#stamp(),
    );
    return terminal;
  }

  #turn(): Turn {
    const { outputSchema } = this.#options;
    return {
      tally: new Tally(this.#now()),
      denials: [],
      translator: createTranslator({ sessionId: this.sessionId, uuid: this.#uuid, now: this.#now }),
      structured: outputSchema && new StructuredOutput(outputSchema),
    };
  }

  /** Stores the prompt before anything else happens; answers with the reason where the run cannot begin. */
  async #accept({ content, uuid }: Prompt): Promise<string | undefined> {
    const { maxBudgetUsd, modelName, outputSchema } = this.#options;
    if (maxBudgetUsd !== undefined) await this.#loadPrice();
    if (maxBudgetUsd !== undefined && this.#meter.priceOf(modelName, NOTHING) === undefined) {
      return `The price of ${modelName} is unknown, so a budget in dollars cannot be kept. Leave it out, or give a price.`;
    }
    try {
      if (outputSchema) await parserOf(outputSchema);
    } catch (thrown) {
      return `The output schema makes no sense: ${thrown instanceof Error ? thrown.message : String(thrown)}`;
    }
    try {
      if (!this.#begun && !this.#session.snapshot)
        this.#store({ type: 'session', snapshot: snapshotOf(this.#options) });
      this.#begun = true;
      const stamp = { uuid: uuid ?? this.#uuid(), at: this.#now() };
      this.#store({ type: 'user', message: { type: 'user', ...stamp, content } });
      await this.#options.onAccepted?.(stamp.uuid);
      return undefined;
    } catch (thrown) {
      if (thrown instanceof JournalError) return thrown.message;
      throw thrown;
    }
  }

  async *#drive(turn: Turn): AsyncGenerator<SdkMessage, Terminal> {
    const params = this.#params(turn);
    const earlier = this.#finishEarlierCalls(params);
    let run: AsyncGenerator<LoopEvent, Terminal> | undefined;
    try {
      for await (const event of earlier) yield* this.#record(event, turn);
      // After the earlier calls have their results, so that the run starts from them.
      run = query({ ...params, messages: this.messages });
      while (true) {
        const next = await run.next();
        if (next.done) return next.value;
        yield* this.#record(next.value, turn);
        const spent = this.#spentBudget();
        if (spent) return spent;
      }
    } catch (thrown) {
      if (thrown instanceof JournalError) return { reason: 'model_error', message: thrown.message };
      throw thrown;
    } finally {
      // However this ends, nothing below runs on unobserved. After a normal end this does nothing.
      await run?.return({ reason: 'aborted_streaming' });
    }
  }

  /** What a crash left open: decided, or run again where that is harmless. */
  async *#finishEarlierCalls(params: QueryParams): AsyncGenerator<LoopEvent> {
    const { openCalls } = this.#session.projection;
    if (openCalls.length === 0) return;
    const { again, told } = await planOpenCalls(openCalls, this.#options.tools, params.toolUseContext);
    for (const { open, text, isError } of told) {
      const message = resultMessage(this.#messageStamp(), open.call.id, text, isError);
      yield { type: 'message', message, outcome: { toolUseId: open.call.id, isError } };
    }
    if (again.length > 0)
      yield* finishCalls(
        params,
        answerOf(again, () => this.#messageStamp()),
      );
  }

  async *#record(event: LoopEvent, turn: Turn): AsyncGenerator<SdkMessage> {
    const isSpending = event.type === 'answer_end' || event.type === 'spent';
    if (isSpending) await this.#loadPrice();
    const costUsd = isSpending ? this.#meter.add(event.model, event.usage) : undefined;
    for (const body of entriesOf(event, costUsd)) this.#store(body);
    turn.tally.note(event, this.#now());
    this.#options.onEvent?.(event);
    yield* turn.translator.lines(event);
  }

  /** The price list is large: it is loaded while the first answer streams, not before its request is out. */
  async #loadPrice(): Promise<void> {
    this.#priceLoading ??= this.#options.loadPrice?.();
    if (this.#priceLoading) this.#meter.setPrice(await this.#priceLoading);
  }

  #store(body: EntryBody): void {
    this.#session.journal.append(body);
    this.#session.projection.apply(body);
  }

  #spentBudget(): Terminal | undefined {
    const { maxBudgetUsd } = this.#options;
    const spentUsd = this.#meter.newCostUsd;
    if (maxBudgetUsd === undefined || spentUsd < maxBudgetUsd) return undefined;
    return { reason: 'max_budget_usd', limitUsd: maxBudgetUsd, spentUsd };
  }

  /**
   * A run that was ended from outside may leave calls without a result; the stored history must not. Answers with the
   * reason where the end could not be stored: the session is intact up to there.
   */
  #finish(terminal: Terminal): string | undefined {
    try {
      for (const { call } of this.#session.projection.openCalls) {
        const text = '<tool_use_error>The run ended before this call had a result.</tool_use_error>';
        this.#store({ type: 'outcome', toolUseId: call.id, isError: true });
        this.#store({ type: 'user', message: resultMessage(this.#messageStamp(), call.id, text, true) });
      }
      this.#store({ type: 'end', terminal });
      return undefined;
    } catch (thrown) {
      if (thrown instanceof JournalError) return thrown.message;
      throw thrown;
    }
  }

  /** One for the whole session: it remembers what was sent and decided from prompt to prompt. */
  #contextDoor(): ContextPipeline {
    return (this.#context ??= this.#newContextDoor());
  }

  #newContextDoor(): ContextPipeline {
    const { model, random, cwd, requestOptions, config, context } = this.#options;
    return contextDoorOf({
      model,
      clock: this.#options.clock ?? systemClock,
      uuid: this.#uuid,
      random: random ?? Math.random,
      sessionId: this.sessionId,
      journalPath: this.#session.journal.path,
      cwd,
      head: headOf(this.#options, this.#session),
      requestOptions,
      gates: config?.gates,
      changes: context,
      standing: this.#options.standing,
    });
  }

  #params(turn: Turn): QueryParams {
    return paramsOf(this.#options, {
      session: this.#session,
      signal: this.#controller.signal,
      fileState: this.#fileState,
      context: this.#contextDoor(),
      store: (body) => this.#store(body),
      denials: turn.denials,
      structured: turn.structured,
    });
  }

  #commandSetup(): CommandSetup {
    return { session: this.#session, store: (body) => this.#store(body) };
  }

  #stamp(): LineStamp {
    return { uuid: this.#uuid(), session_id: this.sessionId };
  }

  #messageStamp(): { uuid: string; at: number } {
    return { uuid: this.#uuid(), at: this.#now() };
  }
}

/** A run that ended so did not fail for another reason. */
const ENDS_IN_PEACE: ReadonlySet<Terminal['reason']> = new Set(['completed', 'hook_stopped']);

const NOTHING = {
  input_tokens: 0,
  output_tokens: 0,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
};
