/**
 * Runs the prompts of a session: stores each one, drives the loop, and turns its events into lines for the consumer. Each event is
 * stored before the loop is asked for its next step.
 */
import {
  type Attachment,
  errorMessage,
  type FileStateCache,
  lineageOf,
  type LoopEvent,
  type PermissionMode,
  query,
  type QueryParams,
  type ResumePoint,
  type SessionState,
  type Terminal,
  omitUndefined,
} from '@heddle/core';
import { admitMedia } from '../context/admit-media.ts';
import { COMPACTION_FORBIDDEN, compactOnDemand, type CompactOutcome } from '../context/commands.ts';
import type { CostTracker } from '../cost/cost-tracker.ts';
import { DATE, dateNote } from '../prompt/session-context.ts';
import type { SdkMessage } from '../sdk/message.ts';
import { replayLine } from '../sdk/translate.ts';
import { entriesOf } from '../session/codec/entries.ts';
import { JournalError } from '../session/journal/journal.ts';
import type { Session } from '../session/open/open.ts';
import { loadSchema } from '../tool-input.ts';
import type { PromptQueue } from './prompt-queue.ts';
import {
  countEarlier,
  type CutOffPrompt,
  earlierCostUsd,
  findCutOffPrompt,
  NOTHING_TO_CONTINUE,
} from './continue-run.ts';
import { denialLines } from './denials.ts';
import {
  commandResult,
  endOf,
  type EndOfRun,
  errorSentence,
  failedStart,
  initLine,
  type LineStamp,
  resultLine,
} from './lines.ts';
import { endRunningCalls, finishOpenCalls, reportUncertainCalls } from './open-calls.ts';
import type { AgentOptions } from './options.ts';
import { paramsOf } from './params.ts';
import { liveOf, workingFoldersOf } from './permission.ts';
import { blockedPromptLines, preparePrompt, type PreparedPrompt, type Prompt } from './prompt-hook.ts';
import { newPromptRun, type PromptRun } from './prompt-run.ts';
import type { RequestSources } from './request-sources.ts';
import type { SessionBackground } from './session-background.ts';
import {
  isRefusedBySystem,
  type MessageStamp,
  type SessionLog,
  synthetic,
  terminalOf,
} from './session-log.ts';
import { promptNotes } from './session-state.ts';

export interface PromptRunnerDeps {
  readonly session: Session;
  readonly log: SessionLog;
  readonly costs: CostTracker;
  readonly sources: RequestSources;
  readonly queue: PromptQueue;
  readonly background: SessionBackground;
  /** The files that the model has read. */
  readonly fileState: FileStateCache;
  readonly uuid: () => string;
  readonly now: () => number;
  /** Returns the current options of the engine. */
  readonly options: () => AgentOptions;
  readonly stamp: () => LineStamp;
  readonly messageStamp: () => MessageStamp;
}

export class PromptRunner {
  readonly #deps: PromptRunnerDeps;
  #controller = new AbortController();
  #factsLoaded: Promise<void> | undefined;
  /** Errors of observers that no line contains yet. */
  #observerErrors: string[] = [];
  readonly #reportedErrors = new Set<string>();
  /** The mode in the context of the running loop. */
  #loopMode: PermissionMode = 'default';
  /** A prompt or a compaction is running. */
  isBusy = false;

  constructor(deps: PromptRunnerDeps) {
    this.#deps = deps;
  }

  /** Called before the first line is yielded, because its reader may abort at once. */
  start(): void {
    this.isBusy = true;
    this.#controller = new AbortController();
    this.#deps.background.promptStarted();
  }

  end(): void {
    this.isBusy = false;
    this.#deps.background.promptEnded();
    this.#options().onPromptEnd?.();
  }

  /** Ends the running turn, or between two prompts the open side questions. */
  abort(reason: unknown): void {
    if (!this.isBusy) this.#deps.background.questions.abort(reason);
    this.#controller.abort(reason);
  }

