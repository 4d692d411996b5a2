/**
 * A worked trace at the level of `query`: a script of the model, and the events and requests that it gives. `trace.test.ts`
 * of the agent covers entries and SDK lines. `docs/machine.md` has the decisions.
 */
import {
  breakOff,
  call,
  cut,
  fakeAttachments,
  fakeTool,
  fakeTurnEnd,
  say,
  shapesOf,
  unfinished,
} from '@heddle/testing';
import { describe, expect, it } from 'vitest';
import { play, type Played } from './test/play.ts';

const script = [
  [say('Let me look'), breakOff()],
  [
    say('I read the test first'),
    call('Read', { path: 'test.js' }, 'r1'),
    call('Bash', { command: 'npm test' }, 'b1'),
  ],
  [unfinished(say('The test expects the sum, and now I will tell you at length…')), cut()],
  call('Edit', { path: 'sum.js' }, 'e1'),
  say('Fixed.'),
];

function trace(): Promise<Played> {
  return play(script, {
    prompt: 'the test fails, fix it',
    tools: [
      fakeTool({ name: 'Read', result: 'expect(sum(1, 2)).toBe(3)' }),
      fakeTool({ name: 'Bash', readOnly: false, progress: ['1 test'], fails: 'exit code 1' }),
      fakeTool({ name: 'Edit', readOnly: false, intent: { before: 'h1', after: 'h2' }, result: 'edited' }),
    ],
    params: { userContext: { project: 'A small library.' } },
    config: { gates: { emitToolUseSummaries: true } },
    deps: {
      random: () => 0.8,
      turnEnd: fakeTurnEnd({ progress: [{ type: 'hook_progress', hook: 'lint', text: 'clean' }] }),
      attachments: fakeAttachments({
        gathered: [[{ kind: 'changed_file', path: 'test.js', note: 'test.js changed on disk' }]],
      }),
      summarizeTools: (calls) =>
        Promise.resolve(calls.length === 2 ? 'read the test, ran it: 1 failure' : undefined),
    },
  });
}

describe('one prompt through everything', () => {
  it('yields these events, in this order, and completes', async () => {
    const { lines, terminal } = await trace();
    expect(lines).toEqual([
      'request',
      'a1 text "Let me look"',
      'spent',
      'retry network 2/11 in 600 ms',
      'tombstone a1',
      'a2 text "I read the test first"',
      'a3 call r1 Read',
      'intent r1',
      'a4 call b1 Bash',
      't1 result r1 "expect(sum(1, 2)).toBe(3)"',
      'answer_end tool_use',
      'intent b1',
      'progress b1 "1 test"',
      't2 result b1! "exit code 1"',
      'attachment changed_file',
      '→ next_turn',
      'request',
      'summary "read the test, ran it: 1 failure"',
      'spent',
      '→ max_output_tokens_escalate',
      'request',
      'a5 call e1 Edit',
      'answer_end tool_use',
      'intent e1',
      't3 result e1 "edited"',
      '→ next_turn',
      'request',
      'a6 text "Fixed."',
      'answer_end end_turn',
      'hook lint "clean"',
    ]);
    expect(terminal).toEqual({ reason: 'completed' });
  });

  it('stores the details for a resume in the intent', async () => {
    const { events } = await trace();
    const intents = events.filter((event) => event.type === 'tool_intent');
    expect(intents.map(({ toolUseId, effect, details }) => ({ toolUseId, effect, details }))).toEqual([
      { toolUseId: 'r1', effect: 'read_only', details: undefined },
      { toolUseId: 'b1', effect: 'writing', details: undefined },
      { toolUseId: 'e1', effect: 'writing', details: { before: 'h1', after: 'h2' } },
    ]);
  });

  it('sends these requests', async () => {
    const { model } = await trace();
    expect(shapesOf(model.calls.map(({ request }) => request))).toEqual([
      'system[m] | user:reminder text[m]',
      'same bytes as 1',
      '… [m] | assistant:text tool_use(r1) tool_use(b1) | user:tool_result(r1) tool_result(b1)! reminder[m]',
      'same messages as 3, max_tokens 64000',
      '… [m] | assistant:tool_use(e1) | user:tool_result(e1)[m], max_tokens 8192',
    ]);
  });

  it('repeats the request with the same bytes, and keeps every prefix', async () => {
    const { model } = await trace();
    const [first, retry, third, escalated, fifth] = model.calls.map((recorded) => recorded.bytes());
    expect(retry).toEqual(first);
    expect(escalated).toEqual(third);
    expect(model.calls.map(({ request }) => request.max_tokens)).toEqual([
      8_192, 8_192, 8_192, 64_000, 8_192,
    ]);
    expect(unmarked(third)).toSatisfy((bytes: string) => bytes.startsWith(unmarked(first).slice(0, -1)));
    expect(unmarked(fifth)).toSatisfy((bytes: string) => bytes.startsWith(unmarked(third).slice(0, -1)));
  });
});

/** Cache marks move from request to request, so they are left out of the comparison. */
function unmarked(bytes: Uint8Array | undefined): string {
  return new TextDecoder().decode(bytes).replaceAll(/,"cache_control":\{[^}]*\}/g, '');
}
