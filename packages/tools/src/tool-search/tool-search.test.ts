import { contextOf, fakeTool } from '@heddle/testing';
import { describe, expect, it } from 'vitest';
import { createToolSearchTool } from './tool-search.ts';

const tools = [
  fakeTool({ name: 'NotebookEdit', description: 'Changes a cell of a notebook.' }),
  fakeTool({ name: 'WebFetch', description: 'Fetches a web page.' }),
  fakeTool({ name: 'mcp__github__create_issue', description: 'Opens an issue in a repository.' }),
];

async function search(query: string, max_results?: number) {
  const tool = createToolSearchTool(tools);
  const context = { ...contextOf({ tools: [tool] }), toolUseId: 's1' };
  const input = max_results === undefined ? { query } : { query, max_results };
  const { data, newContext } = await tool.call(input, context, () => undefined);
  const later = newContext?.(context) ?? context;
  return {
    found: data.found.map(({ name }) => name),
    content: tool.toResult(data).content,
    later: later.tools.map(({ name }) => name),
    again: newContext?.(later).tools.length,
  };
}

describe('ToolSearch', () => {
  it.each([
    ['notebook', ['NotebookEdit']],
    ['web page', ['WebFetch']],
    ['github issue', ['mcp__github__create_issue']],
    ['select:WebFetch,notebookedit', ['NotebookEdit', 'WebFetch']],
    ['fetch', ['WebFetch']],
    ['nothing of the kind', []],
  ])('finds for %j', async (query, expected) => {
    expect((await search(query)).found).toEqual(expected);
  });

  it('makes what it found callable, once', async () => {
    const { content, later, again } = await search('select:WebFetch');
    expect(content).toEqual([
      { type: 'text', text: 'These tools can be called now: WebFetch.' },
      {
        type: 'tool_reference',
        tool_name: 'WebFetch',
        definition: { description: 'Fetches a web page.', input_schema: { type: 'object' } },
      },
    ]);
    expect(later).toEqual(['ToolSearch', 'WebFetch']);
    expect(again).toBe(2);
  });

  it('names what there is', async () => {
    expect((await search('zzz')).content).toBe(
      'No tool fits. There are: NotebookEdit, WebFetch, mcp__github__create_issue.',
    );
    expect(createToolSearchTool(tools).description).toContain('NotebookEdit, WebFetch');
  });

  it('gives no more than asked for', async () => {
    expect((await search('notebook web', 1)).found).toHaveLength(1);
  });

  it.each([{}, { query: '' }, { query: 'a', max_results: 0 }, { query: 'a', all: true }])(
    'refuses the input %j',
    async (input) => {
      expect((await createToolSearchTool([]).inputSchema()).safeParse(input).success).toBe(false);
    },
  );
});
