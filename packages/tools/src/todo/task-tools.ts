/**
 * TaskCreate, TaskUpdate, TaskGet and TaskList: the list of steps one by one, the interface of newer
 * models. They share the list of TodoWrite, so that a conversation can use either.
 */
import type { Tool, ToolUseContext } from '@heddle/core';
import { inputSchemas } from '../generated/schemas.ts';
import type { TaskCreateInput, TaskGetInput, TaskListInput, TaskUpdateInput } from './schema.ts';
import {
  numberTask,
  type Todo,
  type TodoList,
  type TodoWriteData,
  withChangedTask,
  withTask,
} from './todo-write.ts';

/** They change nothing outside this conversation. */
const TRAITS = {
  isReadOnly: () => true,
  isConcurrencySafe: () => false,
  maxResultSize: 10_000,
  interruptBehavior: 'block',
} as const;

interface TaskData extends TodoWriteData {
  readonly task: Todo | undefined;
  readonly taskId: string;
}

export function createTaskTools(list: TodoList): readonly Tool[] {
  return [createTool(list), updateTool(list), getTool(list), listTool(list)];
}

function createTool(list: TodoList): Tool<TaskCreateInput, TaskData> {
  return {
    ...TRAITS,
    name: 'TaskCreate',
    description: 'Adds a step to your list for work that has several. It starts as pending.',
    inputJSONSchema: inputSchemas.TaskCreate,
    inputSchema: async () => (await import('./schema.ts')).taskCreateInput,
    inputAliases: { content: 'subject', title: 'subject', metadata: null },
    call({ subject, description, activeForm }, context) {
      const newTodos = withTask(list.get(context.agentId), { content: subject, description, activeForm });
      const task = newTodos.at(-1);
      return Promise.resolve({
        data: { ...replaced(list, context, newTodos), task, taskId: task?.id ?? '' },
      });
    },
    toResult: ({ task }) => ({ content: `Task #${task?.id} created: ${task?.content}` }),
  };
}

function updateTool(list: TodoList): Tool<TaskUpdateInput, TaskData> {
  return {
    ...TRAITS,
    name: 'TaskUpdate',
    description: 'Changes a step of your list: its status, its text, or which steps it waits for.',
    inputJSONSchema: inputSchemas.TaskUpdate,
    inputSchema: async () => (await import('./schema.ts')).taskUpdateInput,
    inputAliases: { id: 'taskId', task_id: 'taskId', metadata: null },
    call(input, context) {
      const todos = list.get(context.agentId);
      const newTodos = withChangedTask(todos, input);
      const { taskId } = input;
      if (!newTodos)
        return Promise.resolve({ data: { oldTodos: todos, newTodos: todos, task: undefined, taskId } });
      const task =
        newTodos.find(({ id }) => id === taskId) ?? numbered(todos).find(({ id }) => id === taskId);
      return Promise.resolve({ data: { ...replaced(list, context, newTodos), task, taskId } });
    },
    toResult: ({ task, taskId }) =>
      task
        ? { content: `Task #${taskId} updated: ${line(task)}` }
        : { content: missing(taskId), isError: true },
  };
}

function getTool(
  list: TodoList,
): Tool<TaskGetInput, { readonly task: Todo | undefined; readonly taskId: string }> {
  return {
    ...TRAITS,
    name: 'TaskGet',
    description: 'Shows one step of your list with its description.',
    inputJSONSchema: inputSchemas.TaskGet,
    inputSchema: async () => (await import('./schema.ts')).taskGetInput,
    inputAliases: { id: 'taskId', task_id: 'taskId' },
    call({ taskId }, { agentId }) {
      const task = numbered(list.get(agentId)).find(({ id }) => id === taskId);
      return Promise.resolve({ data: { task, taskId } });
    },
    toResult({ task, taskId }) {
      if (!task) return { content: missing(taskId), isError: true };
      return { content: [line(task), task.description ?? ''].filter(Boolean).join('\n') };
    },
  };
}

function listTool(list: TodoList): Tool<TaskListInput, { readonly tasks: readonly Todo[] }> {
  return {
    ...TRAITS,
    name: 'TaskList',
    description: 'Shows your list of steps.',
    inputJSONSchema: inputSchemas.TaskList,
    inputSchema: async () => (await import('./schema.ts')).taskListInput,
    call: (_input, { agentId }) => Promise.resolve({ data: { tasks: numbered(list.get(agentId)) } }),
    toResult: ({ tasks }) => ({ content: tasks.map(line).join('\n') || 'The list is empty.' }),
  };
}

function replaced(list: TodoList, { agentId }: ToolUseContext, newTodos: readonly Todo[]): TodoWriteData {
  const oldTodos = list.get(agentId);
  list.set(newTodos, agentId);
  return { oldTodos, newTodos };
}

function numbered(todos: readonly Todo[]): readonly Todo[] {
  return todos.map((todo, index) => numberTask(todo, index));
}

function line({ id, status, content, owner, blockedBy = [] }: Todo): string {
  const by = owner === undefined ? '' : ` (${owner})`;
  const waits =
    blockedBy.length === 0 ? '' : ` [waits for ${blockedBy.map((other) => `#${other}`).join(', ')}]`;
  return `#${id} [${status}] ${content}${by}${waits}`;
}

function missing(taskId: string): string {
  return `There is no task #${taskId}. TaskList shows the tasks.`;
}
