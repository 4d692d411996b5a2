/** The subagents of one conversation: starts them within a limit, and delivers the result of each exactly once. */
import { createHash } from 'node:crypto';
import {
  type Attachment,
  type CallContext,
  type Message,
  omitUndefined,
  resultsOf,
  textOf,
  untilAborted,
} from '@heddle/core';
import { systemClock } from '@heddle/models';
import { DEFAULT_AGENT } from '../agents/built-in.ts';
import { type AgentDefinition, agentHasTool, findAgent, serverToolNames } from '../agents/definition.ts';
import { VERSION } from '../engine/lines.ts';
import type { AgentOptions, AgentServers, SubagentIdentity, SubagentSettings } from '../engine/options.ts';
import type { ParentAgent } from '../engine/parent.ts';
import { childFile } from '../session/files/paths.ts';
import { openChildSession } from '../session/open/child.ts';
import { childModel, childOptions } from './child-options.ts';
import { copyConversation, FORK_AGENT, forkOptions, forkPrompt, isFork } from './fork-child.ts';
import { levelBelow, mainLevel, settingsBelow, type SubagentLevel } from './nesting.ts';
import { type ChildRecord, ChildRecords, type ChildResult, END_WORDS } from './record.ts';
import { type Emit, RunningChild, type SubagentStatus } from './running-child.ts';
import { newUuid } from '../session/uuid.ts';

export interface AgentTask {
  readonly description: string;
  readonly prompt: string;
  readonly type?: string | undefined;
  readonly model?: string | undefined;
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
    this.#level = level ?? mainLevel(settings, () => parent().session);
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
    if (child) return { ...child.status, text: textSoFar(child.messages?.() ?? []) };
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
    return (
      children.filter((child) => child.moveToBackground((record) => this.#stored.write(record))).length > 0
    );
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

  /** Starts the task of a call. A call that runs again after a crash continues its subagent, or gets its stored result. */
  start(task: AgentTask, call: Call, emit: Emit): Promise<TaskOutcome> {
    const { agentId, earlier } = this.#place(task, call.toolUseId);
    if (earlier) return this.#again(earlier, call, emit);
    const parent = this.#parent();
    const definition = this.#definition(task.type ?? DEFAULT_AGENT);
    const { parentId, isInWorktree } = this.#level;
    const isPlanning = parent.permissionMode() === 'plan';
    const models = isFork(definition) ? ['inherit'] : [this.#settings.model, task.model, definition.model];
    const record: ChildRecord = {
      agentId,
      agentType: definition.name,
      description: task.description,
      prompt: task.prompt,
      toolUseId: call.toolUseId,
      model: childModel(models, parent.options.modelName, process.env),
      cwd: parent.options.cwd,
      isBackground: !this.#settings.waitsForAll && (task.isBackground ?? definition.isBackground ?? false),
      // In plan mode nothing is changed, not even by a checkout. A worktree inside another one would be removed with it.
      isolation: isPlanning || isInWorktree ? undefined : (task.isolation ?? definition.isolation),
      ...omitUndefined({ parentId }),
    };
    return this.#run({ record, definition, isInterrupted: false }, call, emit);
  }

  /** Gives a subagent a message: a running one reads it between two calls, another one continues with it. */
  send(agentId: string, message: string, call: Call, emit: Emit): Promise<TaskOutcome> | 'queued' {
    const running = this.findRunning(agentId);
    if (running) {
      running.queue.push({ commandId: this.#uuid(), prompt: message });
      return 'queued';
    }
    const record = this.#stored.read(agentId);
    if (!record) throw new Error(`There is no subagent ${agentId}.`);
    if (record.toolUseId === call.toolUseId) return this.#again(record, call, emit);
    const { result: _result, ...known } = record;
    const next = { ...known, prompt: message, toolUseId: call.toolUseId, isBackground: false };
    const definition = this.#definition(record.agentType);
    return this.#run({ record: next, definition, isInterrupted: false }, call, emit);
  }

  /** Reports of subagents in the background that the model has not read. */
  news(): readonly Attachment[] {
    return this.#unreported().flatMap((record) => {
      const { agentId, description, result } = record;
      const text = result
        ? `The background agent ${agentId} (${description}) ${END_WORDS[result.status]}. Its report:\n${result.text}`
        : `The background agent ${agentId} (${description}) was interrupted when the program ended. SendMessage continues it.`;
      return [{ kind: 'task_ended' as const, taskId: agentId, text }];
    });
  }

  /** A call that a crash left open starts its subagent again, so that one has nothing to report yet. */
  #unreported(): readonly ChildRecord[] {
    const background = this.#stored.list().filter(({ isBackground, isReported, agentId }) => {
      return isBackground && !isReported && !this.#running.has(agentId);
    });
    if (background.length === 0) return [];
    const { openCalls, messages } = this.#parent().session.projection;
    const open = new Set(openCalls.map(({ call }) => call.id));
    const reported = reportedIn(messages);
    return background.filter(({ agentId, toolUseId }) => !reported.has(agentId) && !open.has(toolUseId));
  }

