/** The start of each request in the log. */
import type { Entry, ModelPort } from '@heddle/core';
import { call, collect, EVENT_DEADLINE_MS, fakeTool, say, scriptedModel } from '@heddle/testing';
import { expect, it, vi } from 'vitest';
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

/** A model that answers when its caller gives up. */
function silentModel(onCall: () => void): ModelPort {
  return (_request, signal) => {
    onCall();
    const end = new Promise<{ done: true; value: undefined }>((resolve) => {
      signal.addEventListener('abort', () => resolve({ done: true, value: undefined }));
    });
    return { [Symbol.asyncIterator]: () => ({ next: () => end }) };
  };
}

it('sends a request before its entry is stored, and stores the entry while the model is silent', async () => {
  const session = memorySession('s', Date.now);
  const stored = () => session.journal.entries.filter(({ type }) => type === 'request').length;
  const storedAtCall: number[] = [];
  const model = silentModel(() => storedAtCall.push(stored()));
  const agent = createAgent({ model, modelName: 'scripted', tools: [], cwd: '/', session });
  const run = collect(agent.submit('Wait'));
  await vi.waitFor(() => expect(stored()).toBe(1), EVENT_DEADLINE_MS);
  agent.abort('cancel');
  await run;
  expect(storedAtCall).toEqual([0]);
  expect(session.journal.entries.map(({ type }) => type).indexOf('request')).toBeGreaterThan(0);
});

it('stores the entry of a call that is aborted at once before the end of the run', async () => {
  const session = memorySession('s', Date.now);
  const model = silentModel(() => agent.abort('cancel'));
  const agent = createAgent({ model, modelName: 'scripted', tools: [], cwd: '/', session });
  for await (const _line of agent.submit('Wait')) void _line;
  const types = session.journal.entries.map(({ type }) => type);
  expect(types.filter((type) => type === 'request' || type === 'end')).toEqual(['request', 'end']);
});
