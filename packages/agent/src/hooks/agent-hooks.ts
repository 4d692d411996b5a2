/** Connects a hook runner with the engine: around prompts, calls, permission questions, compactions and the end of a turn. */
import {
  type AfterTool,
  bareToolError,
  type BeforeTool,
  type HookedCall,
  isRecord,
  type Json,
  type JsonObject,
  type Message,
  textOf,
  omitUndefined,
} from '@heddle/core';
import type { AgentHooks, StopHookAnswer, StopHookQuestion, SubagentIdentity } from '../engine/options.ts';
import { permissionUpdates } from '../permission/live-permissions.ts';
import { isQuestion } from '../permission/rules/tool-names.ts';
import { hostResult } from '../sdk/tool-results.ts';
import type { HookResponse } from './combine.ts';
import { type HookDefinition, readHooks } from './definition.ts';
import { describeFailures, type HookCall, type HookRunner } from './hook-runner.ts';

export interface AgentHooksDeps {
  /** Shows a text to the user. */
  readonly notify: (text: string) => void;
  readonly messages: () => Iterable<Message>;
  /** Set for the hooks of a subagent. Every event names it. */
  readonly agent?: SubagentIdentity | undefined;
  /** The hooks of the session that run. Undefined: all. */
  readonly among?: HookCall['among'];
}

/**
 * Connects each callback of the engine with its event. `docs/internals.md` lists who reports the other events. An event without
 * hooks costs nothing.
 */
export function createAgentHooks(runner: HookRunner, deps: AgentHooksDeps): AgentHooks {
  const { notify, messages, agent, among } = deps;
  const origin = agent ? { agent_id: agent.id, agent_type: agent.type } : {};
  const own = agent?.hooks && hooksOfAgent(agent);
  for (const problem of own?.problems ?? []) notify(problem);
  const also = own?.hooks;
  const run: RunHooks = async (call) => {
    const response = await runner.run({ among, ...call, input: { ...call.input, ...origin }, also });
    for (const text of [...response.messages, ...describeFailures(response)]) notify(text);
    return response;
  };
  return {
    tools: toolHooks(run, () => runner.has('PostToolBatch', also)),
    compaction: compactionHooks(run),
    ...permissionHooks(run),
    ...subagentHooks(run),
    async prompt({ text, signal }) {
      const { block, stop, context, sessionTitle } = await run({
        event: 'UserPromptSubmit',
        input: { prompt: text },
        signal,
        among: isDeclared,
      });
      return { block: block ?? stop, context, title: sessionTitle };
    },
    // Hooks may be added while the session runs.
    get stop() {
      if (!runner.has(agent ? 'SubagentStop' : 'Stop', also)) return undefined;
      return (question: StopHookQuestion) => runStopHooks(run, question, lastText(messages()), agent);
    },
    forSubagent: (child) =>
      createAgentHooks(runner, { notify, messages: child.messages ?? (() => []), agent: child }),
    stopFailure({ message, ...error }) {
      void run({ event: 'StopFailure', input: { error: error.class, error_details: message } });
    },
  };
}

/** Runs the hooks of an event for one conversation, and shows the user what they report. */
type RunHooks = (call: HookCall) => Promise<HookResponse>;

function toolHooks(run: RunHooks, hasBatchHooks: () => boolean): NonNullable<AgentHooks['tools']> {
  return {
    async before(call, signal) {
      const { toolUseId, tool, input } = call;
      // A model that writes the user's answer is refused. A hook that allows every call did not answer in place of the user.
      if (isQuestion(tool) && 'answers' in input) return {};
      return beforeTool(await run({ event: 'PreToolUse', input: callInput(call), toolUseId, signal }));
    },
    async after(call, { content, data }, signal) {
      const { toolUseId, tool, input } = call;
      const response = data === undefined ? content : hostResult({ id: toolUseId, tool, input }, data);
      const about = { ...callInput(call), tool_response: response };
      const event = 'PostToolUse';
      return afterTool(event, await run({ event, input: about, toolUseId, signal }), tool);
    },
    async afterFailure(call, error, signal) {
      const event = 'PostToolUseFailure';
      const about = { ...callInput(call), error: bareToolError(error), is_interrupt: signal.aborted };
      return afterTool(event, await run({ event, input: about, toolUseId: call.toolUseId, signal }));
    },
    async afterBatch(calls, signal) {
      if (!hasBatchHooks()) return {};
      const tool_calls = calls.map(({ content, ...call }) => ({
        ...callInput(call),
        tool_response: content,
      }));
      const event = 'PostToolBatch';
      return afterTool(event, await run({ event, input: { tool_calls }, signal }));
    },
  };
}

/** The folder is the one of this call. The session may report a change of its folder later, and a subagent has its own folder. */
function callInput({ tool, input, toolUseId, workingDirectory: cwd }: HookedCall): JsonObject {
  return { tool_name: tool, tool_input: input, tool_use_id: toolUseId, ...omitUndefined({ cwd }) };
}

function compactionHooks(run: RunHooks): NonNullable<AgentHooks['compaction']> {
  return {
    async before({ trigger, instructions }, signal) {
      const input = { trigger: clientTrigger(trigger), custom_instructions: instructions ?? null };
      const { block, stop, context } = await run({ event: 'PreCompact', input, signal });
      const forbid = block ?? stop;
      if (forbid !== undefined) return { forbid };
      return context === undefined ? {} : { instructions: context };
    },
    async after({ trigger, handoff }, signal) {
      const input = { trigger: clientTrigger(trigger), compact_summary: handoff };
      // The conversation does not wait for it.
      void run({ event: 'PostCompact', input, signal });
    },
  };
}

