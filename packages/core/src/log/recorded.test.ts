/** The facts of a run that a log contains. */
import { expect, it } from 'vitest';
import type { EntryBody } from './entry.ts';
import { recordedRuns } from './recorded.ts';

const prompt: EntryBody = { type: 'user', message: { type: 'user', uuid: 'u1', at: 0, content: 'go' } };
const end: EntryBody = { type: 'end', terminal: { reason: 'completed' } };
const level = (details?: { failed: string }): EntryBody => ({
  type: 'context',
  report: {
    level: 'autocompact',
    tokensBefore: 2,
    tokensAfter: 1,
    rewrotePrefix: false,
    ...(details ? { details } : {}),
  },
});

it.each([
  ['made a change', level(), ['autocompact'], []],
  ['failed', level({ failed: 'no summary' }), [], ['autocompact']],
])('reports which level %s', (_, entry, did, tried) => {
  const [run = []] = recordedRuns([prompt, entry, end]);
  expect(run.map(({ levels, failedLevels }) => [[...levels], [...failedLevels]])).toEqual([[did, tried]]);
});

it('assigns the entries between two runs to the second run', () => {
  const title: EntryBody = { type: 'title', title: 'named' };
  const runs = [...recordedRuns([prompt, end, title, prompt, end])];
  expect(runs.map(([first]) => first?.entries.map(({ type }) => type))).toEqual([
    ['user', 'end'],
    ['title', 'user', 'end'],
  ]);
});
