/** A local model whose server passes its markup on as text: calls run, thinking is separated, and the rest is reported. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { isRecord } from '@heddle/core';
import { say, startFakeProvider } from '@heddle/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { homeFor } from './test/home.ts';
import { install, type Installed, linesOf } from './test/program.ts';

let installed: Installed;
beforeAll(async () => {
  installed = await install();
});
afterAll(() => installed.remove());

/** One answer per format, in the order of the conversation. Each calls Read. */
const WRITTEN = [
  '<think>I look.</think><tool_call>{"name": "Read", "arguments": {"file_path": "a.txt"}}</tool_call>',
  '<tool_call>{"name": "read", "arguments": "{\\"file_path\\": \\"a.txt\\"}"}</tool_call>',
  '<function=Read><parameter=file_path>a.txt</parameter><parameter=limit>1</parameter></function>',
  '<function=Read>{"file_path": "a.txt"}</function>',
  '[TOOL_CALLS]Read[ARGS]{"file_path": "a.txt"}',
  '<|python_tag|>{"name": "Read", "parameters": {"file_path": "a.txt"}}',
  '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>Read<｜tool▁sep｜>{"file_path": "a.txt"}<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
  '<tool_call>Read\n<arg_key>file_path</arg_key>\n<arg_value>a.txt</arg_value>\n</tool_call>',
];

it.each([
  ['ollama/qwen3:8b', 'OLLAMA_HOST', ''],
  ['openai-compatible/qwen3', 'OPENAI_COMPATIBLE_BASE_URL', '/v1'],
])('runs the calls that %s writes as text', async (model, variable, suffix) => {
  const home = homeFor(installed.program);
  writeFileSync(path.join(home.folder, 'a.txt'), 'the content\n');
  const unread = '```tool_code\nRead(file_path="a.txt")\n```';
  const server = await startFakeProvider(
    'chat',
    [...WRITTEN, unread].map((text) => say(text)),
    {
      models: ['qwen3:8b', 'qwen3'],
    },
  );
  try {
    const { stdout } = await home.run(
      ['-p', 'go', '--model', model, '--output-format', 'stream-json', '--verbose'],
      { env: { [variable]: server.url + suffix } },
    );
    server.assertNoViolations();
    const lines = linesOf(stdout);
    const results = lines
      .filter(({ type }) => type === 'user')
      .map((line) => JSON.stringify(line['message']));
    expect(results).toHaveLength(WRITTEN.length);
    for (const result of results) expect(result).toContain('the content');
    expect(stdout).toContain('"thinking":"I look."');
    expect(lines.at(-1)).toMatchObject({ type: 'result', result: unread, num_turns: WRITTEN.length + 1 });
    expect(lines).toContainEqual(
      expect.objectContaining({
        subtype: 'informational',
        content: expect.stringContaining('Let the server parse'),
      }),
    );
  } finally {
    await server.close();
  }
});

describe('thinking whose beginning is in the template of the model', () => {
  const thought = 'The user greets me.\nI greet back.';

  it.each([
    ['ollama/mine', 'OLLAMA_HOST', ''],
    ['openai-compatible/mine', 'OPENAI_COMPATIBLE_BASE_URL', '/v1'],
  ])('is not part of the answer of %s', async (model, variable, suffix) => {
    const home = homeFor(installed.program);
    const server = await startFakeProvider('chat', [say(thought, '\n</thi', 'nk>\n\n', 'Hello.')], {
      models: ['mine'],
    });
    try {
      const flags = ['--output-format', 'stream-json', '--verbose', '--include-partial-messages'];
      const { stdout } = await home.run(['-p', 'Hi.', '--model', model, ...flags], {
        env: { [variable]: server.url + suffix },
      });
      const lines = linesOf(stdout);
      const blocks = lines.filter(({ type }) => type === 'assistant').map(({ message }) => message);
      expect(blocks).toMatchObject([
        { content: [{ type: 'thinking', thinking: `${thought}\n` }] },
        { content: [{ type: 'text', text: '\n\nHello.' }] },
      ]);
      expect(String(lines.at(-1)?.['result']).trim()).toBe('Hello.');
      // The text was streamed before its end was known. Then its block begins again.
      const begun = lines.flatMap(({ event }) =>
        isRecord(event) && event['type'] === 'content_block_start' ? [event] : [],
      );
      expect(begun).toMatchObject([
        { index: 0, content_block: { type: 'text' } },
        { index: 0, content_block: { type: 'thinking' } },
        { index: 1, content_block: { type: 'text' } },
      ]);
    } finally {
      await server.close();
    }
  });
});