function permissionHooks(run: RunHooks): Pick<AgentHooks, 'permission' | 'permissionDenied' | 'question'> {
  return {
    async permission({ tool, input, toolUseId, suggestions, workingDirectory: cwd }, signal) {
      const about = {
        tool_name: tool,
        tool_input: input,
        permission_suggestions: suggestions,
        ...omitUndefined({ cwd }),
      };
      const { permission } = await run({ event: 'PermissionRequest', input: about, toolUseId, signal });
      if (permission === undefined) return undefined;
      const { behavior } = permission;
      if (behavior === 'allow')
        return {
          allow: true,
          updatedInput: permission.updatedInput,
          updates: permissionUpdates(permission.updatedPermissions),
        };
      const { message = 'A hook denied this call.', interrupt } = permission;
      return { allow: false, message, interrupt };
    },
    permissionDenied({ tool, toolUseId, input, reason }) {
      const about = { tool_name: tool, tool_input: input, tool_use_id: toolUseId, reason };
      void run({ event: 'PermissionDenied', input: about, toolUseId });
    },
    question({ tool }) {
      const message = `Heddle needs your permission to use ${tool}.`;
      void run({ event: 'Notification', input: { message, notification_type: 'permission_prompt' } });
    },
  };
}

function subagentHooks(
  run: RunHooks,
): Pick<AgentHooks, 'subagentStart' | 'worktreeCreate' | 'worktreeRemove'> {
  return {
    async subagentStart({ id, type }, signal) {
      const input = { agent_id: id, agent_type: type };
      return (await run({ event: 'SubagentStart', input, signal })).context;
    },
    async worktreeCreate(name, signal) {
      const { block, stop } = await run({ event: 'WorktreeCreate', input: { name }, signal });
      return block ?? stop;
    },
    worktreeRemove(folder) {
      void run({ event: 'WorktreeRemove', input: { worktree_path: folder } });
    },
  };
}

async function runStopHooks(
  run: RunHooks,
  { stopHookActive, signal }: StopHookQuestion,
  last_assistant_message: string,
  agent: SubagentIdentity | undefined,
): Promise<StopHookAnswer> {
  const input = { stop_hook_active: stopHookActive, last_assistant_message };
  const ended = agent
    ? ({
        event: 'SubagentStop',
        input: { ...input, agent_transcript_path: agent.transcript ?? '' },
      } as const)
    : ({ event: 'Stop', input } as const);
  const { block, blockedBy, stop, context } = await run({ ...ended, signal });
  if (stop !== undefined) return { prevent: stop };
  const more = block ?? context;
  return more === undefined ? {} : { block: more, blockedBy };
}

/** A host asks its own callbacks when a prompt arrives, because it may close its side before the turn starts. */
export function isDeclared({ handler }: HookDefinition): boolean {
  return handler.type !== 'callback';
}

function beforeTool({ decision, reason, updatedInput, context, stop }: HookResponse): BeforeTool {
  const more = {
    ...omitUndefined({ additionalContext: context }),
    ...(stop === undefined ? {} : { stop: { hook: 'PreToolUse', message: stop } }),
  };
  if (stop !== undefined) return { ...more, decision: 'deny', message: stop };
  return {
    ...more,
    ...omitUndefined({ decision, message: reason, updatedInput }),
  };
}

/** The call has run already, so the model reads what a hook objects to. */
function afterTool(hook: string, response: HookResponse, tool = ''): AfterTool {
  const { context, block, stop, updatedToolOutput, updatedServerOutput } = response;
  const output = updatedToolOutput ?? (tool.startsWith('mcp__') ? updatedServerOutput : undefined);
  const remarks = [block, context].filter((text) => text !== undefined).join('\n\n');
  return {
    ...(remarks === '' ? {} : { additionalContext: remarks }),
    ...(stop === undefined ? {} : { stop: { hook, message: stop } }),
    ...(output === undefined ? {} : { updatedResult: { content: outputText(output) } }),
  };
}

/** A list of text blocks, as MCP servers return it, is its text. Other data is sent as JSON. */
function outputText(output: Json): string {
  if (typeof output === 'string') return output;
  const blocks = Array.isArray(output)
    ? output.map((block) => (isRecord(block) ? block['text'] : undefined))
    : [];
  const isText = blocks.length > 0 && blocks.every((block) => typeof block === 'string');
  return isText ? blocks.join('\n') : JSON.stringify(output);
}

/** Clients know two triggers. A compaction after an overflow was not requested by the user. */
function clientTrigger(trigger: 'auto' | 'manual' | 'reactive'): 'auto' | 'manual' {
  return trigger === 'manual' ? 'manual' : 'auto';
}

function lastText(messages: Iterable<Message>): string {
  const last = [...messages].findLast((message) => message.type === 'assistant');
  return last === undefined ? '' : textOf(last.content);
}

/** The hooks of a definition. Its end is that of a subagent. */
function hooksOfAgent({
  hooks = {},
  type,
}: SubagentIdentity): Pick<ReturnType<typeof readHooks>, 'hooks' | 'problems'> {
  const { Stop: stop, ...others } = hooks;
  const source = `the agent ${type}`;
  const read = readHooks(others, { source });
  if (stop === undefined) return read;
  const atEnd = readHooks({ SubagentStop: stop }, { source });
  return { hooks: [...read.hooks, ...atEnd.hooks], problems: [...read.problems, ...atEnd.problems] };
}
