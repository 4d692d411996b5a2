/**
 * One conversation: its session, costs, queue and background work. `submitMessage` runs one prompt and ends with one `result`. The
 * other methods are for the user between two prompts.
 */
import type { ContextUsage } from '@heddle/context';
import type { History, Message, PermissionMode, QueryParams, Terminal } from '@heddle/core';
import { systemClock } from '@heddle/models';
import { createReadFileState } from '../attachments/automatic-attachments.ts';
import {
  type CommandFailure,
  type CommandOutcome,
  compactCommand,
  type CompactOutcome,
  isContinueCommand,
  undoCompaction,
} from '../context/commands.ts';
import { type CostTotals, CostTracker } from '../cost/cost-tracker.ts';
import type { SdkMessage } from '../sdk/message.ts';
import { memorySession } from '../session/open/memory.ts';
import type { Session } from '../session/open/open.ts';
import { newUuid } from '../session/uuid.ts';
import { PromptQueue } from './prompt-queue.ts';
import type { LineStamp } from './lines.ts';
import { type AgentOptions, applyChanges, type Changes } from './options.ts';
import { requestOf } from './params.ts';
import type { ParentAgent } from './parent.ts';
import { liveOf } from './permission.ts';
import { mayBeCommand, type Prompt } from './prompt-hook.ts';
import { PromptRunner } from './prompt-runner.ts';
import { RequestSources } from './request-sources.ts';
import { SessionBackground } from './session-background.ts';
import { type MessageStamp, rewindEntry, SessionLog, storedOutcome } from './session-log.ts';
import { initialSessionState } from './session-state.ts';

export type { Changes, Prompt };

const BUSY: CommandFailure = {
  ok: false,
  reason: 'busy',
  message: 'The conversation is in use: wait until the running prompt or compaction has ended, or stop it.',
};

export class QueryEngine {
  readonly sessionId: string;
  readonly queue: PromptQueue;
  /** The files that the model has read. */
  readonly fileState = createReadFileState();
  /** Side questions, and work that no run waits for. */
  readonly background: SessionBackground;
  #options: AgentOptions;
  readonly #session: Session;
  readonly #log: SessionLog;
  readonly #costs: CostTracker;
  readonly #sources: RequestSources;
  readonly #runner: PromptRunner;
  readonly #now: () => number;
  readonly #uuid: () => string;

