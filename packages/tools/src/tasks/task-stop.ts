/** TaskStop: ends a background task with all its child processes. */
import type { Tool } from '@heddle/core';
import { inputSchemas } from '../generated/schemas.ts';
import type { TaskRegistry } from './registry.ts';
import type { TaskStopInput } from './schema.ts';
import { taskEndOf, type TaskEnd } from './preview.ts';
import { knownTask, unknownTask } from './task-output.ts';

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
      tasks.markTold(task.id);
      return { data: { taskId: task.id, command: task.spec.command, end } };
    },

    toResult: ({ taskId, end }) => ({ content: `Task ${taskId} ${taskEndOf(end)}.` }),
  };
}