  get permissionMode(): PermissionMode {
    return liveOf(this.#options()).mode ?? this.#deps.log.mode;
  }

  /** Runs one prompt. The last line is its result. */
  async *answer(prompt: Prompt): AsyncGenerator<SdkMessage, Terminal> {
    const { costs, fileState, session, stamp } = this.#deps;
    const run = this.newRun();
    const { uuid = this.#deps.uuid(), carries = [] } = prompt;
    const { signal } = this.#controller;
    const prepared = await preparePrompt(this.#options(), prompt, { signal, fileState });
    const { block, content } = prepared;
    if (block !== undefined) {
      yield* blockedPromptLines(block, failedStart(block, stamp(), costs.spending), stamp());
      return { reason: 'hook_stopped', hook: 'UserPromptSubmit', message: block };
    }
    const problem = await this.#accept({ ...prepared, uuid, carries });
    if (problem !== undefined) return yield* this.refuse(problem);
    yield this.#initLine();
    if (this.#options().replayUserMessages) yield replayLine(content, { uuid, session_id: session.id });
    const terminal = yield* this.#drive(run);
    this.#deps.queue.promptEnded(uuid);
    return yield* this.#finish(run, terminal);
  }

  /** Continues the prompt that was cut off, without a new one. Its result covers the whole run. */
  async *continued(): AsyncGenerator<SdkMessage, Terminal> {
    const { session, costs } = this.#deps;
    await this.loadFacts();
    const objection = await costs.objection();
    if (objection !== undefined) return yield* this.refuse(objection);
    const cutOff = findCutOffPrompt(session, this.params(this.newRun()));
    if (!cutOff) return yield* this.refuse(NOTHING_TO_CONTINUE);
    const run = this.newRun(cutOff.entries[0]?.at);
    if (cutOff.kind === 'open') this.#deps.log.setTurnModel(cutOff.point.turnModel, this.#options().cwd);
    countEarlier(run.counts, cutOff.entries);
    costs.continueAfter(earlierCostUsd(cutOff.entries));
    yield this.#initLine();
    if (cutOff.kind === 'stopped') return yield* this.#finish(run, cutOff.terminal);
    await this.#options().onContinue?.(cutOff.entries);
    return yield* this.#finish(run, yield* this.#drive(run, cutOff));
  }

  /** The prompt cannot start. */
  async *refuse(message: string): AsyncGenerator<SdkMessage, Terminal> {
    yield failedStart(message, this.#deps.stamp(), this.#deps.costs.spending);
    return { reason: 'model_error', message };
  }

  /** `/compact` as a prompt. It has a first line and one result like every prompt, but no run. */
  async *compactTurn(instructions: string): AsyncGenerator<SdkMessage, Terminal> {
    const run = this.newRun();
    yield this.#initLine();
    const outcome = yield* this.compaction(run, instructions);
    const terminal = terminalOf(outcome);
    if (!outcome.ok && outcome.reason === 'nothing to do')
      yield* run.translator.lines(synthetic(outcome.message, this.#deps.messageStamp()));
    yield commandResult('compact', this.#endOf(run, terminal), this.#deps.stamp());
    return terminal;
  }

  /** Stores and charges every step like a step of a run. */
  async *compaction(run: PromptRun, instructions?: string): AsyncGenerator<SdkMessage, CompactOutcome> {
    const { costs, log, session, sources } = this.#deps;
    try {
      await this.loadFacts();
      const { toolUseContext: context, deps } = this.params(run);
      const isForbidden = this.#options().compaction?.isForbidden === true;
      const { messages } = log;
      const lineage = lineageOf(session.projection);
      const forbidden =
        (costs.spent && errorSentence(costs.spent)) ?? (isForbidden ? COMPACTION_FORBIDDEN : undefined);
      const setup = { messages, port: sources.context, context, clock: deps.clock, lineage, forbidden };
      const steps = compactOnDemand(setup, instructions);
      let next = await steps.next();
      for (; !next.done; next = await steps.next()) yield* this.#record(next.value, run);
      return next.value;
    } catch (thrown) {
      if (thrown instanceof JournalError) return { ok: false, reason: 'failed', message: thrown.message };
      throw thrown;
    }
  }

  async *#finish(run: PromptRun, terminal: Terminal): AsyncGenerator<SdkMessage, Terminal> {
    const unstored = await this.#deps.log.finish(terminal);
    yield resultLine(this.#endOf(run, terminal, unstored), this.#deps.stamp());
    return terminal;
  }

  /** Stores the prompt before anything else happens. Returns the reason if the run cannot start. */
  async #accept({
    content,
    context,
    files,
    uuid,
    carries,
    turnModel,
    usedCommand,
  }: PreparedPrompt & Required<Pick<Prompt, 'uuid' | 'carries'>>): Promise<string | undefined> {
    const { costs, log, now, queue, sources } = this.#deps;
    const { outputSchema, onAccepted } = this.#options();
    const objection = await costs.objection();
    if (objection !== undefined) return objection;
    // A new conversation fits into every window.
    if (log.messages.length > 0) await this.loadFacts();
    try {
      if (outputSchema) await loadSchema(outputSchema);
    } catch (thrown) {
      return `The output schema is invalid: ${errorMessage(thrown)}`;
    }
    const admitted = await admitMedia(content, this.#controller.signal);
    try {
      log.begin(sources.head);
      const stamp = { uuid, at: now() };
      const used = omitUndefined({ usedCommand });
      log.store({ type: 'user', message: { type: 'user', ...stamp, content: admitted, ...used } });
      log.setTurnModel(turnModel, this.#options().cwd);
      if (turnModel && log.state) log.store({ type: 'stance', stance: log.state });
      this.#attachNotes(stamp.at, context);
      for (const joining of [...files, ...queue.promptStarted(uuid, carries)]) this.#attach(joining);
      await log.stored();
      await onAccepted?.(stamp.uuid);
      return undefined;
    } catch (thrown) {
      // Files that the host keeps beside the journal can fail on a full disk, too.
      if (thrown instanceof JournalError || isRefusedBySystem(thrown)) return thrown.message;
      throw thrown;
    }
  }

  /** Attaches the notes that join a prompt. */
  #attachNotes(now: number, hookContext: string | undefined): void {
    const { log, sources } = this.#deps;
    const { state, notes } = promptNotes(this.#options(), {
      state: log.state,
      folders: workingFoldersOf(this.#options()),
      isPlanning: this.permissionMode === 'plan',
      dates: dateNote(sources.head.userContext[DATE], log.messages, now),
      hookContext,
    });
    if (state) log.store({ type: 'stance', stance: (log.state = state) });
    for (const note of notes) this.#attach(note);
  }

  #attach(attachment: Attachment): void {
    const message = { type: 'attachment' as const, ...this.#deps.messageStamp(), attachment };
    this.#deps.log.store({ type: 'attachment', message });
    this.#notifyObserver({ type: 'message', message });
  }

  /** A prompt that was cut off continues at its point. A new prompt closes the calls of the one before. */
  async *#drive(
    run: PromptRun,
    cutOff?: Extract<CutOffPrompt, { kind: 'open' }>,
  ): AsyncGenerator<SdkMessage, Terminal> {
    const { session, log, sources, costs, background } = this.#deps;
    let loop: AsyncGenerator<LoopEvent, Terminal> | undefined;
    let closing: ReturnType<typeof finishOpenCalls> | undefined;
    let isAbandoned = true;
    try {
      log.begin(sources.head);
      if (cutOff && cutOff.retracted.length > 0)
        yield* this.#record({ type: 'tombstone', uuids: cutOff.retracted }, run);
      const close = cutOff ? reportUncertainCalls : finishOpenCalls;
      const params = this.params(run);
      this.#loopMode = params.toolUseContext.permissionMode;
      closing = close(params, session.projection.openCalls, () => this.#deps.messageStamp());
      let step = await closing.next();
      for (; !step.done; step = await closing.next()) yield* this.#record(step.value, run);
      if (step.value) return { reason: 'hook_stopped', ...step.value };
      // The loop starts from the results of the earlier calls.
      const rest = this.params(run, cutOff?.point);
      this.#loopMode = rest.toolUseContext.permissionMode;
      loop = query(rest);
      let end: Terminal | undefined;
      while (!end) {
        const next = await loop.next();
        if (!next.done) yield* this.#record(next.value, run);
        end = next.done ? next.value : costs.spent;
        if (end && !next.done) {
          const rest = endRunningCalls(loop, session.projection, () => this.abort('budget'));
          for await (const event of rest) yield* this.#record(event, run);
        }
      }
      isAbandoned = false;
      return end;
    } catch (thrown) {
      isAbandoned = false;
      if (thrown instanceof JournalError) return { reason: 'model_error', message: thrown.message };
      throw thrown;
    } finally {
      // Nothing may continue unobserved. After a normal end this does nothing.
      await closing?.return(undefined);
      if (isAbandoned && loop) await this.#storeRest(loop, run);
      await loop?.return({ reason: 'aborted_streaming' });
      await background.resources.releaseAll();
    }
  }

  /** A host that stops reading interrupts the loop. Its partial answer and the ends of its calls are stored as after an abort. */
  async #storeRest(loop: AsyncGenerator<LoopEvent, Terminal>, run: PromptRun): Promise<void> {
    this.abort('cancel');
    try {
      let next = await loop.next();
      for (; !next.done; next = await loop.next()) for await (const _unread of this.#record(next.value, run));
      await this.#deps.log.finish(next.value);
    } catch (thrown) {
      if (!(thrown instanceof JournalError)) throw thrown;
    }
  }

  async *#record(given: LoopEvent, run: PromptRun): AsyncGenerator<SdkMessage> {
    const { log, costs, stamp } = this.#deps;
    const event = given.type === 'stance' ? { ...given, stance: this.#withCurrentMode(given.stance) } : given;
    const taking = costs.take(event);
    for (const body of entriesOf(event, taking && (await taking))) log.store(body);
    const stored = log.stored();
    if (stored) await stored;
    if (event.type === 'stance') this.#applyState(event.stance);
    if (given.type === 'stance') this.#loopMode = given.stance.permissionMode;
    run.counts.note(event, this.#deps.now());
    this.#notifyObserver(event);
    for (const error of this.#observerErrors.splice(0)) yield observerLine(error, stamp());
    const denial = run.denials.observe(event);
    if (denial) {
      const { tool_name: tool, tool_use_id: toolUseId, tool_input: input, message: reason } = denial;
      this.#options().hooks?.permissionDenied?.({ tool, toolUseId, input, reason });
      yield* denialLines(denial, stamp());
    }
    yield* run.translator.lines(event);
  }

  /** An observer that throws cannot end the run. Each of its errors is reported once. */
  #notifyObserver(event: LoopEvent): void {
    try {
      this.#options().onEvent?.(event);
    } catch (thrown) {
      const error = errorMessage(thrown);
      if (!this.#reportedErrors.has(error)) this.#observerErrors.push(error);
      this.#reportedErrors.add(error);
    }
  }

  /**
   * Returns the state that calls of the loop left, with the mode of the session. The loop knows the mode at its start, and the
   * changes of its own tools (a plan started or ended). The user may have changed the mode since. The newest change counts.
   */
  #withCurrentMode(state: SessionState): SessionState {
    const isChangedByTool = state.permissionMode !== this.#loopMode;
    return isChangedByTool ? state : { ...state, permissionMode: this.#deps.log.mode };
  }

  #applyState(state: SessionState): void {
    const { permissionMode: mode } = state;
    // The mode of a subagent follows from its parent, and never changes it.
    if (mode !== this.#deps.log.mode && !this.#options().identity) liveOf(this.#options()).enter(mode);
    this.#deps.log.state = state;
  }

  /** Without its facts, the model is used with the defaults. */
  async loadFacts(): Promise<void> {
    this.#factsLoaded ??= this.#options()
      .loadFacts?.()
      .catch(() => undefined);
    await this.#factsLoaded;
  }

  /** The facts of another model are loaded when they are needed. */
  forgetFacts(): void {
    this.#factsLoaded = undefined;
  }

  #endOf(run: PromptRun, terminal: Terminal, unstored?: string): EndOfRun {
    return endOf(run, { terminal, spending: this.#deps.costs.spending, now: this.#deps.now(), unstored });
  }

  newRun(startedAt?: number): PromptRun {
    const { session, uuid, now } = this.#deps;
    return newPromptRun(this.#options(), {
      sessionId: session.id,
      uuid,
      now,
      startedAt,
    });
  }

  params(run: PromptRun, resume?: ResumePoint): QueryParams {
    const { background, costs, fileState, log, now, queue, session, sources } = this.#deps;
    return paramsOf(this.#options(), {
      resume,
      model: costs.withPriceLoading(this.#options().model),
      session,
      head: sources.head,
      signal: this.#controller.signal,
      fileState,
      state: log.state,
      context: sources.context,
      store: log.store,
      stored: log.stored,
      answering: () => log.noteFirstRecord(now()),
      denials: run.denials,
      structured: run.structured,
      background,
      takeRestored: (agentId) => queue.takeRestored(agentId),
    });
  }

  #options(): AgentOptions {
    return this.#deps.options();
  }

  /** Tools and hosts may have changed the mode since the start. */
  #initLine(): SdkMessage {
    return initLine({ ...this.#options(), permissionMode: this.permissionMode }, this.#deps.stamp());
  }
}

function observerLine(error: string, stamp: LineStamp): SdkMessage {
  const content = `An observer of the run failed: ${error}`;
  return { type: 'system', subtype: 'informational', ...stamp, content, level: 'warning' };
}
