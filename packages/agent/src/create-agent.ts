/** The entry point for embedding: an agent in a few lines. */
import { statSync } from 'node:fs';
import type { ContextUsage } from '@heddle/context';
import {
  type History,
  INTERRUPT,
  type Message,
  type PermissionMode,
  type Spent,
  type Terminal,
} from '@heddle/core';
import { seedReadState } from './attachments/automatic-attachments.ts';
import type { CommandOutcome, CompactOutcome } from './context/commands.ts';
import { type Changes, type Prompt, QueryEngine } from './engine/engine.ts';
import { type AgentOptions, mistakeInSettings } from './engine/options.ts';
import { liveOf } from './engine/permission.ts';
import { runSideCall, type SideCall, type SideCallResult } from './engine/side-call.ts';
import type { ForkAnswer, SmallQuestion } from './fork/fork.ts';
import type { SdkMessage } from './sdk/message.ts';
import {
  type DelegatedCall,
  type DelegatedReport,
  delegateTask,
  withSubagents,
} from './subagents/agent-tool.ts';
import { type AgentTask, Subagents } from './subagents/subagents.ts';

/** Lists and stops subagents, shows their output, and moves them to the background. */
type SubagentControl = Pick<Subagents, 'list' | 'output' | 'stop' | 'moveToBackground'>;

export interface Agent {
  readonly sessionId: string;
  /** Runs one prompt. Yields its lines, ends with one `result`, and returns the terminal. */
  submit(prompt: string | Prompt): AsyncGenerator<SdkMessage, Terminal>;
  /**
   * Continues the prompt that a crash cut off, without a new one. Yields like `submit`. The result covers the whole run. Without
   * such a prompt, the result is an error.
   */
  continue(): AsyncGenerator<SdkMessage, Terminal>;
  /** Ends the running prompt, or between two prompts the open side questions. */
  abort(reason?: unknown): void;
  /** The conversation for the next request. */
  readonly messages: History<Message>;
  /** Replaces the conversation by a summary, between two prompts. `abort` ends it. */
  compact(instructions?: string): Promise<CompactOutcome>;
  /** Restores the messages that the last compaction replaced, between two prompts. */
  undoCompaction(): CommandOutcome<{ readonly messages: number }>;
  /** Asks the model a question beside the conversation, which does not change. Works also while a prompt runs. */
  askAside(question: string): Promise<ForkAnswer>;
  /** Waits for work beside the conversation, not longer than the limit, and ends it. Call it before the program ends. */
  settle(limitMs?: number): Promise<void>;
  /** Asks the small model. It reads only this question. The session is charged. */
  askSmall(question: SmallQuestion): Promise<ForkAnswer>;
  /** Adds the cost of work beside the conversation to its session and its budget. */
  charge(spent: Spent): Promise<void>;
  /** Returns how full the window is, and what fills it. */
  contextUsage(): Promise<ContextUsage>;
  /** The model of the next prompt. */
  readonly modelName: string;
  /** Changes the model or the effort from the next prompt on. */
  change(changes: Changes): void;
  readonly permissionMode: PermissionMode;
  /** Returns whether the mode is active, because not every mode may be switched on. */
  setPermissionMode(mode: PermissionMode): boolean;
  /** The costs of the conversation so far. */
  readonly spending: QueryEngine['spending'];
  /** The stored queue of prompts that arrived during a turn. A surface reports to it, and it survives a crash. */
  readonly queue: Pick<QueryEngine['queue'], 'add' | 'cancel' | 'restored'>;
  /** Adds a message between two prompts, without a request to the model. */
  add(prompt: string | Prompt): CommandOutcome<object>;
  /** Marks a file as read by the model at a time. Returns false if it changed since then, or cannot be read. */
  markRead(file: string, readAt: number): Promise<boolean>;
  /** Removes this message and all later ones, between two prompts. */
  rewindBefore(uuid: string): CommandOutcome<object>;
  /** A subagent runs in the background, or has a report that the model has not read. */
  readonly hasBackgroundSubagents: boolean;
  /** Resolves when no subagent runs in the background, or when the signal aborts. */
  untilSubagentsEnd(signal?: AbortSignal): Promise<void>;
  /** Gives a task to a subagent and returns its report. Undefined if this agent has none. Rejects if its type is unknown. */
  delegate(task: AgentTask, call: DelegatedCall): Promise<DelegatedReport | undefined>;
  /** Runs a call for a running subagent: with its tools, folder, mode, rules and hooks. */
  runForSubagent(agentId: string, call: Omit<SideCall, 'mode'>): Promise<SideCallResult>;
  /** Ends the subagents that run in the background. A resumed session can continue them. */
  endSubagents(): Promise<void>;
  /** The subagents of the conversation. Undefined if it cannot start any. */
  readonly subagents: SubagentControl | undefined;
}

/**
 * Creates an agent for one conversation.
 *
 * Contract: throws a `TypeError` with one sentence if an option cannot work, before anything is started or written.
 */
