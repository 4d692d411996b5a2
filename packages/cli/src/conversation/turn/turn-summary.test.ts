import { failedStart, type SdkResult } from '@heddle/agent';
import { describe, expect, it } from 'vitest';
import { styleFor } from '../../terminal/style.ts';
import { ago, dollars, durationText, shortened, tokens } from '../../terminal/amounts.ts';
import { tailPieces } from '../session/show.ts';
import { endLines } from './turn.ts';

const style = styleFor({ plain: true, env: {} });

function result(more: Partial<SdkResult> = {}): SdkResult {
  return {
    ...failedStart('', { uuid: 'u', session_id: 's' }),
    subtype: 'success',
    is_error: false,
    duration_ms: 12_400,
    num_turns: 3,
    stop_reason: 'end_turn',
    total_cost_usd: 0.05,
    terminal_reason: 'completed',
    errors: [],
    ...more,
  };
}

describe('the end of a turn', () => {
  it('shows the duration without open questions, and the cost of the turn and the conversation', () => {
    expect(
      endLines(
        { result: result(), earlierUsd: 0, context: { used: 14 }, askedMs: 0, isReplay: false },
        style,
      ),
    ).toEqual(['  3 answers - 12 s - $0.0500 - 14 % of the window']);
    expect(
      endLines(
        {
          result: result({ total_cost_usd: 1.5 }),
          earlierUsd: 1,
          context: { used: 20 },
          askedMs: 5_000,
          isReplay: false,
        },
        style,
      ),
    ).toEqual(['  3 answers - 7.4 s - $0.50 ($1.50 in all) - 20 % of the window']);
  });

  it('marks a replay, and shows a near compaction', () => {
    const end = { result: result(), earlierUsd: 0, askedMs: 0, isReplay: true };
    expect(endLines({ ...end, context: { used: 18, compactsAt: 20 } }, style)).toEqual([
      '  3 answers - 12 s - a replay - 18 % of the window, compacts at 20 %',
    ]);
  });

  it('reports an unknown cost as unknown', () => {
    expect(
      endLines(
        {
          result: result({ total_cost_usd: null }),
          earlierUsd: 0,
          context: { used: 1 },
          askedMs: 0,
          isReplay: false,
        },
        style,
      )[0],
    ).toContain('cost unknown');
  });

  it('shows the error', () => {
    const errors = ['Reached maximum number of turns (2)'];
    const failed = result({ errors, is_error: true, terminal_reason: 'max_turns' });
    expect(
      endLines(
        { result: failed, earlierUsd: 0, context: { used: 1 }, askedMs: 0, isReplay: false },
        style,
      )[0],
    ).toBe(`failed: ${errors[0]}`);
    const stopped = result({ errors: ['x'], is_error: true, terminal_reason: 'aborted_tools' });
    expect(
      endLines(
        { result: stopped, earlierUsd: 0, context: { used: 1 }, askedMs: 0, isReplay: false },
        style,
      )[0],
    ).toBe('Interrupted.');
  });
});

describe('a resumed conversation', () => {
  const stamp = { uuid: 'u', at: 0 };
  const prompt = { type: 'user' as const, ...stamp, content: 'What now?' };
  const block = (text: string, responseId = 'r') => ({
    type: 'assistant' as const,
    ...stamp,
    responseId,
    model: 'm',
    content: [{ type: 'text' as const, text }],
  });

  const line = (text: string) => ({ kind: 'line', text });
  const answer = (text: string) => [{ kind: 'stream', text }, { kind: 'end of stream' }];

  it('shows its last prompt and the whole answer', () => {
    expect(tailPieces([prompt, block('First.'), block('Then.')], 0, style)).toEqual([
      line('  (3 messages so far)'),
      line('> What now?'),
      ...answer('First.\nThen.'),
    ]);
  });

  it('shows earlier prompts in brief, with their calls and the beginnings of their answers', () => {
    const call = (id: string) => ({
      type: 'tool_use' as const,
      id,
      name: 'Read',
      input: { file_path: `/p/${id}.ts` },
    });
    const calls = { ...block('', 'c'), content: Array.from({ length: 8 }, (_, index) => call(`f${index}`)) };
    const earlier = { ...prompt, content: 'And before?' };
    const long = block(['One', 'Two', 'Three', 'Four', 'Five'].join('\n'), 'e');
    const interrupted = { ...prompt, content: '[Request interrupted by user]' };
    expect(tailPieces([earlier, calls, long, interrupted, prompt, block('Now.')], 0, style, '/p')).toEqual([
      line('  (6 messages so far)'),
      line('> And before?'),
      ...Array.from({ length: 6 }, (_, index) => line(`  Read f${index}.ts`)),
      line('  ... 2 more calls'),
      ...answer('One\nTwo\nThree\nFour\n... 1 more line'),
      line('  (interrupted)'),
      line('> What now?'),
      ...answer('Now.'),
    ]);
  });

  it('shows the end of a long answer, and code as code', () => {
    const long = ['```js', ...Array.from({ length: 18 }, (_, index) => `line ${index}`), '```', 'So be it.'];
    expect(tailPieces([prompt, block(long.join('\n'))], 0, style).slice(2)).toEqual([
      line('  (... 9 lines before)'),
      ...answer(['```js', ...long.slice(-12)].join('\n')),
    ]);
  });

  it('does not show an interruption as a prompt', () => {
    const interrupted = { type: 'user' as const, ...stamp, content: '[Request interrupted by user]' };
    expect(tailPieces([prompt, block('Half.'), interrupted], 0, style)).toEqual([
      line('  (3 messages so far)'),
      line('> What now?'),
      ...answer('Half.'),
      line('  (interrupted)'),
    ]);
  });

  it('reports an unanswered prompt and unfinished calls', () => {
    expect(tailPieces([block('Earlier.'), prompt], 1, style)).toEqual([
      line('  (2 messages so far)'),
      line('> What now?'),
      line('  (this was not answered)'),
      line('  (1 call did not end; resumed with the next prompt)'),
    ]);
  });
});

describe('amounts', () => {
  it('are formatted for reading', () => {
    expect([900, 9_960, 61_000, 3_700_000].map(durationText)).toEqual([
      '0.9 s',
      '10.0 s',
      '1 min 1 s',
      '1 h 1 min',
    ]);
    expect([0, 0.01234, 0.5, 12].map(dollars)).toEqual(['$0.00', '$0.0123', '$0.50', '$12.00']);
    expect([12, 1_234, 123_456].map(tokens)).toEqual(['12', '1.2k', '123k']);
    expect([0, 120_000, 7_200_000, 200_000_000].map(ago)).toEqual([
      'just now',
      '2 min ago',
      '2 h ago',
      '2 days ago',
    ]);
    expect(shortened('a  b\nc', 10)).toBe('a b c');
    expect(shortened('abcdefghij', 5)).toBe('abcd…');
  });
});
