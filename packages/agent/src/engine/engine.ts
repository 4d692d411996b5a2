/**
 * One conversation: its session, abort controller, denials and costs. `submitMessage` runs one prompt and ends with one `result`.
 * Each event of the loop is stored before the loop is asked for its next step. */
import type { ContextUsage } from '@heddle/context';
import {
  type Attachment,
  errorMessage,
  type History,
  lineageOf,
  type LoopEvent,
  type Message,
  type PermissionMode,
  query,
  type QueryParams,
  type ResumePoint,
  type SessionState,
  type Terminal,
} from '@heddle/core';
import { systemClock } from '@heddle/models';
import { DATE, dateNote } from '../prompt/session-context.ts';
import type { SdkMessage } from '../sdk/message.ts';
import { replayLine } from '../sdk/translate.ts';
import { entriesOf } from '../session/codec/entries.ts';
import { JournalError } from '../session/journal/journal.ts';
import { memorySession } from '../session/open/memory.ts';
import type { Session } from '../session/open/open.ts';
import { createReadFileState } from '../attachments/changed-files.ts';
import { countEarlier, earlierCostUsd, findCutOffPrompt, NOTHING_TO_CONTINUE } from './continue-run.ts';
import { denialLines } from './denials.ts';
import {
  commandResult,
  type EndOfRun,
  errorSentence,
  failedStart,
  initLine,
  type LineStamp,
  resultLine,
} from './lines.ts';
import { finishOpenCalls, reportUncertainCalls } from './open-calls.ts';
import type { AgentOptions } from './options.ts';
import type { ParentAgent } from './parent.ts';
import { blockedPromptLines, preparePrompt, type PreparedPrompt } from './prompt-hook.ts';
import {
  type CommandOutcome,
  compactCommand,
  COMPACTION_FORBIDDEN,
  compactOnDemand,
  type CompactOutcome,
  isContinueCommand,
  undoCompaction,
} from '../context/commands.ts';
import { admitMedia } from '../context/admit-media.ts';
import { initialSessionState, promptNotes } from './session-state.ts';
import { applyChanges, type Changes, paramsOf, type Prompt, requestOf } from './params.ts';
import { type CostTotals, CostTracker } from '../cost/cost-tracker.ts';
import {
  BUSY,
  endOf,
  type MessageStamp,
  newPromptRun,
  type PromptRun,
  SessionLog,
  isRefusedBySystem,
  rewindEntry,
  storedOutcome,
  synthetic,
  terminalOf,
} from './session-log.ts';
import { liveOf, workingFoldersOf } from './permission.ts';
import { CommandQueue } from './command-queue.ts';
import { SessionBackground } from './session-background.ts';
import { SessionView } from './session-view.ts';
import { parserOf } from './structured-output.ts';
import { newUuid } from '../session/uuid.ts';

export type { Changes, Prompt };

export class QueryEngine {
  readonly sessionId: string;
  readonly queue: CommandQueue;
  /** The files that the model has read. */
  readonly fileState = createReadFileState();
  /** Side questions, and work that no run waits for. */
  readonly background: SessionBackground;
  #options: AgentOptions;
  readonly #session: Session;
  readonly #log: SessionLog;
  readonly #costs: CostTracker;
  readonly #view: SessionView;
  #factsLoaded: Promise<void> | undefined;
  readonly #now: () => number;
  readonly #uuid: () => string;
  #controller = new AbortController();
  /** A prompt or a compaction is running. */
  #busy = false;