export function createAgent(options: AgentOptions): Agent {
  const mistake = mistakeIn(options);
  if (mistake !== undefined) throw new TypeError(mistake);
  const subagents =
    options.subagents && new Subagents(options.subagents, () => engine.asParent, withSubagents);
  const engine: QueryEngine = new QueryEngine(subagents ? withSubagents(options, subagents) : options);
  return {
    sessionId: engine.sessionId,
    submit: (prompt) => engine.submitMessage(prompt),
    continue: () => engine.submitMessage('/continue'),
    abort: (reason) => {
      engine.abort(reason);
      // A new message of the user interrupts only the running prompt.
      if (reason !== INTERRUPT) void subagents?.stopBackground(reason);
    },
    get messages() {
      return engine.messages;
    },
    compact: (instructions) => engine.compact(instructions),
    undoCompaction: () => engine.undoCompaction(),
    askAside: (question) => engine.background.questions.ask(question),
    settle: async (limitMs) => {
      await Promise.all([engine.background.settle(limitMs), subagents?.settle(limitMs)]);
    },
    askSmall: (question) => engine.background.questions.askSmall(question),
    charge: (spent) => engine.background.questions.bill(spent),
    contextUsage: () => engine.contextUsage(),
    get modelName() {
      return engine.asParent.options.modelName;
    },
    change: (changes) => engine.change(changes),
    get permissionMode() {
      return engine.permissionMode;
    },
    setPermissionMode: (mode) => engine.setPermissionMode(mode),
    get spending() {
      return engine.spending;
    },
    queue: engine.queue,
    add: (prompt) => engine.add(prompt),
    markRead: (file, readAt) => seedReadState(engine.fileState, file, readAt),
    rewindBefore: (uuid) => engine.rewindBefore(uuid),
    get hasBackgroundSubagents() {
      return subagents?.hasBackground ?? false;
    },
    untilSubagentsEnd: (signal) => subagents?.untilIdle(signal) ?? Promise.resolve(),
    delegate: async (task, call) => subagents && delegateTask(subagents, task, call),
    runForSubagent: async (agentId, call) => {
      const own = subagents?.findRunning(agentId)?.options;
      if (!own) return { ok: false, message: `The subagent ${agentId} is not running.` };
      return runSideCall(own, { ...call, mode: liveOf(own).mode ?? 'default' });
    },
    endSubagents: () => subagents?.dispose() ?? Promise.resolve(),
    subagents,
  };
}

/** Callers in plain JavaScript have no compiler. The sentence names the option and its allowed values. */
function mistakeIn(options: AgentOptions): string | undefined {
  const { model, modelName, tools, cwd } = options;
  if (typeof model !== 'function') return 'model must be a model port: a function that streams an answer.';
  if (typeof modelName !== 'string' || modelName === '') return 'modelName must be the name of the model.';
  if (!isFolder(cwd)) return `cwd must be an existing folder, not ${JSON.stringify(cwd)}.`;
  if (!Array.isArray(tools)) return 'tools must be a list of tools.';
  return mistakeInTools(tools) ?? mistakeInLimits(options) ?? mistakeInSettings(options);
}

function mistakeInTools(tools: readonly unknown[]): string | undefined {
  const names = new Set<string>();
  for (const tool of tools) {
    const name: unknown = isObject(tool) ? Reflect.get(tool, 'name') : undefined;
    if (!isObject(tool) || typeof name !== 'string' || name === '') return 'Every tool must have a name.';
    if (names.has(name)) return `Two tools have the name ${name}.`;
    names.add(name);
    if (!isObject(Reflect.get(tool, 'inputJSONSchema')))
      return `The tool ${name} must have an inputJSONSchema: the JSON Schema of its input.`;
    for (const method of ['inputSchema', 'isReadOnly', 'isConcurrencySafe', 'call', 'toResult'])
      if (typeof Reflect.get(tool, method) !== 'function')
        return `The tool ${name} must have the method ${method}.`;
  }
  return undefined;
}

/** The smallest value of each limit. Leave the option out for no limit. */
const LIMITS = { maxTurns: 0, tokenBudget: 0, maxOutputTokens: 1 } as const;

/** The problem with a limit, or undefined. */
export function mistakeInLimits(
  options: Pick<AgentOptions, 'maxBudgetUsd' | keyof typeof LIMITS>,
): string | undefined {
  for (const [name, least] of Object.entries(LIMITS)) {
    const value: unknown = Reflect.get(options, name);
    if (value !== undefined && !(Number.isSafeInteger(value) && Number(value) >= least))
      return `${name} must be a whole number of at least ${least}, not ${typeof value === 'number' ? value : JSON.stringify(value)}.`;
  }
  const { maxBudgetUsd: budget } = options;
  if (budget !== undefined && !(Number.isFinite(budget) && budget > 0))
    return `maxBudgetUsd must be an amount over 0, not ${String(budget)}.`;
  return undefined;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function isFolder(path: unknown): boolean {
  return typeof path === 'string' && (statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false);
}
