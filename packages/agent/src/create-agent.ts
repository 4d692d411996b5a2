/** The door for embedding: an agent in a few lines. */
import type { ContextReport, History, Message, Terminal } from '@heddle/core';
import type { CommandOutcome } from './context/commands.ts';
import { type Prompt, QueryEngine } from './engine/engine.ts';
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
  /** Between two prompts: replaces the conversation by a hand-over. */
  compact(instructions?: string): Promise<CommandOutcome<{ readonly report: ContextReport }>>;
  /** Between two prompts: puts back what the last compaction replaced. */
  undoCompaction(): CommandOutcome<{ readonly messages: number }>;
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
  };
}
