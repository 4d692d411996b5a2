/** A prompt whose text is of a file: no command is read from it, and it names only files of the working folder. */
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { say, scriptedModel } from '@heddle/testing';
import { expect, it } from 'vitest';
import { createAgent } from '../create-agent.ts';

async function requestOf(content: string): Promise<{ readonly request: string; readonly expanded: number }> {
  const home = mkdtempSync(path.join(os.tmpdir(), 'heddle-prompt-of-file-'));
  const cwd = path.join(home, 'project');
  mkdirSync(cwd);
  writeFileSync(path.join(cwd, 'a.txt'), 'The text of a.');
  writeFileSync(path.join(home, 'secret'), 'The secret.');
  let expanded = 0;
  const model = scriptedModel(() => say('Fine.'));
  const agent = createAgent({
    model,
    modelName: 'claude-opus-4-5',
    tools: [],
    cwd,
    expandPrompt: async (given) => {
      expanded++;
      return { content: given };
    },
  });
  for await (const line of agent.submit({ content, isOfFile: true })) void line;
  await agent.settle();
  expect(model.calls).toHaveLength(1);
  return { request: JSON.stringify([...(model.calls[0]?.request.messages ?? [])]), expanded };
}

it.each(['/continue', '/compact', '/compact the rest', '/deploy now'])(
  'sends %j to the model',
  async (text) => {
    const { request, expanded } = await requestOf(text);
    expect(request).toContain(text);
    expect(expanded).toBe(0);
  },
);

it('attaches files of the working folder alone', async () => {
  const { request } = await requestOf('Read @a.txt and @../secret now.');
  expect(request).toContain('The text of a.');
  expect(request).not.toContain('The secret.');
});
