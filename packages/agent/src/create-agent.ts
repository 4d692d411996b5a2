/** The door for embedding: an agent in a few lines. */
import type { Terminal } from '@heddle/core';
import { type Prompt, QueryEngine } from './engine/engine.ts';
import type { AgentOptions } from './engine/options.ts';
import type { SdkMessage } from './sdk/message.ts';

export interface Agent {
  readonly sessionId: string;
  /** Runs one prompt. Yields what happens, ends with one `result`, and returns why it ended. */
  submit(prompt: string | Prompt): AsyncGenerator<SdkMessage, Terminal>;
  /** Ends the running prompt. */
  abort(reason?: unknown): void;
}

export function createAgent(options: AgentOptions): Agent {
  const engine = new QueryEngine(options);
  return {
    sessionId: engine.sessionId,
    submit: (prompt) => engine.submitMessage(prompt),
    abort: (reason) => engine.abort(reason),
  };
}
