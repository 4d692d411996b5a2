import { contextOf } from '@heddle/testing';
import { describe, expect, it } from 'vitest';
import { createTodoWriteTool, TodoList } from './todo-write.ts';

const todos = [
  { content: 'Look', status: 'completed' as const },
  { content: 'Act', status: 'in_progress' as const, activeForm: 'Acting' },
];

describe('TodoWrite', () => {
  it('keeps the list, one for each agent', async () => {
    const list = new TodoList();
    const tool = createTodoWriteTool(list);
    const { data } = await tool.call({ todos }, { ...contextOf(), toolUseId: 't1' }, () => undefined);
    expect(tool.toResult(data).content).toBe('The list is kept: 1 of 2 done.');
    await tool.call({ todos: [] }, { ...contextOf({ agentId: 'child' }), toolUseId: 't2' }, () => undefined);
    expect(list.get()).toEqual(todos);
    expect(list.get('child')).toEqual([]);
  });

  it('returns the previous list', async () => {
    const tool = createTodoWriteTool(new TodoList());
    await tool.call({ todos }, { ...contextOf(), toolUseId: 't1' }, () => undefined);
    const { data } = await tool.call({ todos: [] }, { ...contextOf(), toolUseId: 't2' }, () => undefined);
    expect(data).toEqual({ oldTodos: todos, newTodos: [] });
  });

  it.each([
    {},
    { todos: 'x' },
    { todos: [{ content: 'a' }] },
    { todos: [{ content: '', status: 'pending' }] },
    { todos: [{ content: 'a', status: 'soon' }] },
  ])('rejects the input %j', async (input) => {
    expect((await createTodoWriteTool(new TodoList()).inputSchema()).safeParse(input).success).toBe(false);
  });
});
