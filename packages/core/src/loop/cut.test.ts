/** A cut answer with complete calls is not repeated, because their effects would happen twice. Its last block is dropped. */
import {
  allowAll,
  call,
  createTestGate,
  cut,
  failingCompactor,
  fakeContext,
  fakeTool,
  foreignBlock,
  say,
  settle,
  think,
  unfinished,
  windowFull,
} from '@heddle/testing';
import { describe, expect, it } from 'vitest';
import { play } from './test/play.ts';

const read = fakeTool({ name: 'Read', result: 'three lines' });
const noEscalation = { config: { gates: { outputEscalation: false } } };

describe('an answer cut at the cap, with complete calls', () => {
  it('runs them, and retracts the last block although it looks complete', async () => {
    const write = fakeTool({ name: 'Write', readOnly: false });
    const { lines, requests, terminal } = await play(
      [[call('Read', { path: 'a' }, 'r1'), call('Write', { text: 'half of' }, 'w1'), cut()], say('Done.')],
      { tools: [read, write] },
    );
    expect(lines).toEqual([
      'request',
      'a1 call r1 Read',
      'intent r1',
      'a2 call w1 Write',
      't1 result r1 "three lines"',
      'answer_end max_tokens',
      'tombstone a2',
      '→ next_turn',
      'request',
      'a3 text "Done."',
      'answer_end end_turn',
    ]);
    expect(write.calls).toEqual([]);
    expect(requests.at(-1)).toBe('user:text | assistant:tool_use(r1) | user:tool_result(r1)');
    expect(terminal).toEqual({ reason: 'completed' });
  });

  it('drops the result of a last call that had already run', async () => {
    const { lines, requests } = await play(
      [[call('Read', { path: 'a' }, 'r1'), call('Read', { path: 'b' }, 'r2'), cut()], say('Done.')],
      { tools: [read] },
    );
    expect(lines).toContain('intent r2');
    expect(lines).toContain('tombstone a2');
    expect(lines.filter((line) => line.includes('result'))).toEqual(['t1 result r1 "three lines"']);
    expect(requests.at(-1)).toBe('user:text | assistant:tool_use(r1) | user:tool_result(r1)');
  });

  it('stops a last call that is still running, and does not wait for it', async () => {
    const hung = fakeTool({ name: 'Hung', gate: createTestGate() });
    const { lines, took } = await play(
      [[call('Read', { path: 'a' }, 'r1'), call('Hung', {}, 'h1'), cut()], say('Done.')],
      { tools: [read, hung] },
    );
    await settle();
    expect(hung.calls).toMatchObject([{ toolUseId: 'h1', ended: 'aborted' }]);
    expect(lines.filter((line) => line.includes('result h1'))).toEqual([]);
    expect(took).toBe(0);
  });

  it('retracts nothing if the cut was in a block that was not yielded', async () => {
    const { lines } = await play(
      [[call('Read', { path: 'a' }, 'r1'), unfinished(say('And now')), cut()], say('Done.')],
      { tools: [read] },
    );
    expect(lines.filter((line) => line.startsWith('tombstone'))).toEqual([]);
  });

  it('keeps a call that only blank text follows, because the cut was in that text', async () => {
    const { lines } = await play([[call('Read', { path: 'a' }, 'r1'), say(' '), cut()], say('Done.')], {
      tools: [read],
    });
    expect(lines.filter((line) => line.startsWith('tombstone'))).toEqual([]);
    expect(lines).toContain('t1 result r1 "three lines"');
  });

  it('also retracts a text at the end', async () => {
    const { lines } = await play([[call('Read', { path: 'a' }, 'r1'), say('And now'), cut()], say('Done.')], {
      tools: [read],
    });
    expect(lines).toContain('tombstone a2');
  });

  it('behaves the same if calls wait for the end of the stream', async () => {
    const { lines } = await play(
      [[call('Read', { path: 'a' }, 'r1'), call('Read', { path: 'b' }, 'r2'), cut()], say('Done.')],
      { tools: [read], config: { gates: { streamingToolExecution: false } } },
    );
    expect(lines.slice(3, 7)).toEqual([
      'answer_end max_tokens',
      'tombstone a2',
      'intent r1',
      't1 result r1 "three lines"',
    ]);
  });

  it('is handled in the same way if the window was full', async () => {
    const { lines } = await play(
      [[call('Read', { path: 'a' }, 'r1'), call('Read', { path: 'b' }, 'r2'), windowFull()], say('Done.')],
      { tools: [read] },
    );
    expect(lines).toContain('tombstone a2');
    expect(lines.filter((line) => line.startsWith('→'))).toEqual(['→ next_turn']);
  });
});

