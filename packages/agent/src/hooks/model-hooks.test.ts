/** Handlers that call a tool of an MCP server. */
import { expect, it } from 'vitest';
import { readHooks } from './definition.ts';
import { type McpToolCall, mcpToolHandler } from './model-hooks.ts';

const { hooks } = readHooks(
  {
    PostToolUse: [
      {
        hooks: [
          {
            type: 'mcp_tool',
            server: 'audit',
            tool: 'check',
            input: {
              file: '${tool_input.file_path}',
              all: ['${tool_name}', 3],
              gone: '${none.here}',
              raw: '${tool_input}',
            },
          },
        ],
      },
    ],
  },
  { source: 'test' },
);
const [hook] = hooks;
const event = { tool_name: 'Edit', tool_input: { file_path: 'a.ts' } };
const { signal } = new AbortController();

it('a hook calls an MCP tool with fields of the event, and its text is the output', async () => {
  if (!hook) throw new Error('The hook was not read.');
  const calls: McpToolCall[] = [];
  const handler = mcpToolHandler(async (call) => {
    calls.push(call);
    return { ok: true, text: '{"decision":"block","reason":"Not audited."}' };
  });
  const result = await handler({ hook, input: event, toolUseId: undefined, signal });
  expect(calls).toMatchObject([
    {
      server: 'audit',
      tool: 'check',
      input: { file: 'a.ts', all: ['Edit', 3], gone: '', raw: '{"file_path":"a.ts"}' },
    },
  ]);
  expect(result).toMatchObject({ kind: 'exited', code: 0, stdout: expect.stringContaining('Not audited.') });
});

it('a hook whose MCP tool fails has failed', async () => {
  if (!hook) throw new Error('The hook was not read.');
  const handler = mcpToolHandler(async () => ({ ok: false, message: 'There is no tool check.' }));
  expect(await handler({ hook, input: event, toolUseId: undefined, signal })).toMatchObject({
    kind: 'failed',
    failure: { message: 'There is no tool check.' },
  });
});
