/** The seven transitions through the public `query`: the script, the events, the requests, the terminal. */
import {
  call,
  compactorTo,
  cut,
  fail,
  failingCompactor,
  fakeContext,
  fakeTool,
  fakeTurnEnd,
  say,
  stop,
  unfinished,
  usage,
  windowFull,
} from '@heddle/testing';
import { describe, expect, it } from 'vitest';
import { play } from './test/play.ts';

const read = fakeTool({ name: 'Read', result: 'three lines' });

describe('next_turn', () => {
  it('continues with the answer and the results', async () => {
    const script = [[say('I look.'), call('Read', { path: 'a' }, 'r1')], say('Done.')];
    const { lines, requests, terminal } = await play(script, { tools: [read] });
    expect(lines).toEqual([
      'request',
      'a1 text "I look."',
      'a2 call r1 Read',
      'intent r1',
      'answer_end tool_use',
      't1 result r1 "three lines"',
      '→ next_turn',
      'request',
      'a3 text "Done."',
      'answer_end end_turn',
    ]);
    expect(requests).toEqual(['user:text', 'user:text | assistant:text tool_use(r1) | user:tool_result(r1)']);
    expect(terminal).toEqual({ reason: 'completed' });
  });

  it('follows complete calls, whatever the stop reason is', async () => {
    const script = [[call('Read', { path: 'a' }, 'r1'), stop('end_turn')], say('Done.')];
    const { lines, terminal } = await play(script, { tools: [read] });
    expect(lines).toContain('→ next_turn');
    expect(terminal).toEqual({ reason: 'completed' });
  });

  it('does not follow the stop reason `tool_use` without calls', async () => {
    const { lines, terminal } = await play([[say('I would, but…'), stop('tool_use')]], { tools: [read] });
    expect(lines).toEqual(['request', 'a1 text "I would, but…"', 'answer_end tool_use']);
    expect(terminal).toEqual({ reason: 'completed' });
  });
});

describe('max_output_tokens_escalate', () => {
  it('repeats the request with a raised cap, without the unfinished block', async () => {
    const { lines, requests, terminal, model } = await play([
      [unfinished(say('A very long story')), cut()],
      say('A short story.'),
    ]);
    expect(lines).toEqual([
      'request',
      'spent',
      '→ max_output_tokens_escalate',
      'request',
      'a1 text "A short story."',
      'answer_end end_turn',
    ]);
    expect(requests).toEqual(['user:text', 'user:text']);
    expect(model.calls.map(({ request }) => request.max_tokens)).toEqual([8_192, 64_000]);
    expect(terminal).toEqual({ reason: 'completed' });
  });

  it('retracts the blocks that were yielded before the cut', async () => {
    const { lines, requests } = await play([
      [say('Chapter one.'), unfinished(say('Chapter two')), cut()],
      say('Both chapters.'),
    ]);
    expect(lines).toEqual([
      'request',
      'a1 text "Chapter one."',
      'spent',
      'tombstone a1',
      '→ max_output_tokens_escalate',
      'request',
      'a2 text "Both chapters."',
      'answer_end end_turn',
    ]);
    expect(requests).toEqual(['user:text', 'user:text']);
  });

  it('retracts a single cut call, even if its JSON parses, and does not run it', async () => {
    const tool = fakeTool({ name: 'Write', readOnly: false });
    const { lines, requests } = await play(
      [[call('Write', { path: 'a' }, 'w1'), cut()], say('Better not.')],
      {
        tools: [tool],
      },
    );
    expect(lines).toEqual([
      'request',
      'a1 call w1 Write',
      'spent',
      'tombstone a1',
      '→ max_output_tokens_escalate',
      'request',
      'a2 text "Better not."',
      'answer_end end_turn',
    ]);
    expect(requests).toEqual(['user:text', 'user:text']);
    expect(tool.calls).toEqual([]);
  });

  it('stops the early run of a cut call and drops its result', async () => {
    const { lines } = await play([[call('Read', { path: 'a' }, 'r1'), cut()], say('Never mind.')], {
      tools: [read],
    });
    expect(lines).toEqual([
      'request',
      'a1 call r1 Read',
      'intent r1',
      'spent',
      'tombstone a1',
      '→ max_output_tokens_escalate',
      'request',
      'a2 text "Never mind."',
      'answer_end end_turn',
    ]);
  });
});

