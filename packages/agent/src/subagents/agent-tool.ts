/** Agent: gives a task to a subagent and returns its report. SendMessage: continues one with a message. */
import type { CallContext, Json, JsonObject, Tool, ToolResult } from '@heddle/core';
import { DEFAULT_AGENT } from '../permission/rules/tool-names.ts';
import { progressOfLine } from '../sdk/subagent-lines.ts';
import type { AgentOptions } from '../engine/options.ts';
import { loadSchema, nonEmptyString, stringOrEmpty } from '../tool-input.ts';
import { FORK_AGENT } from './fork-child.ts';
import type { ChildRecord } from './record.ts';
import type { AgentTask, Subagents, TaskOutcome } from './subagents.ts';
import { withAgentTasks } from './task-tools.ts';

const AGENT_INPUT: JsonObject = {
  type: 'object',
  properties: {
    description: { type: 'string', description: 'The task in three to five words' },
    prompt: { type: 'string', description: 'The task, with everything the agent must know' },
    subagent_type: { type: 'string', description: 'The type of agent; general-purpose if left out' },
    model: { type: 'string', description: 'Another model: sonnet, opus, haiku, or a full name' },
    run_in_background: {
      type: 'boolean',
      description: 'Return at once. The report arrives as a message when the agent ends',
    },
    isolation: {
      type: 'string',
      enum: ['worktree'],
      description:
        'worktree: the agent works in a git worktree of its own. It is kept if it changed something',
    },
  },
  required: ['description', 'prompt'],
  additionalProperties: false,
};

const MESSAGE_INPUT: JsonObject = {
  type: 'object',
  properties: {
    to: {
      type: 'string',
      description:
        'The id of the agent, as its result states it. In a team: the name of a member, or * for all',
    },
    message: { type: 'string' },
  },
  required: ['to', 'message'],
  additionalProperties: false,
};

const TRAITS = {
  isReadOnly: () => false,
  isConcurrencySafe: () => true,
  // A call that runs again continues the same subagent.
  isIdempotent: () => true,
  maxResultSize: 100_000,
  interruptBehavior: 'cancel',
} as const;

const INTRODUCTION = `Starts a subagent for a task. It works alone, in a context of its own, and returns one report.
Use it for searches over many files, and for independent tasks: several calls in one answer run at the same time. A task that needs a call or two is faster without it.
Unless it is a fork, the agent does not see this conversation: put everything it must know into the prompt, and say what to report. The user does not see the report, so tell them what matters.
Types of agents:`;

/** Adds the tools that start subagents, and the reports of those in the background. `hasTool` may leave tools out. */
export function withSubagents(
  options: AgentOptions,
  subagents: Subagents,
  hasTool: (name: string) => boolean = () => true,
): AgentOptions {
  const { tools, news, onEvent } = options;
  const own = [agentTool(subagents), sendMessageTool(subagents)].filter(({ name }) => hasTool(name));
  return {
    ...options,
    tools: [...tools.map((tool) => withAgentTasks(tool, subagents)), ...own],
    news: () => [...(news?.() ?? []), ...subagents.news()],
    onEvent: (event) => {
      if (event.type === 'message' && event.message.type === 'attachment') {
        const { attachment } = event.message;
        if (attachment.kind === 'task_ended') subagents.markReported(attachment.taskId, attachment.runId);
      }
      onEvent?.(event);
    },
  };
}

function agentTool(subagents: Subagents): Tool<JsonObject, TaskOutcome> {
  return {
    ...TRAITS,
    name: 'Agent',
    formerNames: ['Task'],
    get description() {
      const types = [...subagents.definitions, FORK_AGENT].map(({ name, description, tools }) => {
        const list = tools === undefined ? 'all tools' : tools.join(', ');
        return `- ${name}: ${description} (${list})`;
      });
      return [INTRODUCTION, ...types].join('\n');
    },
    inputJSONSchema: AGENT_INPUT,
    inputSchema: () => loadSchema(AGENT_INPUT),
    inputAliases: { agent: 'subagent_type', task: 'prompt' },
    async delegates({ model, subagent_type: type }) {
      const task = { model: nonEmptyString(model), type: nonEmptyString(type) };
      const provider = await subagents.addedProvider(task);
      if (provider === undefined) return true;
      return `${provider} would receive the task and the files that the agent reads. Without \`model\`, the provider does not change.`;
    },
    ruleNames: ({ subagent_type }) => [
      { tool: 'Agent', name: nonEmptyString(subagent_type) ?? DEFAULT_AGENT },
    ],
    async call(input, context, onProgress) {
      const background = input['run_in_background'];
      const task = {
        description: stringOrEmpty(input['description']),
        prompt: stringOrEmpty(input['prompt']),
        type: nonEmptyString(input['subagent_type']),
        model: nonEmptyString(input['model']),
        isBackground: typeof background === 'boolean' ? background : undefined,
        isolation: input['isolation'] === 'worktree' ? ('worktree' as const) : undefined,
      };
      const emit = (line: Parameters<typeof progressOfLine>[0]): void => onProgress(progressOfLine(line));
      return { data: await subagents.start(task, context, emit) };
    },
    toResult: taskResult,
  };
}

