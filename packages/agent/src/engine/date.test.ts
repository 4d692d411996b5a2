/** A conversation that outlives the day it began on. */
import { say, scriptedModel } from '@heddle/testing';
import { expect, it } from 'vitest';
import { createAgent } from '../create-agent.ts';
import { sessionContext } from '../prompt/session-context.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;

async function talk(days: readonly number[], begun: boolean): Promise<string[]> {
  const start = new Date(2026, 10, 15, 12).getTime();
  let now = start;
  const model = scriptedModel(days.map(() => say('Yes.')));
  const places = { cwd: '/', env: {}, instructions: [], directories: [], now, bare: true };
  const agent = createAgent({
    model,
    modelName: 'scripted',
    tools: [],
    cwd: '/',
    ...(begun ? sessionContext(places) : {}),
    clock: { now: () => now, sleep: () => Promise.resolve() },
  });
  for (const day of days) {
    now = start + day * DAY_MS;
    for await (const _ of agent.submit(`day ${day}`)) void _;
  }
  model.assertNoViolations();
  return model.calls.map(({ request }) => JSON.stringify([...request.messages]));
}

it('is told of a new day once, and the date it began with stays where it was', async () => {
  const requests = await talk([0, 0, 1, 1, 2], true);
  const dates = requests.map((request) => request.match(/The date is now [\d-]+/g) ?? []);
  expect(dates).toEqual([
    [],
    [],
    ['The date is now 2026-11-16'],
    ['The date is now 2026-11-16'],
    ['The date is now 2026-11-16', 'The date is now 2026-11-17'],
  ]);
  for (const request of requests) expect(request).toContain("# Today's date\\n2026-11-15");
});

it('is told nothing where no date was told at the start', async () => {
  expect((await talk([0, 5], false)).join('')).not.toContain('The date is now');
});
