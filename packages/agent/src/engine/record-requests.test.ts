/** The start of each request in the log. */
import type { Entry } from '@heddle/core';
import { call, fakeTool, say, scriptedModel } from '@heddle/testing';
import { expect, it } from 'vitest';
import { createAgent } from '../create-agent.ts';
import { memorySession } from '../session/open/memory.ts';

async function play(): Promise<readonly Entry[]> {
  let now = 0;
  const session = memorySession('s', () => ++now);
  const model = scriptedModel([call('Look', {}, 'c1'), say('Nothing found.')]);
  const tools = [fakeTool({ name: 'Look', readOnly: true })];
  const agent = createAgent({ model, modelName: 'scripted', tools, cwd: '/', session });
  for await (const _line of agent.submit('Look for files')) void _line;
  return session.journal.entries;
}

it('stores sizes, window and threshold before each request', async () => {
  const entries = await play();
  const requests = entries.flatMap((entry) => (entry.type === 'request' ? [entry] : []));
  const [first, second] = requests;
  expect(requests).toHaveLength(2);
  expect(first).toMatchObject({ model: 'scripted', window: 200_000, chars: { results: 0 } });
  expect(first?.threshold).toBeLessThan(200_000);
  expect(first?.chars.tools).toBeGreaterThan(0);
  expect(second?.chars.results).toBeGreaterThan(0);
  expect(second?.chars.messages).toBeGreaterThan(first?.chars.messages ?? 0);
  expect(entries.findIndex(({ type }) => type === 'request')).toBeLessThan(
    entries.findIndex(({ type }) => type === 'assistant'),
  );
});

it('stores the time of the first record with each answer', async () => {
  const answers = (await play()).flatMap((entry) => (entry.type === 'answer' ? [entry] : []));
  expect(answers).toHaveLength(2);
  for (const { firstAt, at } of answers) {
    expect(firstAt).toBeGreaterThan(0);
    expect(at).toBeGreaterThan(0);
  }
});
