/** TaskOutput: shows the output of a background task, and whether it has ended. Contract: idempotent. */
import type { Tool } from '@heddle/core';
import { open } from 'node:fs/promises';
import { inputSchemas } from '../generated/schemas.ts';
import { dropPartialCharacter } from './output.ts';
import { outputSizeText, previewOf, type TaskEnd, taskEndOf, toReadableText } from './preview.ts';
import type { TaskRegistry } from './registry.ts';
import type { TaskOutputInput, TaskStopInput } from './schema.ts';
import type { Task } from './task.ts';

interface TaskOutputData {
  readonly taskId: string;
  readonly command: string;
  readonly end: TaskEnd | undefined;
  readonly output: string;
  readonly bytes: number;
  readonly next: number | undefined;
  /** Notes of its sandbox. */
  readonly notes: readonly string[];
}

/** Names of the id in former tools, and those that results use. */
const ID_ALIASES = {
  bash_id: 'task_id',
  shell_id: 'task_id',
  agent_id: 'task_id',
  agentId: 'task_id',
  taskId: 'task_id',
  id: 'task_id',
} as const;

const DEFAULT_WAIT_MS = 30_000;
/** Bytes shown from an offset. */
const PAGE_BYTES = 30_000;
const INLINE = 30_000;

export function createTaskOutputTool(tasks: TaskRegistry): Tool<TaskOutputInput, TaskOutputData> {
  return {
    name: 'TaskOutput',
    description:
      'Shows what a background task has written and whether it has ended, after waiting for its end.',
    inputJSONSchema: inputSchemas.TaskOutput,
    inputSchema: async () => (await import('./schema.ts')).taskOutputInput,
    formerNames: ['BashOutput', 'AgentOutput'],
    inputAliases: { ...ID_ALIASES, wait: 'block', timeout_ms: 'timeout', filter: null },
    isReadOnly: () => true,
    isConcurrencySafe: () => true,
    maxResultSize: 60_000,
    compactable: true,
    interruptBehavior: 'cancel',
    validateInput: ({ task_id }) => knownTask(tasks, task_id),

    async call({ task_id, offset, block = true, timeout = DEFAULT_WAIT_MS }, { signal }) {
      const task = tasks.get(task_id);
      if (!task) throw new Error(unknownTask(tasks, task_id));
      if (block) await untilEnd(task, timeout, signal);
      if (task.end) tasks.markReported(task.id);
      const view = task.output.view();
      const { spec, end, notes } = task;
      const shared = { taskId: task.id, command: spec.command, end, bytes: view.bytes, notes };
      if (offset === undefined) {
        return { data: { ...shared, output: previewOf(view, INLINE), next: undefined } };
      }
      const page = await pageOf(await task.output.keepWhole(), offset);
      const next = offset + page.length;
      return {
        data: {
          ...shared,
          output: toReadableText(page.toString('utf8')),
          next: next < view.bytes ? next : undefined,
        },
      };
    },

    toResult({ taskId, end, output, bytes, next, notes }) {
      const more = next === undefined ? '' : ` Continue with offset ${next}.`;
      const status = `Task ${taskId} ${taskEndOf(end)}; ${outputSizeText(bytes)} of output.${more}`;
      return { content: [output.trimEnd(), status, ...notes].filter((part) => part !== '').join('\n') };
    },
  };
}

function knownTask(tasks: TaskRegistry, id: string): { ok: true } | { ok: false; message: string } {
  return tasks.get(id) ? { ok: true } : { ok: false, message: unknownTask(tasks, id) };
}

function unknownTask(tasks: TaskRegistry, id: string): string {
  const known = tasks.list().map((task) => task.id);
  return `There is no background task ${id}. ${known.length === 0 ? 'None was started.' : `Known: ${known.join(', ')}.`}`;
}

async function untilEnd(task: Task, timeoutMs: number, signal: AbortSignal): Promise<void> {
  const over = Promise.withResolvers<void>();
  const timer = setTimeout(over.resolve, timeoutMs);
  const onAbort = (): void => over.resolve();
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  await Promise.race([task.ended, over.promise]);
  clearTimeout(timer);
  signal.removeEventListener('abort', onAbort);
}

async function pageOf(file: string, offset: number): Promise<Buffer> {
  const handle = await open(file);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(PAGE_BYTES), 0, PAGE_BYTES, offset);
    const page = buffer.subarray(0, bytesRead);
    // A partial character at the end is left for the next page, unless there is nothing else.
    const whole = bytesRead < PAGE_BYTES ? page : dropPartialCharacter(page);
    return whole.length === 0 ? page : whole;
  } finally {
    await handle.close();
  }
}

// TaskStop: ends a background task with all its child processes.

interface TaskStopData {
  readonly taskId: string;
  readonly command: string;
  readonly end: TaskEnd;
}

export function createTaskStopTool(tasks: TaskRegistry): Tool<TaskStopInput, TaskStopData> {
  return {
    name: 'TaskStop',
    description: 'Ends a background task with everything it started.',
    inputJSONSchema: inputSchemas.TaskStop,
    inputSchema: async () => (await import('./schema.ts')).taskStopInput,
    formerNames: ['KillShell', 'KillBash'],
    inputAliases: ID_ALIASES,
    // It ends only tasks that this session started with permission.
    isReadOnly: () => true,
    isConcurrencySafe: () => false,
    isIdempotent: () => true,
    maxResultSize: 10_000,
    interruptBehavior: 'block',
    validateInput: ({ task_id }) => knownTask(tasks, task_id),

    async call({ task_id }) {
      const task = tasks.get(task_id);
      if (!task) throw new Error(unknownTask(tasks, task_id));
      await task.stop('stopped on request');
      const end = await task.ended;
      tasks.markReported(task.id);
      return { data: { taskId: task.id, command: task.spec.command, end } };
    },

    toResult: ({ taskId, end }) => ({ content: `Task ${taskId} ${taskEndOf(end)}.` }),
  };
}
