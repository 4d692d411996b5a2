/**
 * A subagent that starts as a copy of the conversation. Its requests begin with the same bytes: tools, system prompt and
 * messages. So it reads them from the cache of its parent.
 */
import { type EntryBody, type Message, textOf, type Tool } from '@heddle/core';
import { FORK_NAME } from '../agents/built-in.ts';
import type { AgentDefinition } from '../agents/definition.ts';
import type { AgentOptions } from '../engine/options.ts';
import type { ParentAgent } from '../engine/parent.ts';
import type { Session } from '../session/open/open.ts';
import { childOptions, type ChildSpec, isForChildren } from './child-options.ts';

/** The type of a call that forks. A definition of the user with this name takes precedence. */
export const FORK_AGENT: AgentDefinition = {
  name: FORK_NAME,
  description:
    'A copy of yourself that has read this whole conversation. Cheap to start, because it reads the conversation from the cache. Use it if a task needs what was said here.',
  prompt: '',
  source: 'built-in',
};

const FORK_RULES = `You are now a copy of the agent above, and work on this task alone. The conversation before it is your background: do not continue its work. You cannot start agents or ask the user. Your last message is your report, and all that the other agent receives, so it must contain every result.`;

export function isFork({ name, source }: AgentDefinition): boolean {
  return name === FORK_AGENT.name && source === 'built-in';
}

/** The options of the copy. Everything that requests begin with is that of the parent. */
export function forkOptions(parent: ParentAgent, spec: ChildSpec): AgentOptions {
  const { options, head } = parent;
  return {
    ...childOptions(parent, { ...spec, model: options.modelName }),
    systemPrompt: head.systemPrompt,
    requestOptions: options.requestOptions,
    tools: spec.tools.map(limited),
    deferredTools: options.deferredTools && (() => options.deferredTools?.().map(limited) ?? []),
  };
}

/** The task follows the conversation as a prompt. The rules are part of the first one. */
export function forkPrompt(prompt: string, { projection }: Session): string {
  const hasRules = [...projection.messages].some(
    (message) => message.type === 'user' && textOf(message.content).endsWith(FORK_RULES),
  );
  return hasRules ? prompt : `${prompt}\n\n${FORK_RULES}`;
}

/** Copies the conversation into the session of the copy. One entry, so that a crash leaves all of it or nothing. */
export function copyConversation(parent: ParentAgent, { journal, projection }: Session): void {
  if (projection.messages.length > 0) return;
  const messages: readonly Message[] = parent.conversation();
  const last = messages.at(-1);
  if (!last) return;
  const entry: EntryBody = { type: 'rewind', to: last.uuid, messages };
  journal.append(entry);
  projection.apply(entry);
}

/** The model still sees each tool, because requests must not change. A tool of the main conversation refuses its calls. */
function limited(tool: Tool): Tool {
  const { description } = tool;
  if (isForChildren(tool)) {
    const own = tool.restrictTo?.((name) => isForChildren({ name }));
    return own ? { ...own, description } : tool;
  }
  return {
    ...tool,
    description,
    validateInput: () => ({ ok: false, message: `${tool.name} is not available to a subagent.` }),
  };
}
