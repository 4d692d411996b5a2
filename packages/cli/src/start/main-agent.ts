/** The agent that the main conversation runs as: that of `--agent`, or of the setting `agent`. */
import { type AgentDefinition, agentHasTool, findAgent, type Prompt, stricterMode } from '@heddle/agent';
import { type DeclaredHook, readHooks } from '@heddle/agent/hooks';
import type { PermissionMode } from '@heddle/core';
import type { RunOptions } from '../arguments/arguments.ts';
import type { AgentTypes } from './agent-types.ts';

type MainAgent =
  | { readonly ok: true; readonly agent: AgentDefinition }
  | { readonly ok: false; readonly message: string };

/** `from` names the flag or setting in the message. */
export function findMainAgent(types: AgentTypes, name: string, from: string): MainAgent {
  const agent = findAgent(types.list, name);
  if (agent) return { ok: true, agent };
  if (types.hidden.some((one) => one.toLowerCase() === name.toLowerCase()))
    return { ok: false, message: `${from}: ${hiddenAgent(name)}` };
  const known = types.list.map((one) => one.name).join(', ');
  return { ok: false, message: `${from}: there is no agent named ${name}; there are ${known}` };
}

function hiddenAgent(name: string): string {
  return `the agent ${name} of this folder is left out, because the folder is not trusted. If you trust it: heddle permissions trust`;
}

/** Definitions of the user. Those of projects and plugins change with an update. */
const OWN_SOURCES: ReadonlySet<AgentDefinition['source']> = new Set(['managed', 'caller', 'user']);

/**
 * Applies the definition to the flags. A flag of the user wins, but tools are only taken away: the run has those that both
 * name. Only a definition of the user, in a choice of the user, may have a wider mode than the settings.
 */
export function runAsAgent<Command extends RunOptions>(
  command: Command,
  agent: AgentDefinition,
  { mode: usual, isOwnChoice }: { readonly mode: PermissionMode; readonly isOwnChoice: boolean },
): Command {
  const { permissionMode: mode, maxTurns, maxBudgetUsd, effort, disallowedTools = [] } = agent;
  const counts = (isOwnChoice && OWN_SOURCES.has(agent.source)) || stricterMode(usual, mode) !== usual;
  const ownMode = counts ? mode : undefined;
  return {
    ...command,
    tools: toolsOf(command.tools, agent),
    disallowedTools: [...command.disallowedTools, ...disallowedTools],
    permissionMode: command.permissionMode ?? ownMode,
    maxTurns: command.maxTurns ?? maxTurns,
    maxBudgetUsd: command.maxBudgetUsd ?? maxBudgetUsd,
    effort: command.effort ?? effort,
  };
}

/** Tools of servers are selected by `agentHasTool`, because they come and go. */
function toolsOf(
  given: readonly string[] | undefined,
  agent: AgentDefinition,
): readonly string[] | undefined {
  if (agent.tools === undefined) return given;
  const own = agent.tools.filter((name) => !name.startsWith('mcp__'));
  return given === undefined ? own : given.filter((name) => agentHasTool(agent, name));
}

interface AgentHooks {
  readonly hooks: readonly DeclaredHook[];
  readonly notes: readonly string[];
  /** The notes about hooks that cannot be read. */
  readonly missingHooks: readonly string[];
}

/** The hooks of the definition, as hooks of the session, with notes about those that cannot be read. */
export function hooksOfMainAgent({ name, hooks, file }: AgentDefinition): AgentHooks {
  if (!hooks) return { hooks: [], notes: [], missingHooks: [] };
  const { hooks: read, problems, missing } = readHooks(hooks, { source: file ?? `the agent ${name}` });
  const declared = read.map((hook): DeclaredHook => ({ hook, scope: 'session', inactive: undefined }));
  return { hooks: declared, notes: problems, missingHooks: missing };
}

/** Puts the initial prompt of the agent before the first prompt of the user. */
export function withInitialPrompt(
  content: Prompt['content'],
  { initialPrompt }: AgentDefinition,
): Prompt['content'] {
  if (initialPrompt === undefined || content === initialPrompt) return content;
  if (typeof content === 'string') return `${initialPrompt}\n\n${content}`;
  return [{ type: 'text', text: initialPrompt }, ...content];
}