  constructor(options: AgentOptions) {
    this.#options = options;
    this.#uuid = options.uuid ?? newUuid;
    this.#now = (options.clock ?? systemClock).now;
    this.#session = options.session ?? memorySession(this.#uuid(), this.#now);
    this.sessionId = this.#session.id;
    const state = initialSessionState(this.#session, options);
    this.#log = new SessionLog(this.#session, () => this.#messageStamp(), state);
    this.#costs = new CostTracker(options, this.#session.bill);
    const own = { session: this.#session, log: this.#log, costs: this.#costs, uuid: this.#uuid };
    const parts = { ...own, options: () => this.#options, stamp: () => this.#stamp() };
    this.#view = new SessionView(parts);
    this.queue = new CommandQueue(parts);
    this.background = new SessionBackground({
      ...parts,
      nextRequest: () => requestOf(this.#params(this.#newRun()), this.#view.context.view(this.messages)),
    });
  }

  /** Ends the running turn, or between two prompts the open side questions. The reason is `interrupt` if the user sent a new message. */
  abort(reason: unknown = 'cancel'): void {
    if (!this.#busy) this.background.questions.abort(reason);
    this.#controller.abort(reason);
  }

  /** The conversation as the next request would start from it. */
  get messages(): History<Message> {
    return this.#log.messages;
  }

  /** Replaces the conversation by a handoff. The user asks for it, between two prompts. */
  async compact(instructions?: string): Promise<CompactOutcome> {
    if (this.#busy) return BUSY;
    this.#start();
    try {
      const steps = this.#compaction(this.#newRun(), instructions);
      let next = await steps.next();
      while (!next.done) next = await steps.next();
      return next.value;
    } finally {
      this.#end();
    }
  }

  /** Restores the messages that the last compaction replaced. */
  undoCompaction(): CommandOutcome<{ readonly messages: number }> {
    if (this.#busy) return BUSY;
    return storedOutcome(() => undoCompaction(this.#session, this.#log.store));
  }

  /** The size of the conversation in the model's window, by kind of content. */
  async contextUsage(): Promise<ContextUsage> {
    await this.#loadFacts();
    const { toolUseContext: context } = this.#params(this.#newRun());
    return this.#view.context.usage({ messages: this.messages, context });
  }

  /** Changes options from the next prompt on. Permissions that were granted in this conversation stay granted. */
  change(changes: Changes): void {
    this.#options = applyChanges({ ...this.#options, rules: liveOf(this.#options) }, changes);
    this.#view.reset();
    if (changes.loadFacts !== undefined) this.#factsLoaded = undefined;
    this.#costs.change(this.#options);
  }

  get permissionMode(): PermissionMode {
    return liveOf(this.#options).mode ?? this.#log.mode;
  }

  /** Takes effect for the next call. Returns false if the mode may not be switched on. */
  setPermissionMode(mode: PermissionMode): boolean {
    const live = liveOf(this.#options);
    live.apply([{ type: 'setMode', mode, destination: 'session' }]);
    if (live.mode !== mode) return false;
    this.#options = { ...this.#options, rules: live, permissionMode: mode };
    this.#log.changeMode(mode, this.#options.cwd);
    return true;
  }

  /** The costs of the conversation so far. */
  get spending(): CostTotals {
    return this.#costs.spending;
  }

  /** This conversation as its subagents see it. Their tokens are stored here while they run. */
  get asParent(): ParentAgent {
    const inherited = { options: this.#options, session: this.#session, head: this.#view.head };
    const permissions = liveOf(this.#options);
    const costs = this.#costs.asParent(this.#log.store);
    const conversation = () => this.background.fork.conversation();
    return { ...inherited, permissions, costs, permissionMode: () => this.permissionMode, conversation };
  }

  /** Adds a message between two prompts without a model call: a command that the user ran. */
  add(prompt: string | Prompt): CommandOutcome<object> {
    if (this.#busy) return BUSY;
    const { content, uuid = this.#uuid() } = typeof prompt === 'string' ? { content: prompt } : prompt;
    return storedOutcome(() => {
      this.#log.begin(this.#view.head);
      this.#log.store({ type: 'user', message: { type: 'user', uuid, at: this.#now(), content } });
      // It started no run, so there is nothing to continue.
      this.#log.store({ type: 'command', commandId: uuid, state: 'completed' });
      return { ok: true };
    });
  }

  /** Removes a message and all later ones from the conversation, between two prompts. */
  rewindBefore(uuid: string): CommandOutcome<object> {
    if (this.#busy) return BUSY;
    const entry = rewindEntry(this.messages, uuid);
    if (!entry)
      return { ok: false, reason: 'nothing to do', message: `The conversation has no message ${uuid}.` };
    return storedOutcome(() => {
      this.#log.store(entry);
      return { ok: true };
    });
  }

  async *submitMessage(prompt: string | Prompt): AsyncGenerator<SdkMessage, Terminal> {
    if (this.#busy) return yield* this.#refuse(BUSY.message);
    this.#start();
    try {
      const given = typeof prompt === 'string' ? { content: prompt } : prompt;
      if (!given.verbatim && isContinueCommand(given.content)) return yield* this.#continued();
      const instructions = given.verbatim ? undefined : compactCommand(given.content);
      return yield* instructions === undefined ? this.#answer(given) : this.#compactTurn(instructions);
    } finally {
      this.#end();
    }
  }

  /** Runs before the first line is yielded, because its reader may abort at once. */
  #start(): void {
    this.#busy = true;
    this.#controller = new AbortController();
    this.background.promptStarted();
  }

  #end(): void {
    this.#busy = false;
    this.background.promptEnded();
    this.#options.onPromptEnd?.();
  }

  async *#answer(prompt: Prompt): AsyncGenerator<SdkMessage, Terminal> {
    const turn = this.#newRun();
    const { uuid = this.#uuid(), carries = [] } = prompt;
    const { signal } = this.#controller;
    const prepared = await preparePrompt(this.#options, prompt, { signal, fileState: this.fileState });
    const { block, content } = prepared;
    if (block !== undefined) {
      yield* blockedPromptLines(block, failedStart(block, this.#stamp(), this.spending), this.#stamp());
      return { reason: 'hook_stopped', hook: 'UserPromptSubmit', message: block };
    }
    const problem = await this.#accept({ ...prepared, uuid, carries });
    if (problem !== undefined) return yield* this.#refuse(problem);
    yield this.#initLine();
    if (this.#options.replayUserMessages) yield replayLine(content, { uuid, session_id: this.sessionId });
    const terminal = yield* this.#drive(turn);
    this.queue.promptEnded(uuid);
    return yield* this.#finish(turn, terminal);
  }

  async *#finish(turn: PromptRun, terminal: Terminal): AsyncGenerator<SdkMessage, Terminal> {
    const unstored = await this.#log.finish(terminal);
    yield resultLine(this.#endOf(turn, terminal, unstored), this.#stamp());
    return terminal;
  }

  /** Continues the prompt that was cut off, without a new one. Its result covers the whole run. */
  async *#continued(): AsyncGenerator<SdkMessage, Terminal> {
    await this.#loadFacts();
    const objection = await this.#costs.objection();
    if (objection !== undefined) return yield* this.#refuse(objection);
    const cutOff = findCutOffPrompt(this.#session, this.#params(this.#newRun()));
    if (!cutOff) return yield* this.#refuse(NOTHING_TO_CONTINUE);
    const turn = this.#newRun(cutOff.entries[0]?.at);
    countEarlier(turn.counts, cutOff.entries);
    this.#costs.continueAfter(earlierCostUsd(cutOff.entries));
    yield this.#initLine();
    if (cutOff.kind === 'stopped') return yield* this.#finish(turn, cutOff.terminal);
    this.#log.begin(this.#view.head);
    const { retracted: uuids, point } = cutOff;
    if (uuids.length > 0) yield* this.#record({ type: 'tombstone', uuids }, turn);
    return yield* this.#finish(turn, yield* this.#drive(turn, point));
  }

  /** The prompt cannot start. */
  async *#refuse(message: string): AsyncGenerator<SdkMessage, Terminal> {
    yield failedStart(message, this.#stamp(), this.spending);
    return { reason: 'model_error', message };
  }

  /** `/compact` as a prompt. It has a first line and one result like every prompt, but no run. */
  async *#compactTurn(instructions: string): AsyncGenerator<SdkMessage, Terminal> {
    const turn = this.#newRun();
    yield this.#initLine();
    const outcome = yield* this.#compaction(turn, instructions);
    const terminal = terminalOf(outcome);
    if (!outcome.ok && outcome.reason === 'nothing to do')
      yield* turn.translator.lines(synthetic(outcome.message, this.#messageStamp()));
    yield commandResult('compact', this.#endOf(turn, terminal), this.#stamp());
    return terminal;
  }

  /** Stores and charges every step like a step of a run. */
  async *#compaction(turn: PromptRun, instructions?: string): AsyncGenerator<SdkMessage, CompactOutcome> {
    try {
      await this.#loadFacts();
      const { toolUseContext: context, deps } = this.#params(turn);
      const isForbidden = this.#options.compaction?.isForbidden === true;
      const { messages } = this;
      const lineage = lineageOf(this.#session.projection);
      const forbidden =
        (this.#costs.spent && errorSentence(this.#costs.spent)) ??
        (isForbidden ? COMPACTION_FORBIDDEN : undefined);
      const setup = { messages, port: this.#view.context, context, clock: deps.clock, lineage, forbidden };
      const steps = compactOnDemand(setup, instructions);
      let next = await steps.next();
      for (; !next.done; next = await steps.next()) yield* this.#record(next.value, turn);
      return next.value;
    } catch (thrown) {
      if (thrown instanceof JournalError) return { ok: false, reason: 'failed', message: thrown.message };
      throw thrown;
    }
  }

  #endOf(turn: PromptRun, terminal: Terminal, unstored?: string): EndOfRun {
    return endOf(turn, { terminal, spending: this.spending, now: this.#now(), unstored });
  }

  #newRun(startedAt?: number): PromptRun {
    return newPromptRun(this.#options, {
      sessionId: this.sessionId,
      uuid: this.#uuid,
      now: this.#now,
      startedAt,
    });
  }

  /** Stores the prompt before anything else happens. Returns the reason if the run cannot start. */
  async #accept({
    content,
    context,
    files,
    uuid,
    carries,
  }: PreparedPrompt & Required<Pick<Prompt, 'uuid' | 'carries'>>): Promise<string | undefined> {
    const { outputSchema } = this.#options;
    const objection = await this.#costs.objection();
    if (objection !== undefined) return objection;
    // A new conversation fits into every window.
    if (this.messages.length > 0) await this.#loadFacts();
    try {
      if (outputSchema) await parserOf(outputSchema);
    } catch (thrown) {
      return `The output schema is invalid: ${errorMessage(thrown)}`;
    }
    const admitted = await admitMedia(content, this.#controller.signal);
    try {
      this.#log.begin(this.#view.head);
      const stamp = { uuid, at: this.#now() };
      this.#log.store({ type: 'user', message: { type: 'user', ...stamp, content: admitted } });
      this.#attachNotes(stamp.at, context);
      for (const joining of [...files, ...this.queue.promptStarted(uuid, carries)]) this.#attach(joining);
      await this.#log.stored();
      await this.#options.onAccepted?.(stamp.uuid);
      return undefined;
    } catch (thrown) {
      // Files that the host keeps beside the journal can fail on a full disk, too.
      if (thrown instanceof JournalError || isRefusedBySystem(thrown)) return thrown.message;
      throw thrown;
    }
  }

  /** Without its facts, the model is used with the defaults. */
  async #loadFacts(): Promise<void> {
    this.#factsLoaded ??= this.#options.loadFacts?.().catch(() => undefined);
    await this.#factsLoaded;
  }

  /** A tool changed the mode (a plan started or ended). The newest change counts. */
  #applySessionState(state: SessionState): void {
    const { permissionMode: mode } = state;
    if (mode !== this.#log.mode)
      liveOf(this.#options).apply([{ type: 'setMode', mode, destination: 'session' }]);
    this.#log.state = state;
  }

  /** Attaches the notes that join a prompt. */
  #attachNotes(now: number, hookContext: string | undefined): void {
    const { state, notes } = promptNotes(this.#options, {
      state: this.#log.state,
      folders: workingFoldersOf(this.#options),
      isPlanning: this.permissionMode === 'plan',
      dates: dateNote(this.#view.head.userContext[DATE], this.messages, now),
      hookContext,
    });
    if (state) this.#log.store({ type: 'stance', stance: (this.#log.state = state) });
    for (const note of notes) this.#attach(note);
  }

  #attach(attachment: Attachment): void {
    const message = { type: 'attachment' as const, ...this.#messageStamp(), attachment };
    this.#log.store({ type: 'attachment', message });
    this.#options.onEvent?.({ type: 'message', message });
  }

  /** `resume` is the point at which a cut-off prompt continues. A new prompt closes the calls of the one before. */
  async *#drive(turn: PromptRun, resume?: ResumePoint): AsyncGenerator<SdkMessage, Terminal> {
    const { openCalls } = this.#session.projection;
    const close = resume ? reportUncertainCalls : finishOpenCalls;
    const earlier = close(this.#params(turn), openCalls, () => this.#messageStamp());
    let run: AsyncGenerator<LoopEvent, Terminal> | undefined;
    let isAbandoned = true;
    try {
      let step = await earlier.next();
      for (; !step.done; step = await earlier.next()) yield* this.#record(step.value, turn);
      if (step.value) return { reason: 'hook_stopped', ...step.value };
      // The run starts from the results of the earlier calls.
      run = query(this.#params(turn, resume));
      let end: Terminal | undefined;
      while (!end) {
        const next = await run.next();
        if (!next.done) yield* this.#record(next.value, turn);
        end = next.done ? next.value : this.#costs.spent;
      }
      isAbandoned = false;
      return end;
    } catch (thrown) {
      isAbandoned = false;
      if (thrown instanceof JournalError) return { reason: 'model_error', message: thrown.message };
      throw thrown;
    } finally {
      // Nothing may continue unobserved. After a normal end this does nothing.
      await earlier.return(undefined);
      if (isAbandoned && run) await this.#storeRest(run, turn);
      await run?.return({ reason: 'aborted_streaming' });
      await this.background.resources.releaseAll();
    }
  }

  /** A host that stops reading interrupts the run. Its partial answer and the ends of its calls are stored as after an abort. */
  async #storeRest(run: AsyncGenerator<LoopEvent, Terminal>, turn: PromptRun): Promise<void> {
    this.abort('cancel');
    try {
      let next = await run.next();
      for (; !next.done; next = await run.next()) for await (const _unread of this.#record(next.value, turn));
      await this.#log.finish(next.value);
    } catch (thrown) {
      if (!(thrown instanceof JournalError)) throw thrown;
    }
  }

  async *#record(event: LoopEvent, turn: PromptRun): AsyncGenerator<SdkMessage> {
    const taking = this.#costs.take(event);
    for (const body of entriesOf(event, taking && (await taking))) this.#log.store(body);
    const stored = this.#log.stored();
    if (stored) await stored;
    if (event.type === 'stance') this.#applySessionState(event.stance);
    turn.counts.note(event, this.#now());
    this.#options.onEvent?.(event);
    const denial = turn.denials.observe(event);
    if (denial) {
      const { tool_name: tool, tool_use_id: toolUseId, tool_input: input, message: reason } = denial;
      this.#options.hooks?.permissionDenied?.({ tool, toolUseId, input, reason });
      yield* denialLines(denial, this.#stamp());
    }
    yield* turn.translator.lines(event);
  }

  #params(turn: PromptRun, resume?: ResumePoint): QueryParams {
    return paramsOf(this.#options, {
      resume,
      model: this.#costs.withPriceLoading(this.#options.model),
      session: this.#session,
      head: this.#view.head,
      signal: this.#controller.signal,
      fileState: this.fileState,
      state: this.#log.state,
      context: this.#view.context,
      store: this.#log.store,
      stored: this.#log.stored,
      answering: () => this.#log.noteFirstRecord(this.#now()),
      denials: turn.denials,
      structured: turn.structured,
      background: this.background,
      takeRestored: (agentId) => this.queue.takeRestored(agentId),
    });
  }

  /** Tools and hosts may have changed the mode since the start. */
  #initLine(): SdkMessage {
    return initLine({ ...this.#options, permissionMode: this.permissionMode }, this.#stamp());
  }

  #stamp(): LineStamp {
    return { uuid: this.#uuid(), session_id: this.sessionId };
  }

  #messageStamp(): MessageStamp {
    return { uuid: this.#uuid(), at: this.#now() };
  }
}