describe('the sendable part of a cut answer', () => {
  it('keeps a complete text at the end', async () => {
    const { lines, requests } = await play([[say('One, two'), cut()], say('three.')], noEscalation);
    expect(lines.slice(0, 4)).toEqual([
      'request',
      'a1 text "One, two"',
      'spent',
      'meta "Your answer was cut off at the outpu…"',
    ]);
    expect(requests.at(-1)).toBe('user:text | assistant:text | user:text');
  });

  it('keeps thinking before text, and retracts thinking at the end', async () => {
    const kept = await play(
      [[think('Hm.'), unfinished(say('One, two'), 1), cut()], say('three.')],
      noEscalation,
    );
    expect(kept.requests.at(-1)).toBe('user:text | assistant:thinking text | user:text');

    const lost = await play([[say('One.'), think('Hm.'), cut()], say('Two.')], noEscalation);
    expect(lost.lines).toContain('tombstone a2');
    expect(lost.requests.at(-1)).toBe('user:text | assistant:text | user:text');
  });

  it('retracts thinking before an unfinished call', async () => {
    const { lines, requests } = await play(
      [[think('Hm.'), unfinished(call('Read', { path: 'a' }, 'r1')), cut()], say('Done.')],
      { ...noEscalation, tools: [read] },
    );
    expect(lines).toContain('tombstone a1');
    expect(requests.at(-1)).toBe('user:text text');
  });

  it('excludes a cut block of an unknown kind', async () => {
    const block = foreignBlock({
      type: 'server_tool_use',
      id: 'srvtoolu_1',
      name: 'web_search',
      input: { query: 'x' },
    });
    const { lines } = await play([[say('I search.'), block, cut()], say('Done.')], noEscalation);
    expect(lines).toContain('tombstone a2');
  });
});

describe('a cut answer without a recovery', () => {
  it('drops the call without its end, because every kept call has a result', async () => {
    const { lines, terminal } = await play(
      [[say('I read.'), call('Read', { path: 'a' }, 'r1'), windowFull()]],
      {
        tools: [read],
        deps: { context: fakeContext({ compact: failingCompactor() }) },
      },
    );
    expect(lines.slice(-5)).toEqual([
      'intent r1',
      'spent',
      'compacting reactive',
      'tombstone a2',
      'a3 error overflow',
    ]);
    expect(terminal).toEqual({ reason: 'prompt_too_long' });
  });
});

describe('a cut answer that is requested again', () => {
  it('withdraws its open permission question', async () => {
    const events: string[] = [];
    const question = createTestGate();
    const { lines } = await play([[call('Read', { path: 'a' }, 'r1'), question, cut()], say('Done.')], {
      tools: [read],
      authorizeCall: async (tool, input, context, asked) => {
        asked.signal.addEventListener('abort', () =>
          events.push(`${asked.toolUseId} ${String(asked.signal.reason)}`),
        );
        question.open();
        if (events.length > 0) return allowAll(tool, input, context, asked);
        return Promise.withResolvers<never>().promise;
      },
    });
    expect(events).toEqual(['r1 discarded']);
    expect(lines.slice(1, 5)).toEqual([
      'a1 call r1 Read',
      'spent',
      'tombstone a1',
      '→ max_output_tokens_escalate',
    ]);
  });
});