/** A task that another part of the program gives to a subagent, such as a skill with a context of its own. */
export interface DelegatedCall extends Pick<CallContext, 'signal' | 'toolUseId' | 'tools'> {
  /** Undefined: the lines of the subagent are those of one in the background. */
  readonly onProgress?: ((data: Json) => void) | undefined;
}

export interface DelegatedReport {
  readonly isError: boolean;
  readonly text: string;
}

/** Rejects if the type of the agent is unknown. */
export async function delegateTask(
  subagents: Subagents,
  task: AgentTask,
  { onProgress, ...call }: DelegatedCall,
): Promise<DelegatedReport> {
  const outcome = await subagents.start(
    task,
    call,
    onProgress ? (line) => onProgress(progressOfLine(line)) : subagents.emit,
  );
  if (outcome.kind === 'background') return { isError: false, text: BACKGROUND };
  const { status, text } = outcome.result;
  return { isError: status !== 'completed', text };
}

type Sent =
  | TaskOutcome
  | { readonly kind: 'queued'; readonly to: string }
  | { readonly kind: 'mailed'; readonly to: readonly string[] };

function sendMessageTool(subagents: Subagents): Tool<JsonObject, Sent> {
  return {
    ...TRAITS,
    name: 'SendMessage',
    description:
      'Sends a message to an agent that was started before. A running agent reads it between two calls; a finished one continues with its context, and returns another report.',
    inputJSONSchema: MESSAGE_INPUT,
    inputSchema: () => loadSchema(MESSAGE_INPUT),
    inputAliases: { agentId: 'to', agent_id: 'to', content: 'message', summary: null, type: null },
    delegates: ({ to }, mode) =>
      mode !== 'plan' || !subagents.teammates?.leads || !subagents.teammates.has(stringOrEmpty(to))
        ? true
        : 'Members of a team keep the mode that they started in.',
    ruleNames({ to }) {
      const record = subagents.teammates?.has(stringOrEmpty(to))
        ? undefined
        : subagents.find(stringOrEmpty(to));
      return record ? [{ tool: 'Agent', name: record.agentType }] : [];
    },
    validateInput: ({ to }) =>
      subagents.teammates?.has(stringOrEmpty(to)) || subagents.find(stringOrEmpty(to))
        ? { ok: true }
        : { ok: false, message: `There is no agent ${stringOrEmpty(to)}.` },
    async call({ to, message }, context, onProgress) {
      const id = stringOrEmpty(to);
      if (subagents.teammates?.has(id))
        return { data: { kind: 'mailed', to: subagents.teammates.send(id, stringOrEmpty(message)) } };
      const emit = (line: Parameters<typeof progressOfLine>[0]): void => onProgress(progressOfLine(line));
      const sent = await subagents.send(id, stringOrEmpty(message), context, emit);
      return { data: sent === 'queued' ? { kind: 'queued', to: id } : sent };
    },
    toResult(data) {
      if (data.kind === 'mailed') return { content: `The message was sent to ${data.to.join(', ')}.` };
      if (data.kind !== 'queued') return taskResult(data);
      return { content: `The agent ${data.to} is running and receives the message with its next call.` };
    },
  };
}

const BACKGROUND =
  'The agent runs in the background. Its report arrives as a message when it ends. TaskOutput waits for it, TaskStop ends it.';

function taskResult(outcome: TaskOutcome): ToolResult {
  const { record } = outcome;
  if (outcome.kind === 'background') {
    return { content: `${BACKGROUND} ${continueHint(record)}` };
  }
  const { status, text } = outcome.result;
  return {
    content: [
      { type: 'text', text },
      { type: 'text', text: continueHint(record) },
    ],
    ...(status === 'completed' ? {} : { isError: true }),
  };
}

function continueHint({ agentId }: ChildRecord): string {
  return `agentId: ${agentId} (SendMessage continues this agent.)`;
}
