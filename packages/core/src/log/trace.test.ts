/** The trace of an interrupted or unfinished log. */
import { expect, it } from 'vitest';
import { queryConfig } from '../machine/config.ts';
import { NO_USAGE } from '../messages/usage.ts';
import type { EntryBody } from './entry.ts';
import { recordedRuns } from './recorded.ts';
import { traceRun } from './replay.ts';

const prompt: EntryBody = { type: 'user', message: { type: 'user', uuid: 'u1', at: 0, content: 'go' } };
const called: EntryBody = {
  type: 'assistant',
  message: {
    type: 'assistant',
    uuid: 'a1',
    at: 0,
    responseId: 'r',
    model: 'm',
    content: [{ type: 'tool_use', id: 'c1', name: 'Read', input: {} }],
  },
};
const answer: EntryBody = {
  type: 'answer',
  responseId: 'r',
  model: 'm',
  stopReason: 'tool_use',
  usage: NO_USAGE,
};
const intent: EntryBody = { type: 'intent', toolUseId: 'c1', tool: 'Read', input: {}, effect: 'read_only' };
const result = resultOf('x');

function resultOf(content: string): EntryBody {
  const block = { type: 'tool_result', tool_use_id: 'c1', content } as const;
  return { type: 'user', message: { type: 'user', uuid: 'u2', at: 0, content: [block] } };
}

function traced(...entries: readonly EntryBody[]): string[][] {
  const [run = []] = recordedRuns(entries);
  return traceRun(run, queryConfig({ sessionId: '' })).map(({ verdict, steps }) => {
    const words: string[] = [verdict];
    for (const { event, decision } of steps)
      words.push(`${event.type} → ${decision.kind === 'do' ? decision.effect.type : decision.kind}`);
    return words;
  });
}

it('explains an interrupted run by the abort, not by an error', () => {
  expect(traced(prompt, { type: 'end', terminal: { reason: 'aborted_streaming' } })).toEqual([
    ['confirmed', 'began → prepare', 'prepared → stream', 'streamed → stop'],
  ]);
});

it.each([
  ['before the model was asked', [], ['began → prepare']],
  [
    'while a call ran',
    [called, answer, intent],
    ['began → prepare', 'prepared → stream', 'streamed → run_tools'],
  ],
  ['in the middle of an answer', [called, intent], ['began → prepare', 'prepared → stream']],
  [
    'when the calls were done',
    [called, answer, intent, result],
    ['began → prepare', 'prepared → stream', 'streamed → run_tools', 'tools_ran → attach'],
  ],
])('traces a run that ended %s up to the end of the log', (_, entries, steps) => {
  expect(traced(prompt, ...entries)).toEqual([['undecided', ...steps]]);
});

it('leaves a hook decision about a call of an earlier run to the engine', () => {
  const end: EntryBody = { type: 'end', terminal: { reason: 'hook_stopped', hook: 'h', message: 'Enough.' } };
  expect(traced(prompt, end)).toEqual([['undecided']]);
});

it('traces a run of 400 iterations within the deadline: the states to follow do not multiply', () => {
  const turns = Array.from({ length: 400 }, (_, turn): EntryBody[] => [
    called,
    answer,
    intent,
    resultOf(`result ${turn}`),
    { type: 'transition', transition: { reason: 'next_turn' }, turnCount: turn + 2 },
  ]);
  const verdicts = traced(prompt, ...turns.flat()).map(([verdict]) => verdict);
  expect(verdicts).toEqual([...turns.map(() => 'confirmed'), 'undecided']);
});