describe('max_output_tokens_recovery', () => {
  const noEscalation = { config: { gates: { outputEscalation: false } } };

  it('keeps the part that can be sent, and asks the model to resume after it', async () => {
    const { lines, requests, terminal, events } = await play(
      [[say('One.'), unfinished(say('Two, and th'), 1), cut()], say('ree.')],
      noEscalation,
    );
    expect(lines).toEqual([
      'request',
      'a1 text "One."',
      'spent',
      'a2 text "Two, and th"',
      'meta "Your answer was cut off at the outpu…"',
      '→ max_output_tokens_recovery',
      'request',
      'a3 text "ree."',
      'answer_end end_turn',
    ]);
    expect(requests).toEqual(['user:text', 'user:text | assistant:text text | user:text']);
    expect(terminal).toEqual({ reason: 'completed' });
    const request = events.find((event) => event.type === 'message' && event.message.type === 'user');
    expect(JSON.stringify(request)).toMatch(
      /Resume exactly where it broke off: no apology, no recap.*smaller pieces/,
    );
  });

  it('follows an escalation that was also cut, with the normal cap', async () => {
    const { lines, model } = await play([
      [unfinished(say('Once upon')), cut()],
      [unfinished(say('Once upon a time'), 1), cut()],
      say('…the end.'),
    ]);
    expect(lines.filter((line) => line.startsWith('→'))).toEqual([
      '→ max_output_tokens_escalate',
      '→ max_output_tokens_recovery',
    ]);
    expect(model.calls.map(({ request }) => request.max_tokens)).toEqual([8_192, 64_000, 8_192]);
  });

  it('retracts a cut call if no part of the answer can be sent', async () => {
    const { lines, requests } = await play(
      [[call('Read', { path: 'a' }, 'r1'), cut()], say('Smaller now.')],
      {
        ...noEscalation,
        tools: [read],
      },
    );
    expect(lines).toEqual([
      'request',
      'a1 call r1 Read',
      'intent r1',
      'spent',
      'tombstone a1',
      'meta "Your answer was cut off at the outpu…"',
      '→ max_output_tokens_recovery',
      'request',
      'a2 text "Smaller now."',
      'answer_end end_turn',
    ]);
    expect(requests).toEqual(['user:text', 'user:text text']);
  });
});

describe('collapse_drain_retry', () => {
  it('commits the staged collapses and repeats the request without showing the error', async () => {
    const { lines, requests, terminal } = await play([fail('overflow'), say('It fits.')], {
      config: { gates: { contextCollapse: true } },
      deps: { context: fakeContext({ staged: 2 }) },
    });
    expect(lines).toEqual([
      'request',
      'context drain',
      '→ collapse_drain_retry',
      'request',
      'a1 text "It fits."',
      'answer_end end_turn',
    ]);
    expect(requests).toEqual(['user:text', 'user:text']);
    expect(terminal).toEqual({ reason: 'completed' });
  });

  it('drains once between two turns, and compacts the next time', async () => {
    const context = fakeContext({ staged: 2 });
    const { lines } = await play([fail('overflow'), fail('overflow'), say('It fits.')], {
      config: { gates: { contextCollapse: true } },
      deps: { context: { ...context, staged: () => true } },
    });
    expect(lines.filter((line) => line.startsWith('→'))).toEqual([
      '→ collapse_drain_retry',
      '→ reactive_compact_retry',
    ]);
  });
});

describe('reactive_compact_retry', () => {
  it('summarizes the history, retracts the attempt and repeats the request', async () => {
    const { lines, requests, terminal } = await play([[say('I was just'), windowFull()], say('It fits.')], {
      deps: { context: fakeContext({ compact: compactorTo('So far: nothing.') }) },
    });
    expect(lines).toEqual([
      'request',
      'a1 text "I was just"',
      'spent',
      'compacting reactive',
      'context reactive_compact',
      'tombstone a1',
      '→ reactive_compact_retry',
      'request',
      'prefix rewritten',
      'a2 text "It fits."',
      'answer_end end_turn',
    ]);
    expect(requests).toEqual(['user:text', 'user:text']);
    expect(terminal).toEqual({ reason: 'completed' });
  });

  it('also handles media that is too large', async () => {
    const { lines, terminal } = await play([fail('media'), say('Without the picture.')]);
    expect(lines).toContain('→ reactive_compact_retry');
    expect(terminal).toEqual({ reason: 'completed' });
  });

  it('follows a drain that committed nothing', async () => {
    const context = fakeContext({ staged: 2, drainFails: true });
    const { lines } = await play([fail('overflow'), say('It fits.')], {
      config: { gates: { contextCollapse: true } },
      deps: { context },
    });
    expect(context.asked).toEqual(['prepare', 'drain', 'compact', 'prepare']);
    expect(lines.filter((line) => line.startsWith('→'))).toEqual(['→ reactive_compact_retry']);
  });

  it('is available again after a turn with tool results', async () => {
    const context = fakeContext({ compact: compactorTo('So far: much.') });
    const { lines, terminal } = await play(
      [fail('overflow'), call('Read', { path: 'a' }, 'r1'), fail('overflow'), say('It fits.')],
      { tools: [read], deps: { context } },
    );
    expect(lines.filter((line) => line.startsWith('→'))).toEqual([
      '→ reactive_compact_retry',
      '→ next_turn',
      '→ reactive_compact_retry',
    ]);
    expect(terminal).toEqual({ reason: 'completed' });
  });

  it('is not tried again after it failed', async () => {
    const context = fakeContext({ compact: failingCompactor() });
    const { terminal } = await play([fail('overflow')], { deps: { context } });
    expect(terminal).toEqual({ reason: 'prompt_too_long' });
  });
});