  constructor(options: AgentOptions) {
    this.#options = options;
    this.#uuid = options.uuid ?? newUuid;
    this.#now = (options.clock ?? systemClock).now;
    this.#session = options.session ?? memorySession(this.#uuid(), this.#now);
    this.sessionId = this.#session.id;
    const state = initialSessionState(this.#session, options);
    this.#log = new SessionLog(this.#session, () => this.#messageStamp(), state);
    this.#costs = new CostTracker(options, this.#session.bill);
    liveOf(options).onMode = (mode) => this.#log.changeMode(mode, this.#options.cwd);
    const own = { session: this.#session, log: this.#log, costs: this.#costs, uuid: this.#uuid };
    const parts = { ...own, options: () => this.#options, stamp: () => this.#stamp() };
    this.#sources = new RequestSources(parts);
    this.queue = new PromptQueue(parts);
    this.background = new SessionBackground({
      ...parts,
      nextRequest: () => requestOf(this.#params(), this.#sources.context.visibleHistory(this.messages)),
    });
    this.#runner = new PromptRunner({
      ...parts,
      sources: this.#sources,
      queue: this.queue,
      background: this.background,
      fileState: this.fileState,
      now: this.#now,
      messageStamp: () => this.#messageStamp(),
    });
  }

  /** Ends the running turn, or between two prompts the open side questions. The reason is `interrupt` if the user sent a new message. */
  abort(reason: unknown = 'cancel'): void {
    this.#runner.abort(reason);
  }

  /** The conversation as the next request would start from it. */
  get messages(): History<Message> {
    return this.#log.messages;
  }

  /** Replaces the conversation by a handoff. The user asks for it, between two prompts. */
  async compact(instructions?: string): Promise<CompactOutcome> {
    if (this.#runner.isBusy) return BUSY;
    this.#runner.start();
    try {
      const steps = this.#runner.compaction(this.#runner.newRun(), instructions);
      let next = await steps.next();
      while (!next.done) next = await steps.next();
      return next.value;
    } finally {
      this.#runner.end();
    }
  }

  /** Restores the messages that the last compaction replaced. */
  undoCompaction(): CommandOutcome<{ readonly messages: number }> {
    if (this.#runner.isBusy) return BUSY;
    return storedOutcome(() => undoCompaction(this.#session, this.#log.store));
  }

  /** The size of the conversation in the model's window, by kind of content. */
  async contextUsage(): Promise<ContextUsage> {
    await this.#runner.loadFacts();
    const { toolUseContext: context } = this.#params();
    return this.#sources.context.usage({ messages: this.messages, context });
  }

  /** Changes options from the next prompt on. Permissions that were granted in this conversation stay granted. */
  change(changes: Changes): void {
    this.#options = applyChanges({ ...this.#options, rules: liveOf(this.#options) }, changes);
    this.#sources.reset();
    if (changes.loadFacts !== undefined) this.#runner.forgetFacts();
    this.#costs.change(this.#options);
  }

  get permissionMode(): PermissionMode {
    return this.#runner.permissionMode;
  }

  /** Takes effect for the next call. Returns false if the mode may not be switched on. */
  setPermissionMode(mode: PermissionMode): boolean {
    const live = liveOf(this.#options);
    live.apply([{ type: 'setMode', mode, destination: 'session' }]);
    if (live.mode !== mode) return false;
    this.#options = { ...this.#options, rules: live, permissionMode: mode };
    return true;
  }

  /** The costs of the conversation so far. */
  get spending(): CostTotals {
    return this.#costs.spending;
  }

  /** This conversation as its subagents see it. Their tokens are stored here while they run. */
  get asParent(): ParentAgent {
    const inherited = { options: this.#options, session: this.#session, head: this.#sources.head };
    const permissions = liveOf(this.#options);
    const costs = this.#costs.asParent(this.#log.store);
    const conversation = () => this.background.fork.conversation();
    return { ...inherited, permissions, costs, permissionMode: () => this.permissionMode, conversation };
  }

  /** Adds a message between two prompts without a model call: a command that the user ran. */
  add(prompt: string | Prompt): CommandOutcome<object> {
    if (this.#runner.isBusy) return BUSY;
    const { content, uuid = this.#uuid() } = typeof prompt === 'string' ? { content: prompt } : prompt;
    return storedOutcome(() => {
      this.#log.begin(this.#sources.head);
      this.#log.store({ type: 'user', message: { type: 'user', uuid, at: this.#now(), content } });
      // It started no run, so there is nothing to continue.
      this.#log.store({ type: 'command', commandId: uuid, state: 'completed' });
      return { ok: true };
    });
  }

  /** Removes a message and all later ones from the conversation, between two prompts. */
  rewindBefore(uuid: string): CommandOutcome<object> {
    if (this.#runner.isBusy) return BUSY;
    const entry = rewindEntry(this.messages, uuid);
    if (!entry)
      return { ok: false, reason: 'nothing to do', message: `The conversation has no message ${uuid}.` };
    return storedOutcome(() => {
      this.#log.store(entry);
      return { ok: true };
    });
  }

  async *submitMessage(prompt: string | Prompt): AsyncGenerator<SdkMessage, Terminal> {
    if (this.#runner.isBusy) return yield* this.#runner.refuse(BUSY.message);
    this.#runner.start();
    try {
      const given = typeof prompt === 'string' ? { content: prompt } : prompt;
      const isOfUser = mayBeCommand(given);
      if (isOfUser && isContinueCommand(given.content)) return yield* this.#runner.continued();
      const instructions = isOfUser ? compactCommand(given.content) : undefined;
      return yield* instructions === undefined
        ? this.#runner.answer(given)
        : this.#runner.compactTurn(instructions);
    } finally {
      this.#runner.end();
    }
  }

  /** The parameters of a run that would start now. */
  #params(): QueryParams {
    return this.#runner.params(this.#runner.newRun());
  }

  #stamp(): LineStamp {
    return { uuid: this.#uuid(), session_id: this.sessionId };
  }

  #messageStamp(): MessageStamp {
    return { uuid: this.#uuid(), at: this.#now() };
  }
}
