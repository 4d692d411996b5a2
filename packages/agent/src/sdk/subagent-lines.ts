/** The lines of a subagent in the output of its parent: its calls, their results, and reports about the task. Pure. */
import { isRecord, type Json, omitUndefined } from '@heddle/core';
import type { SdkAssistant, SdkMessage, SdkTaskNotification, SdkUser, TaskUsage } from './message.ts';

/** Everything that its lines contain about a subagent. */
export interface SubagentTask {
  readonly agentId: string;
  readonly type: string;
  readonly description: string;
  /** 1: the main conversation started it. */
  readonly depth: number;
  /** The subagent that started it. Undefined: the main conversation. */
  readonly parentId: string | undefined;
  readonly prompt: string;
  /** The call that started it. */
  readonly toolUseId: string;
  readonly isBackground: boolean;
  readonly forwardsText: boolean;
  /** The main session. */
  readonly sessionId: string;
  readonly uuid: () => string;
}

export type TaskStatus = SdkTaskNotification['status'];

export interface SubagentLines {
  started(): SdkMessage[];
  /** Returns the lines that a line of the subagent's own output becomes. Its text stays in its own transcript. */
  forwarded(line: SdkMessage): SdkMessage[];
  progress(usage: TaskUsage, lastTool: string | undefined): SdkMessage;
  ended(end: TaskEnd): SdkMessage[];
}

interface TaskEnd {
  readonly status: TaskStatus;
  readonly error: string | undefined;
  readonly outputFile: string;
  readonly usage: TaskUsage;
  readonly now: number;
}

export function subagentLines(task: SubagentTask): SubagentLines {
  const { agentId: task_id, toolUseId: tool_use_id, description } = task;
  const stamp = () => ({ uuid: task.uuid(), session_id: task.sessionId });
  const origin = {
    parent_tool_use_id: tool_use_id,
    agent_id: task_id,
    subagent_type: task.type,
    task_description: description,
  };
  return {
    started: () => [
      {
        type: 'system',
        subtype: 'task_started',
        ...stamp(),
        task_id,
        tool_use_id,
        description,
        task_type: 'local_agent',
        is_backgrounded: task.isBackground,
        subagent_type: task.type,
        prompt: task.prompt,
        ...(task.parentId !== undefined && { spawn_depth: task.depth, parent_task_id: task.parentId }),
      },
      { type: 'user', message: { role: 'user', content: task.prompt }, ...origin, ...stamp() },
    ],
    forwarded: (line) => forwardedLines(task, origin, line),
    progress: (usage, lastTool) => ({
      type: 'system',
      subtype: 'task_progress',
      ...stamp(),
      task_id,
      tool_use_id,
      description,
      usage,
      ...omitUndefined({ last_tool_name: lastTool }),
    }),
    ended({ status, error, outputFile, usage, now }) {
      const patch = { status: PATCH_STATUS[status], end_time: now };
      return [
        {
          type: 'system',
          subtype: 'task_updated',
          ...stamp(),
          task_id,
          patch: error === undefined ? patch : { ...patch, error },
        },
        {
          type: 'system',
          subtype: 'task_notification',
          ...stamp(),
          task_id,
          tool_use_id,
          status,
          output_file: outputFile,
          summary: description,
          usage,
        },
      ];
    },
  };
}

/** The fields that mark a line of a conversation as one of the subagent. */
type LineOrigin = Required<
  Pick<SdkAssistant, 'parent_tool_use_id' | 'agent_id' | 'subagent_type' | 'task_description'>
>;

function forwardedLines(task: SubagentTask, origin: LineOrigin, line: SdkMessage): SdkMessage[] {
  const session_id = task.sessionId;
  switch (line.type) {
    case 'assistant': {
      if (isOfOther(line)) return [line];
      const isCall = line.message.content.some(({ type }) => type === 'tool_use');
      return isCall || task.forwardsText ? [{ ...line, ...origin, session_id }] : [];
    }
    case 'user': {
      if (isOfOther(line)) return [line];
      const { type, uuid, message } = line;
      const isResult = typeof message.content !== 'string';
      return isResult ? [{ type, uuid, message, ...origin, session_id }] : [];
    }
    case 'system':
      if (line.subtype === 'permission_denied')
        return [{ ...line, agent_id: line.agent_id ?? task.agentId, session_id }];
      return TASK_LINES.has(line.subtype) ? [line] : [];
    default:
      return [];
  }
}

/** A subagent that it started has written this line. */
function isOfOther({ parent_tool_use_id: id }: SdkAssistant | SdkUser): boolean {
  return id !== null;
}

/** Lines about the subagents that a subagent started. */
const TASK_LINES: ReadonlySet<string> = new Set([
  'task_started',
  'task_progress',
  'task_updated',
  'task_notification',
]);

/** A subagent of a waiting call continues in the background. */
export function movedLine(
  taskId: string,
  stamp: { readonly uuid: string; readonly session_id: string },
): SdkMessage {
  return {
    type: 'system',
    subtype: 'task_updated',
    ...stamp,
    task_id: taskId,
    patch: { is_backgrounded: true },
  };
}

const PATCH_STATUS = { completed: 'completed', failed: 'failed', stopped: 'killed' } as const;

// While a subagent runs in the foreground, its lines are progress of its call. So they keep their order in the output.

const MARK = 'subagent_line';

export function progressOfLine(line: SdkMessage): Json {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a line of the output is JSON
  return { type: MARK, line: line as unknown as Json };
}

export function lineInProgress(data: Json): SdkMessage | undefined {
  if (!isRecord(data) || data['type'] !== MARK) return undefined;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only `progressOfLine` sets the mark
  return data['line'] as unknown as SdkMessage;
}
