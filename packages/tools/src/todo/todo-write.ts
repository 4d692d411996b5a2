/** TodoWrite: the model's own list of steps, shown to the user and carried over when the history is shortened. */
import type { Tool } from '@heddle/core';
import { inputSchemas } from '../generated/schemas.ts';
import type { TodoWriteInput } from './schema.ts';
import type { Todo, TodoList } from './todo-list.ts';

export interface TodoWriteData {
  readonly oldTodos: readonly Todo[];
  readonly newTodos: readonly Todo[];
}

export function createTodoWriteTool(list: TodoList): Tool<TodoWriteInput, TodoWriteData> {
  return {
    name: 'TodoWrite',
    description:
      'Keeps your list of steps for work that has several. One is in progress at a time; mark each when it is done.',
    inputJSONSchema: inputSchemas.TodoWrite,
    inputSchema: async () => (await import('./schema.ts')).todoWriteInput,
    // It changes nothing outside this conversation.
    isReadOnly: () => true,
    isConcurrencySafe: () => false,
    isIdempotent: () => true,
    maxResultSize: 10_000,
    interruptBehavior: 'block',

    call({ todos }, { agentId }) {
      const oldTodos = list.get(agentId);
      list.set(todos, agentId);
      return Promise.resolve({ data: { oldTodos, newTodos: todos } });
    },

    toResult({ newTodos }) {
      const done = newTodos.filter(({ status }) => status === 'completed').length;
      return { content: `The list is kept: ${done} of ${newTodos.length} done.` };
    },
  };
}
