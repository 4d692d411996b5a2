/** The door for embedding: an agent in a few lines. */
import { statSync } from 'node:fs';
import type { ContextUsage } from '@heddle/context';
import type { History, Message, PermissionMode, Terminal } from '@heddle/core';
import type { CommandOutcome, CompactOutcome } from './context/commands.ts';
import { type Changes, type Prompt, QueryEngine } from './engine/engine.ts';
import { type AgentOptions, mistakeInSettings } from './engine/options.ts';
import type { SdkMessage } from './sdk/message.ts';

export interface Agent {
  readonly sessionId: string;
  /** Runs one prompt. Yields what happens, ends with one `result`, and returns why it ended. */
  submit(prompt: string | Prompt): AsyncGenerator<SdkMessage, Terminal>;
  /** Ends the running prompt. */
  abort(reason?: unknown): void;
  /** The conversation as the next request would start from it. */
  readonly messages: History<Message>;
  /** Between two prompts: replaces the conversation by a hand-over. `abort` ends it. */
  compact(instructions?: string): Promise<CompactOutcome>;
  /** Between two prompts: puts back what the last compaction replaced. */
  undoCompaction(): CommandOutcome<{ readonly messages: number }>;
  /** How full the window is, and what fills it. */
  contextUsage(): Promise<ContextUsage>;
  /** From the next prompt on: another model, another effort. */
  change(changes: Changes): void;
  readonly permissionMode: PermissionMode;
  /** Answers whether it is in force: not every mode may be switched on. */
  setPermissionMode(mode: PermissionMode): boolean;
  /** What the conversation has cost so far. */
  readonly spending: QueryEngine['spending'];
  /** Between two prompts: joins the conversation, and no model is asked. */
  add(prompt: string | Prompt): CommandOutcome<object>;
  /** Between two prompts: goes on as if this message and what came after it had not been said. */
  rewindBefore(uuid: string): CommandOutcome<object>;
}

/**
 * Creates an agent for one conversation.
 *
 * Contract: throws a `TypeError` with one sentence if an option cannot work, before anything is started or written.
 */
export function createAgent(options: AgentOptions): Agent {
  const mistake = mistakeIn(options);
  if (mistake !== undefined) throw new TypeError(mistake);
  const engine = new QueryEngine(options);
  return {
    sessionId: engine.sessionId,
    submit: (prompt) => engine.submitMessage(prompt),
    abort: (reason) => engine.abort(reason),
    get messages() {
      return engine.messages;
    },
    compact: (instructions) => engine.compact(instructions),
    undoCompaction: () => engine.undoCompaction(),
    contextUsage: () => engine.contextUsage(),
    change: (changes) => engine.change(changes),
    get permissionMode() {
      return engine.permissionMode;
    },
    setPermissionMode: (mode) => engine.setPermissionMode(mode),
    get spending() {
      return engine.spending;
    },
    add: (prompt) => engine.add(prompt),
    rewindBefore: (uuid) => engine.rewindBefore(uuid),
  };
}

/** Callers in plain JavaScript have no compiler to tell them. The sentence names the option and what it takes. */
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

/** The smallest value that each limit takes. Without a limit the option is left out. */
const LIMITS = { maxTurns: 0, tokenBudget: 0, maxOutputTokens: 1 } as const;

function mistakeInLimits(options: AgentOptions): string | undefined {
  for (const [name, least] of Object.entries(LIMITS)) {
    const value: unknown = Reflect.get(options, name);
    if (value !== undefined && !(Number.isSafeInteger(value) && Number(value) >= least))
      return `${name} must be a whole number of at least ${least}, not ${JSON.stringify(value)}.`;
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