describe('stop_hook_blocking', () => {
  it('sends the errors to the model, and tells the hooks that one has blocked', async () => {
    const turnEnd = fakeTurnEnd({ stopHooks: [{ block: 'The tests were not run.' }] });
    const { lines, requests, terminal } = await play([say('Done.'), say('Done, and tested.')], {
      deps: { turnEnd },
    });
    expect(lines).toEqual([
      'request',
      'a1 text "Done."',
      'answer_end end_turn',
      'meta "The tests were not run."',
      '→ stop_hook_blocking',
      'request',
      'a2 text "Done, and tested."',
      'answer_end end_turn',
    ]);
    expect(requests).toEqual(['user:text', 'user:text | assistant:text | user:text']);
    expect(terminal).toEqual({ reason: 'completed' });
    expect(turnEnd.stopHookInputs.map(({ stopHookActive }) => stopHookActive)).toEqual([false, true]);
  });

  it('sends the attachments of hooks, so that the stored and the sent conversation are equal', async () => {
    const attachment = { kind: 'reminder', about: 'hook', text: 'The linter found two errors.' } as const;
    const message = { type: 'attachment', uuid: 'h1', at: 0, attachment } as const;
    const turnEnd = fakeTurnEnd({
      stopHooks: [{ block: 'The tests were not run.' }],
      progress: [{ type: 'message', message }],
    });
    const { model } = await play([say('Done.'), say('Done, and tested.')], { deps: { turnEnd } });
    const words = JSON.stringify([...(model.calls[1]?.request.messages ?? [])]);
    expect(words).toContain('The linter found two errors.');
    expect(words.indexOf('The linter')).toBeLessThan(words.indexOf('The tests were not run.'));
  });
});

describe('token_budget_continuation', () => {
  it('continues until 90 % of the budget are used, and reports the percentage', async () => {
    const { lines, requests, terminal, events } = await play(
      [
        [say('First step.'), usage({ output_tokens: 4_000 })],
        [say('Second step.'), usage({ output_tokens: 5_100 })],
      ],
      { params: { tokenBudget: 10_000 } },
    );
    expect(lines).toEqual([
      'request',
      'a1 text "First step."',
      'answer_end end_turn',
      'meta "40% of this task\'s token budget is u…"',
      '→ token_budget_continuation',
      'request',
      'a2 text "Second step."',
      'answer_end end_turn',
    ]);
    expect(requests).toEqual(['user:text', 'user:text | assistant:text | user:text']);
    expect(terminal).toEqual({
      reason: 'completed',
      budget: { continuations: 1, percentUsed: 91, diminished: false, durationMs: expect.any(Number) },
    });
    expect(events.find((event) => event.type === 'transition')).toMatchObject({
      transition: { percentUsed: 40 },
    });
  });

  it('stops early when the gains diminish', async () => {
    const small = [say('A little more.'), usage({ output_tokens: 100 })];
    const { lines, terminal } = await play([small, small, small, small], {
      params: { tokenBudget: 100_000 },
    });
    expect(lines.filter((line) => line.startsWith('→'))).toHaveLength(3);
    expect(terminal).toMatchObject({ budget: { continuations: 3, diminished: true } });
  });

  it('does not apply to subagents', async () => {
    const { terminal } = await play([say('Done.')], { params: { tokenBudget: 10_000 }, agentId: 'agent-1' });
    expect(terminal).toEqual({ reason: 'completed' });
  });
});
