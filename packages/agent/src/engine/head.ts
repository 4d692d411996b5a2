/** What stands before the conversation in every request of a session. */
import type { SessionSnapshot } from '@heddle/core';
import { defaultSystemPrompt } from '../prompt/system-prompt.ts';
import type { AgentOptions } from './options.ts';

/** Fixed when the session begins: what changes later arrives as messages. */
export function newHead(options: AgentOptions): SessionSnapshot {
  const { cwd, modelName, userContext = {}, systemContext } = options;
  return {
    cwd,
    model: modelName,
    systemPrompt: promptOf(options),
    userContext,
    systemContext: { 'Working directory': cwd, ...systemContext },
  };
}

/** The session's own, to the byte; a prompt that the host brings with it takes the place of the stored one. */
export function resumedHead(stored: SessionSnapshot, options: AgentOptions): SessionSnapshot {
  const brings = options.systemPrompt !== undefined || options.appendSystemPrompt !== undefined;
  return brings ? { ...stored, systemPrompt: promptOf(options) } : stored;
}

function promptOf({ systemPrompt, appendSystemPrompt }: AgentOptions): readonly string[] {
  return [...(systemPrompt ?? defaultSystemPrompt()), ...(appendSystemPrompt ? [appendSystemPrompt] : [])];
}
