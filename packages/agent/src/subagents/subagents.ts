/** The subagents of one conversation: starts them within a limit, and delivers the result of each exactly once. */
import {
  type Attachment,
  type Effort,
  type CallContext,
  errorMessage,
  type Message,
  omitUndefined,
  resultsOf,
  textOf,
  untilAborted,
} from '@heddle/core';
import { systemClock } from '@heddle/models';
import { DEFAULT_AGENT } from '../permission/rules/tool-names.ts';
import { type AgentDefinition, agentHasTool, findAgent, serverToolNames } from '../agents/definition.ts';
import { VERSION } from '../engine/lines.ts';
import type { AgentOptions, AgentServers, SubagentIdentity, SubagentSettings } from '../engine/options.ts';
import type { ParentAgent } from '../engine/parent.ts';
import { childFile } from '../session/files/paths.ts';
import { openChildSession } from '../session/open/child.ts';
import type { Session } from '../session/open/open.ts';
import { addedProvider, childModel, childOptions, definedModel, withServerTools } from './child-options.ts';
import { copyConversation, FORK_AGENT, forkOptions, forkPrompt, isFork } from './fork-child.ts';
import { levelBelow, mainLevel, settingsBelow, type SubagentLevel } from './nesting.ts';
import {
  type ChildRecord,
  ChildRecords,
  type ChildResult,
  inFolder,
  NO_TASK_USAGE,
  reportOf,
  reportsIn,
} from './record.ts';
import { type Emit, endedStatus, RunningChild, type SubagentStatus } from './running-child.ts';
import { newUuid } from '../session/uuid.ts';

export interface AgentTask {
  readonly description: string;
  readonly prompt: string;
  readonly type?: string | undefined;
  readonly model?: string | undefined;
  /** In place of the effort of its definition. */
  readonly effort?: Effort | undefined;
  readonly isBackground?: boolean | undefined;
  readonly isolation?: 'worktree' | undefined;
}

/** The answer to a call: the result of a task, or the note that it runs in the background. */
export type TaskOutcome =
  | { readonly kind: 'ended'; readonly record: ChildRecord; readonly result: ChildResult }
  | { readonly kind: 'background'; readonly record: ChildRecord; readonly transcript: string };

/** A task of a subagent, and whether an earlier process was interrupted during it. */
interface ChildTask {
  readonly record: ChildRecord;
  readonly definition: AgentDefinition;
  readonly isInterrupted: boolean;
}

type Call = Pick<CallContext, 'toolUseId' | 'signal' | 'tools'>;

/** Adds the tools that start these subagents to the options of a conversation. `hasTool` may leave tools out. */
type AddTools = (
  options: AgentOptions,
  subagents: Subagents,
  hasTool?: (name: string) => boolean,
) => AgentOptions;

/** The reason of an abort that ends subagents without a report to the model. */
const SESSION_ENDED = 'the session ended';

export class Subagents {
  readonly #settings: SubagentSettings;
  readonly #parent: () => ParentAgent;
  readonly #running = new Map<string, RunningChild>();
  /** Subagents that have ended, and still store their memory. */
  readonly #closing = new Map<string, { readonly child: RunningChild; readonly closed: Promise<void> }>();
  readonly #addTools: AddTools;
  readonly #level: SubagentLevel;
  #records: ChildRecords | undefined;

  /** `level` is given for the children of a subagent. */
  constructor(
    settings: SubagentSettings,
    parent: () => ParentAgent,
    addTools: AddTools,
    level?: SubagentLevel,
  ) {
    this.#addTools = addTools;
    this.#settings = settings;
    this.#parent = parent;
    this.#level =
      level ??
      mainLevel(settings, { home: () => parent().session, mainModel: () => parent().options.modelName });
  }

  get definitions(): readonly AgentDefinition[] {
    return this.#settings.definitions();
  }

  get teammates(): SubagentSettings['teammates'] {
    return this.#settings.teammates;
  }

