/** Lets TaskOutput and TaskStop of a session also show and stop subagents, by their ids. */
import { isRecord, type Tool, type ToolResult, untilAborted } from '@heddle/core';
import { END_WORDS } from './record.ts';
import type { SubagentStatus } from './running-child.ts';
import type { Subagents } from './subagents.ts';

/** The result of such a call for a subagent. Its mark distinguishes it from the data of a command. */
interface AgentTaskData {
  readonly kind: 'agent_task';
  readonly status: SubagentStatus;
  readonly text: string;
}

const DEFAULT_WAIT_MS = 30_000;
/** Characters of the texts of a running subagent that are shown. Its report is shown whole. */
const SHOWN_CHARACTERS = 30_000;

/** Contract: another tool is returned unchanged. */
export function withAgentTasks(tool: Tool, subagents: Subagents): Tool {
  if (tool.name === 'TaskOutput') return extended(tool, subagents, showAgent);
  if (tool.name === 'TaskStop') return extended(tool, subagents, stopAgent);
  return tool;
}

type AgentCall = (id: string, input: AgentInput, subagents: Subagents, signal: AbortSignal) => Promise<void>;

interface AgentInput {
  readonly block?: unknown;
  readonly timeout?: unknown;
}

function extended(tool: Tool, subagents: Subagents, act: AgentCall): Tool {
  const agentIn = (input: unknown): string | undefined => {
    const id = isRecord(input) ? input['task_id'] : undefined;
    return typeof id === 'string' && subagents.find(id) ? id : undefined;
  };
  return {
    ...tool,
    validateInput: (input, context) =>
      agentIn(input) === undefined ? (tool.validateInput?.(input, context) ?? { ok: true }) : { ok: true },
    async call(input, context, onProgress) {
      const id = agentIn(input);
      if (id === undefined) return tool.call(input, context, onProgress);
      await act(id, isRecord(input) ? input : {}, subagents, context.signal);
      const shown = subagents.output(id);
      if (!shown) throw new Error(`There is no task ${id}.`);
      const { text, ...status } = shown;
      // The model reads the report here, so it does not arrive as a message, too.
      if (status.result) subagents.markReported(id, status.record.runId);
      return { data: { kind: 'agent_task', status, text } satisfies AgentTaskData };
    },
    toResult: (data) => (isAgentTask(data) ? agentResult(data) : tool.toResult(data)),
  };
}

async function showAgent(
  id: string,
  { block = true, timeout = DEFAULT_WAIT_MS }: AgentInput,
  subagents: Subagents,
  signal: AbortSignal,
): Promise<void> {
  if (block !== true) return;
  const limit = AbortSignal.any([signal, AbortSignal.timeout(Number(timeout))]);
  await untilAborted(subagents.untilEnded(id), limit, () => undefined);
}

async function stopAgent(id: string, _input: AgentInput, subagents: Subagents): Promise<void> {
  await subagents.stop(id, 'stopped on request');
}

function isAgentTask(data: unknown): data is AgentTaskData {
  return isRecord(data) && data['kind'] === 'agent_task';
}

function agentResult({ status, text }: AgentTaskData): ToolResult {
  const { record, usage, lastTool, result } = status;
  const state = status.isRunning ? 'runs' : result ? END_WORDS[result.status] : 'was interrupted';
  const last = lastTool === undefined || result ? '' : ` Its last call: ${lastTool}.`;
  const amounts = `${usage.tool_uses} calls, ${usage.total_tokens} tokens`;
  const line = `Agent ${record.agentId} (${record.description}) ${state}; ${amounts}.${last}`;
  const shown = result ? text : text.slice(-SHOWN_CHARACTERS);
  return { content: [shown, line].filter((part) => part !== '').join('\n\n') };
}
