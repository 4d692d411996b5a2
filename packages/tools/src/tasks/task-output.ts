/** TaskOutput: shows the output of a background task, and whether it has ended. Contract: idempotent. */
import { open } from 'node:fs/promises';
import type { Tool } from '@heddle/core';
import { inputSchemas } from '../generated/schemas.ts';
import { wholeLetters } from './output.ts';
import { previewOf, readable, sizeText, type TaskEnd, taskEndOf } from './preview.ts';
import type { TaskRegistry } from './registry.ts';
import type { TaskOutputInput } from './schema.ts';
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
      if (task.end) tasks.markTold(task.id);
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
          output: readable(page.toString('utf8')),
          next: next < view.bytes ? next : undefined,
        },
      };
    },

    toResult({ taskId, end, output, bytes, next, notes }) {
      const more = next === undefined ? '' : ` Continue with offset ${next}.`;
      const status = `Task ${taskId} ${taskEndOf(end)}; ${sizeText(bytes)} of output.${more}`;
      return { content: [output.trimEnd(), status, ...notes].filter((part) => part !== '').join('\n') };
    },
  };
}

export function knownTask(tasks: TaskRegistry, id: string): { ok: true } | { ok: false; message: string } {
  return tasks.get(id) ? { ok: true } : { ok: false, message: unknownTask(tasks, id) };
}

export function unknownTask(tasks: TaskRegistry, id: string): string {
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
    const whole = bytesRead < PAGE_BYTES ? page : wholeLetters(page);
    return whole.length === 0 ? page : whole;
  } finally {
    await handle.close();
  }
}
