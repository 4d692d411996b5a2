/** The door for embedding: an agent in a few lines. */
import type { ContextUsage, History, Message, PermissionMode, Terminal } from '@heddle/core';
import type { CommandOutcome, CompactOutcome } from './context/commands.ts';
import { type Changes, type Prompt, QueryEngine } from './engine/engine.ts';
import type { AgentOptions } from './engine/options.ts';
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

export function createAgent(options: AgentOptions): Agent {
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
