import { contextOf } from '@heddle/testing';
import type { AssistantMessage, JsonObject } from '@heddle/core';
import { describe, expect, it } from 'vitest';
import { TodoList, todosIn } from './todo-write.ts';
import { createTaskTools } from './task-tools.ts';

type Step = readonly [tool: string, input: JsonObject];

const STEPS: readonly Step[] = [
  ['TaskCreate', { subject: 'Look', activeForm: 'Looking' }],
  ['TaskCreate', { subject: 'Act', description: 'With care.' }],
  ['TaskUpdate', { taskId: '1', status: 'completed' }],
  ['TaskUpdate', { taskId: '2', addBlockedBy: ['1'], owner: 'me' }],
  ['TaskCreate', { subject: 'Rest' }],
  ['TaskUpdate', { taskId: '3', status: 'deleted' }],
];

async function play(steps: readonly Step[], list = new TodoList()): Promise<string[]> {
  const tools = createTaskTools(list);
  const results: string[] = [];
  for (const [name, input] of steps) {
    const tool = tools.find((one) => one.name === name);
    if (!tool) throw new Error(name);
    const { data } = await tool.call(input, { ...contextOf(), toolUseId: 't' }, () => undefined);
    const { content } = tool.toResult(data);
    results.push(typeof content === 'string' ? content : JSON.stringify(content));
  }
  return results;
}

describe('the task tools', () => {
  it('create, change, show and remove steps by their number', async () => {
    expect(await play([...STEPS, ['TaskList', {}], ['TaskGet', { taskId: '2' }]])).toEqual([
      'Task #1 created: Look',
      'Task #2 created: Act',
      'Task #1 updated: #1 [completed] Look',
      'Task #2 updated: #2 [pending] Act (me) [waits for #1]',
      'Task #3 created: Rest',
      'Task #3 updated: #3 [pending] Rest',
      '#1 [completed] Look\n#2 [pending] Act (me) [waits for #1]',
      '#2 [pending] Act (me) [waits for #1]\nWith care.',
    ]);
  });

  it('share the list of TodoWrite', async () => {
    const list = new TodoList();
    list.set([{ content: 'Old', status: 'in_progress' }]);
    expect(
      await play(
        [
          ['TaskUpdate', { taskId: '1', status: 'completed' }],
          ['TaskCreate', { subject: 'New' }],
        ],
        list,
      ),
    ).toEqual(['Task #1 updated: #1 [completed] Old', 'Task #2 created: New']);
    expect(list.get().map(({ content, status }) => [content, status])).toEqual([
      ['Old', 'completed'],
      ['New', 'pending'],
    ]);
  });

  it('say which task does not exist', async () => {
    expect(await play([['TaskUpdate', { taskId: '7', status: 'completed' }]])).toEqual([
      'There is no task #7. TaskList shows the tasks.',
    ]);
  });

  it('leave the same list after a resume', async () => {
    const list = new TodoList();
    await play(STEPS, list);
    const messages = STEPS.map(
      ([name, input], index): AssistantMessage => ({
        type: 'assistant',
        uuid: `a${index}`,
        at: 0,
        responseId: `m${index}`,
        model: 'm',
        content: [{ type: 'tool_use', id: `c${index}`, name, input }],
      }),
    );
    expect(todosIn(messages)).toEqual(list.get());
  });
});