  get running(): readonly ChildRecord[] {
    return [...this.#running.values()].map(({ record }) => record);
  }

  /** The subagents that run, each before those that it started, and those in the background that have ended. */
  list(): readonly SubagentStatus[] {
    const running = [...this.#running.values()].flatMap(({ status, children }) =>
      [status].concat(children?.list() ?? []),
    );
    const ended = this.#stored
      .list()
      .filter(({ agentId, isBackground }) => isBackground && !this.#running.has(agentId));
    return [...running, ...ended.map(endedStatus)];
  }

  /** Returns the text of a subagent so far, or its report if it has ended. Undefined if the id is unknown. */
  output(agentId: string): (SubagentStatus & { readonly text: string }) | undefined {
    const child = this.findRunning(agentId);
    if (child) return { ...child.status, text: textSoFar(child.messages) };
    const record = this.#stored.read(agentId);
    return record && { ...endedStatus(record), text: record.result?.text ?? INTERRUPTED };
  }

  /** Waits for the end of a subagent. Returns at once if it does not run. */
  async untilEnded(agentId: string): Promise<void> {
    await this.findRunning(agentId)?.ended;
  }

  /**
   * Moves the subagents of waiting calls to the background: that of one call, or all. Their calls return, and their reports
   * arrive later. Returns whether one was moved.
   */
  moveToBackground(toolUseId?: string): boolean {
    const children = [...this.#running.values()].filter(
      ({ record }) => toolUseId === undefined || record.toolUseId === toolUseId,
    );
    return children.filter((child) => child.moveToBackground()).length > 0;
  }

  /** Finds the subagent that an id means, also one of an earlier process. */
  find(agentId: string): ChildRecord | undefined {
    return this.findRunning(agentId)?.record ?? this.#stored.read(agentId);
  }

  /** Finds a running subagent by its id, also one that a subagent started. */
  findRunning(agentId: string): RunningChild | undefined {
    const own = this.#running.get(agentId);
    if (own) return own;
    for (const { children } of this.#running.values()) {
      const found = children?.findRunning(agentId);
      if (found) return found;
    }
    return undefined;
  }

  /** Returns the provider that a call adds by its model. A model that the user set for all subagents replaces that model. */
  async addedProvider({
    model,
    type = DEFAULT_AGENT,
  }: Pick<AgentTask, 'model' | 'type'>): Promise<string | undefined> {
    if (model === undefined || this.#settings.model) return undefined;
    const { definitions } = this;
    const definition = findAgent([...definitions, FORK_AGENT], type);
    // A copy of the conversation keeps its model.
    if (definition && isFork(definition)) return undefined;
    const mainModel = this.#level.mainModel();
    return addedProvider(model, this.#parent().options, { mainModel, definitions });
  }

  /** Starts the task of a call. A call that runs again after a crash continues its subagent, or gets its stored result. */
  start(task: AgentTask, call: Call, emit: Emit): Promise<TaskOutcome> {
    const { agentId, earlier } = this.#place(task, call.toolUseId);
    if (earlier) return this.#again(earlier, call, emit);
    const parent = this.#parent();
    const definition = this.#definition(task.type ?? DEFAULT_AGENT);
    const { parentId, isInWorktree } = this.#level;
    const isPlanning = parent.permissionMode() === 'plan';
    const { modelName } = parent.options;
    const ownModel = definedModel(definition, modelName, process.env);
    const models = isFork(definition) ? ['inherit'] : [this.#settings.model, task.model, ownModel];
    const record: ChildRecord = {
      agentId,
      agentType: definition.name,
      description: task.description,
      prompt: task.prompt,
      toolUseId: call.toolUseId,
      runId: this.#uuid(),
      model: childModel(models, modelName, process.env),
      cwd: parent.options.cwd,
      isBackground: !this.#settings.waitsForAll && (task.isBackground ?? definition.isBackground ?? false),
      // In plan mode nothing is changed, not even by a checkout. A worktree inside another one would be removed with it.
      isolation: isPlanning || isInWorktree ? undefined : (task.isolation ?? definition.isolation),
      // A copy of the conversation keeps everything that requests begin with.
      ...omitUndefined({ parentId, effort: isFork(definition) ? undefined : task.effort }),
    };
    return this.#run({ record, definition, isInterrupted: false }, call, emit);
  }

  /** Gives a subagent a message: a running one reads it between two calls, another one continues with it. */
  async send(agentId: string, message: string, call: Call, emit: Emit): Promise<TaskOutcome | 'queued'> {
    const running = this.findRunning(agentId);
    if (running?.enqueue({ commandId: this.#uuid(), prompt: message })) return 'queued';
    if (running) {
      // It has given its last answer, and stores its result. Another message may continue it first.
      await running.ended;
      return this.send(agentId, message, call, emit);
    }
    const record = this.#stored.read(agentId);
    if (!record) throw new Error(`There is no subagent ${agentId}.`);
    if (record.toolUseId === call.toolUseId) return this.#again(record, call, emit);
    const { result: _result, isReported: _isReported, ...known } = record;
    const { toolUseId } = call;
    const next = { ...known, prompt: message, toolUseId, runId: this.#uuid(), isBackground: false };
    const definition = this.#definition(record.agentType);
    return this.#run({ record: next, definition, isInterrupted: false }, call, emit);
  }

  /** Reports of subagents in the background that the model has not read. */
  news(): readonly Attachment[] {
    return this.#unreported().map(reportOf);
  }

  /** A call that a crash left open starts its subagent again, so that one has nothing to report yet. */
  #unreported(): readonly ChildRecord[] {
    const background = this.#stored.list().filter(({ isBackground, isReported, agentId }) => {
      return isBackground && !isReported && !this.#running.has(agentId);
    });
    if (background.length === 0) return [];
    const { openCalls, messages } = this.#parent().session.projection;
    const open = new Set(openCalls.map(({ call }) => call.id));
    const isReported = reportsIn(messages);
    return background.filter((record) => !isReported(record) && !open.has(record.toolUseId));
  }

  /** The report about a run of a subagent is stored in the conversation. */
  markReported(agentId: string, runId: string | undefined): void {
    const record = this.#stored.read(agentId);
    if (record?.isBackground && record.runId === runId) this.#stored.write({ ...record, isReported: true });
  }

  /** Returns false if no subagent with this id is running. */
  async stop(agentId: string, reason: unknown): Promise<boolean> {
    const child = this.findRunning(agentId);
    child?.stop(reason);
    await child?.ended;
    return child !== undefined;
  }

  /** Stops the subagents in the background. Those of calls end with their call. */
  async stopBackground(reason: unknown): Promise<void> {
    const ids = this.running.filter(({ isBackground }) => isBackground).map(({ agentId }) => agentId);
    await Promise.all(ids.map((agentId) => this.stop(agentId, reason)));
  }

  get hasBackground(): boolean {
    return this.running.some(({ isBackground }) => isBackground) || this.#unreported().length > 0;
  }

  /** Ends every subagent, and the work of those that have ended. */
  async dispose(reason: unknown = SESSION_ENDED): Promise<void> {
    await Promise.all([...this.#running.keys()].map((agentId) => this.stop(agentId, reason)));
    await this.settle(0);
  }

  /** Waits until ended subagents have stored their memory, not longer than the limit, and ends that work. */
  async settle(limitMs?: number): Promise<void> {
    const closing = [...this.#closing.values()];
    if (closing.length === 0) return;
    const all = Promise.all(closing.map(({ closed }) => closed));
    const timer = new AbortController();
    const { sleep } = this.#parent().options.clock ?? systemClock;
    // Without a limit, that of the work applies.
    await Promise.race([all, ...(limitMs === undefined ? [] : [sleep(limitMs, timer.signal)])]);
    timer.abort();
    for (const { child } of closing) child.stop(SESSION_ENDED);
    await all;
  }

  /** Waits until no subagent runs in the background. */
  async untilIdle(signal?: AbortSignal): Promise<void> {
    const background = [...this.#running.values()].filter(({ record }) => record.isBackground);
    await untilAborted(Promise.all(background.map(({ ended }) => ended)), signal, () => undefined);
  }

  get #stored(): ChildRecords {
    this.#records ??= new ChildRecords(this.#level.home(), this.#level.parentId);
    return this.#records;
  }

  #definition(name: string): AgentDefinition {
    const found = findAgent([...this.definitions, FORK_AGENT], name);
    if (found) return found;
    const known = this.definitions.map((one) => one.name).join(', ');
    throw new Error(`There is no agent type ${name}. Available types: ${known}.`);
  }

  #uuid(): string {
    return (this.#parent().options.uuid ?? newUuid)();
  }

  /**
   * Derives the id from the session and the call, so that a call that runs again finds its subagent. A call whose result is already in the
   * conversation does not run again: another call has the same id, and gets a subagent of its own.
   */
  #place(task: AgentTask, toolUseId: string): { agentId: string; earlier: ChildRecord | undefined } {
    const { parentId, home } = this.#level;
    const called = parentId === undefined ? toolUseId : `${parentId} ${toolUseId}`;
    const isOpen = ({ agentId, prompt, toolUseId: id }: ChildRecord): boolean =>
      id === toolUseId && prompt === task.prompt && !this.#running.has(agentId) && !this.#hasResult(id);
    // Earlier versions left out the session, so subagents of two sessions had one id. Their records are continued.
    const place = this.#stored.place(called, isOpen);
    return place.earlier ? place : this.#stored.place(`${home().id} ${called}`, isOpen);
  }

  #hasResult(toolUseId: string): boolean {
    const { messages } = this.#parent().session.projection;
    return [...messages].some((message) =>
      resultsOf(message).some((result) => result.tool_use_id === toolUseId),
    );
  }

  #again(record: ChildRecord, call: Call, emit: Emit): Promise<TaskOutcome> {
    if (record.result)
      return Promise.resolve(
        record.isBackground ? this.#inBackground(record) : { kind: 'ended', record, result: record.result },
      );
    const definition = this.#definition(record.agentType);
    return this.#run({ record, definition, isInterrupted: true }, call, emit);
  }

  async #run(task: ChildTask, call: Call, emit: Emit): Promise<TaskOutcome> {
    const { options } = this.#parent();
    const record = inFolder(task.record, options.cwd);
    this.#stored.write(record);
    const child = new RunningChild(record, call.signal, {
      call: emit,
      background: this.emit,
      store: (record) => this.#stored.write(record),
      now: (options.clock ?? systemClock).now,
      uuid: () => this.#uuid(),
      sessionId: this.#level.home().id,
    });
    // A failure outside of its conversation is its result, too.
    const result = this.#drive(task, child, call.tools).catch((thrown: unknown) =>
      this.#finish(child, endedEarly('failed', `The subagent failed: ${errorMessage(thrown)}`)),
    );
    this.#running.set(record.agentId, child);
    const leave = (): void => {
      child.release();
      this.#running.delete(record.agentId);
    };
    child.ended = result.then(leave, leave);
    if (!child.record.isBackground) {
      const ended = await Promise.race([result, child.moved]);
      if (ended && !child.record.isBackground) return { kind: 'ended', record: child.record, result: ended };
    }
    return this.#inBackground(child.record);
  }

  #inBackground({ result: _result, ...record }: ChildRecord): TaskOutcome {
    const { path } = this.#level.home().journal;
    return {
      kind: 'background',
      record,
      transcript: path === undefined ? '' : childFile(path, record.agentId),
    };
  }

  /** Reports a line of a subagent that runs outside of a call. */
  readonly emit: Emit = (line) => this.#settings.onLine?.(line);

  async #drive(
    { definition: found, isInterrupted }: ChildTask,
    child: RunningChild,
    parentTools: Call['tools'],
  ): Promise<ChildResult> {
    const parent = this.#parent();
    const { signal } = child;
    let servers: AgentServers | undefined;
    const now = (parent.options.clock ?? systemClock).now;
    const { depth, home, slots } = this.#level;
    const leave = (await slots[depth - 1]?.enter(signal)) ?? (() => undefined);
    try {
      const isIsolated = child.record.isolation !== undefined;
      const isPlanning = (): boolean => parent.permissionMode() === 'plan';
      const rules = { hooks: parent.options.hooks, isPlanning };
      const worktrees = isIsolated ? await import('./worktree.ts') : undefined;
      const problem = await worktrees?.enterWorktree(child, rules);
      if (problem !== undefined) {
        const status = signal.aborted ? 'stopped' : 'failed';
        return this.#finish(child, endedEarly(status, `The subagent did not start. ${problem}`));
      }
      const { record } = child;
      const definition = { ...found, effort: record.effort ?? found.effort };
      // The session file has one writer.
      await this.#closing.get(record.agentId)?.closed;
      const place = { id: record.agentId, cwd: record.cwd, version: VERSION, now };
      const session = await openChildSession(home(), place);
      const identity = identityOf(record, definition, session);
      child.opened(() => session.projection.messages);
      const { model, cwd, worktree } = record;
      const isCopy = isFork(definition);
      if (serverToolNames(definition).length > 0)
        servers = await this.#settings.openServers?.(definition, signal);
      const tools = withServerTools(parentTools, servers);
      const below = isCopy ? undefined : levelBelow(this.#level, record, definition, tools);
      const subagents = below && settingsBelow(this.#settings);
      const spec = { definition, identity, session, tools, model, cwd, worktree, subagents };
      // The code of a running subagent loads with the first one.
      const { runChild } = await import('./run-child.ts');
      if (isCopy) copyConversation(parent, session);
      const { result, closed } = await runChild({
        options: isCopy ? forkOptions(parent, spec) : childOptions(parent, spec),
        extend: (own, self) => {
          child.options = own;
          if (!below || !subagents) return own;
          const children = new Subagents(subagents, self, this.#addTools, below);
          child.children = children;
          return this.#addTools(own, children, (name) => agentHasTool(definition, name));
        },
        record,
        depth,
        prompt: isCopy ? forkPrompt(record.prompt, session) : record.prompt,
        parentSessionId: home().id,
        forwardsText: this.#settings.forwardsText ?? false,
        isInterrupted,
        signal,
        emit: child.emit,
        watch: this.#settings.watch,
        now,
        uuid: () => this.#uuid(),
        queue: child,
        beforeWork: worktrees && (() => worktrees.noteIgnored(child)),
        texts: async () => [...(await this.#skills(definition, child)), ...(servers?.notes ?? [])],
      });
      // Its memory is stored behind its report. A worktree may be removed, and a parent may end, so both wait for it.
      if (worktree || depth > 1) await closed;
      else this.#closeLater(child, closed);
      if (signal.reason === SESSION_ENDED || !worktrees) return this.#finish(child, result);
      return this.#finish(child, await worktrees.leaveWorktree(child, result, rules));
    } finally {
      const closed = servers?.close();
      // An abort does not wait for a server that is slow to end.
      if (!signal.aborted) await closed;
      leave();
    }
  }

  #closeLater(child: RunningChild, closed: Promise<void>): void {
    const { agentId } = child.record;
    this.#closing.set(agentId, { child, closed });
    void closed.then(() => this.#closing.delete(agentId));
  }

  /** A program that ends leaves the task open, so that a resumed session can continue it. */
  #finish(child: RunningChild, result: ChildResult): ChildResult {
    if (child.signal.reason !== SESSION_ENDED) this.#stored.write(child.finish(result));
    return result;
  }

  /** Returns the texts of the skills that the definition names. */
  async #skills({ skills = [] }: AgentDefinition, child: RunningChild): Promise<readonly string[]> {
    const { loadSkill } = this.#settings;
    if (!loadSkill || skills.length === 0) return [];
    const use = { signal: child.signal, agentId: child.record.agentId };
    const texts = await Promise.all(skills.map((name) => loadSkill(name, use)));
    return texts.filter((text) => text !== undefined);
  }
}

function identityOf(
  { agentId: id, description }: ChildRecord,
  { name: type, hooks }: AgentDefinition,
  { journal, projection }: Session,
): SubagentIdentity {
  return { id, type, description, transcript: journal.path, messages: () => projection.messages, hooks };
}

function endedEarly(status: ChildResult['status'], text: string): ChildResult {
  return { status, text, usage: NO_TASK_USAGE };
}

const INTERRUPTED = 'It was interrupted when the program ended. SendMessage continues it.';

/** The texts of its answers. */
function textSoFar(messages: Iterable<Message>): string {
  const texts = [...messages].map((message) => (message.type === 'assistant' ? textOf(message.content) : ''));
  return texts.filter((text) => text !== '').join('\n\n');
}