  /** The report of a subagent is stored in the conversation. */
  markReported(agentId: string): void {
    const record = this.#stored.read(agentId);
    if (record?.isBackground) this.#stored.write({ ...record, isReported: true });
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

  /** Ends every subagent. */
  async dispose(reason: unknown = SESSION_ENDED): Promise<void> {
    await Promise.all([...this.#running.keys()].map((agentId) => this.stop(agentId, reason)));
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
   * Derives the id from the call, so that a call that runs again finds its subagent. A call whose result is already in the
   * conversation does not run again: another call has the same id, and gets a subagent of its own.
   */
  #place(task: AgentTask, toolUseId: string): { agentId: string; earlier: ChildRecord | undefined } {
    const { parentId } = this.#level;
    const first = parentId === undefined ? toolUseId : `${parentId} ${toolUseId}`;
    for (let nth = 1; ; nth++) {
      const seed = nth === 1 ? first : `${first} ${nth}`;
      const agentId = `a${createHash('sha256').update(seed).digest('hex').slice(0, 16)}`;
      const record = this.#stored.read(agentId);
      if (!record) return { agentId, earlier: undefined };
      const isSame = record.toolUseId === toolUseId && record.prompt === task.prompt;
      if (isSame && !this.#running.has(agentId) && !this.#hasResult(toolUseId))
        return { agentId, earlier: record };
    }
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
    const { agentId } = task.record;
    const { options } = this.#parent();
    const child = new RunningChild(task.record, call.signal, {
      call: emit,
      background: this.emit,
      now: (options.clock ?? systemClock).now,
      uuid: () => this.#uuid(),
      sessionId: this.#level.home().id,
    });
    const result = this.#drive(task, child, call.tools);
    this.#running.set(agentId, child);
    const leave = (): void => {
      child.release();
      this.#running.delete(agentId);
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
    { record: given, definition, isInterrupted }: ChildTask,
    child: RunningChild,
    parentTools: Call['tools'],
  ): Promise<ChildResult> {
    const parent = this.#parent();
    const { signal } = child;
    let servers: AgentServers | undefined;
    const now = (parent.options.clock ?? systemClock).now;
    this.#stored.write(given);
    const { depth, home, slots } = this.#level;
    const leave = (await slots[depth - 1]?.enter(signal)) ?? (() => undefined);
    try {
      const problem = await this.#enterWorktree(child);
      if (problem !== undefined) return this.#finish(child, failedResult(problem));
      const { record } = child;
      const place = { id: record.agentId, cwd: record.cwd, version: VERSION, now };
      const session = await openChildSession(home(), place);
      const identity: SubagentIdentity = {
        id: record.agentId,
        type: definition.name,
        transcript: session.journal.path,
        messages: () => session.projection.messages,
        hooks: definition.hooks,
      };
      child.messages = identity.messages;
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
      const result = await runChild({
        options: isCopy ? forkOptions(parent, spec) : childOptions(parent, spec),
        extend: (own, self) => {
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
        now,
        uuid: () => this.#uuid(),
        takeQueued: () => child.queue.splice(0),
        texts: async () => [...(await this.#skills(definition, signal)), ...(servers?.notes ?? [])],
      });
      return this.#finish(child, await this.#leaveWorktree(child, result));
    } finally {
      const closed = servers?.close();
      // An abort does not wait for a server that is slow to end.
      if (!signal.aborted) await closed;
      leave();
    }
  }

  /** A program that ends leaves the task open, so that a resumed session can continue it. */
  #finish(child: RunningChild, result: ChildResult): ChildResult {
    if (child.signal.reason !== SESSION_ENDED) this.#stored.write(child.finish(result));
    return result;
  }

  /** Opens the worktree of a subagent that is isolated. Returns the reason if that is not possible. */
  async #enterWorktree(child: RunningChild): Promise<string | undefined> {
    const { agentId, isolation, worktree: known, cwd } = child.record;
    if (isolation === undefined) return undefined;
    const { openWorktree, reopenWorktree, folderInWorktree } = await import('./worktree.ts');
    const refusal = known ? undefined : await this.#parent().options.hooks?.worktreeCreate?.(agentId);
    if (refusal !== undefined) return refusal;
    const opened = await (known
      ? reopenWorktree(known, child.signal)
      : openWorktree(cwd, agentId, child.signal));
    if (!opened.ok) return opened.message;
    const { worktree } = opened;
    const changes = known ? {} : { worktree, cwd: folderInWorktree(worktree, cwd) };
    this.#stored.write(child.update(changes));
    return undefined;
  }

  /** Removes a worktree without changes. The report names one that is kept. */
  async #leaveWorktree(child: RunningChild, result: ChildResult): Promise<ChildResult> {
    const { worktree } = child.record;
    if (!worktree || child.signal.reason === SESSION_ENDED) return result;
    const { isWorktreeChanged, removeWorktree } = await import('./worktree.ts');
    if (!(await isWorktreeChanged(worktree)) && (await removeWorktree(worktree))) {
      this.#parent().options.hooks?.worktreeRemove?.(worktree.path);
      return result;
    }
    const place = `Its changes are in the worktree ${worktree.path}, on the branch ${worktree.branch}.`;
    return { ...result, text: `${result.text}\n\n${place}` };
  }

  /** Returns the texts of the skills that the definition names. */
  async #skills({ skills = [] }: AgentDefinition, signal: AbortSignal): Promise<readonly string[]> {
    const { loadSkill } = this.#settings;
    if (!loadSkill) return [];
    const texts = await Promise.all(skills.map((name) => loadSkill(name, signal)));
    return texts.filter((text) => text !== undefined);
  }
}

/** A server of the definition hides one of the session that has the same name. */
function withServerTools(tools: Call['tools'], servers: AgentServers | undefined): Call['tools'] {
  if (!servers) return tools;
  const own = new Set(servers.tools.map(({ name }) => name));
  return [...tools.filter(({ name }) => !own.has(name)), ...servers.tools];
}

function failedResult(why: string): ChildResult {
  return { status: 'failed', text: `The subagent did not start. ${why}`, usage: NO_TASK_USAGE };
}

const NO_TASK_USAGE = { total_tokens: 0, tool_uses: 0, duration_ms: 0 } as const;

const INTERRUPTED = 'It was interrupted when the program ended. SendMessage continues it.';

function endedStatus(record: ChildRecord): SubagentStatus {
  const { result } = record;
  const usage = result?.usage ?? NO_TASK_USAGE;
  return { record, usage, lastTool: undefined, isRunning: false, result };
}

/** The texts of its answers. */
function textSoFar(messages: Iterable<Message>): string {
  const texts = [...messages].map((message) => (message.type === 'assistant' ? textOf(message.content) : ''));
  return texts.filter((text) => text !== '').join('\n\n');
}

/** The subagents whose report the conversation already contains. */
function reportedIn(messages: Iterable<Message>): ReadonlySet<string> {
  const reported = new Set<string>();
  for (const message of messages)
    if (message.type === 'attachment' && message.attachment.kind === 'task_ended')
      reported.add(message.attachment.taskId);
  return reported;
}
