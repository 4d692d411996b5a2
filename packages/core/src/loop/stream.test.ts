/** Attempts at one answer: retries, kept parts, retracted parts, and the limit of each remedy. */
import {
  breakOff,
  call,
  createClock,
  createTestGate,
  fail,
  fakeTool,
  foreignBlock,
  foreignEvent,
  hang,
  hangUp,
  pauseTurn,
  ping,
  say,
  settle,
  stall,
  think,
  unfinished,
  usage,
  type Script,
} from '@heddle/testing';
import { describe, expect, it } from 'vitest';
import { play, stage } from './test/play.ts';

const read = fakeTool({ name: 'Read', result: 'three lines' });

describe('a failed call', () => {
  it('is retried with growing delays, and each delay is announced', async () => {
    const { lines, requests, terminal, took } = await play([
      fail('network'),
      fail('server'),
      fail('rate_limit'),
      stall(),
      say('At last.'),
    ]);
    expect(lines).toEqual([
      'request',
      'retry network 2/11 in 563 ms',
      'retry server 3/11 in 1125 ms',
      'retry rate_limit 4/11 in 2250 ms',
      'retry stall 5/11 in 4500 ms',
      'a1 text "At last."',
      'answer_end end_turn',
    ]);
    expect(requests).toEqual(Array.from({ length: 5 }, () => 'user:text'));
    expect(took).toBe(563 + 1_125 + 2_250 + 90_000 + 4_500);
    expect(terminal).toEqual({ reason: 'completed' });
  });

  it('waits as long as the server asks for', async () => {
    const { lines, took } = await play([fail('rate_limit', { retryAfterMs: 30_000 }), say('Now.')]);
    expect(lines).toContain('retry rate_limit 2/11 in 30000 ms');
    expect(took).toBe(30_000);
  });

  it('is not retried if the server asks for too long a delay', async () => {
    const { terminal } = await play([fail('rate_limit', { retryAfterMs: 3_600_000 })]);
    expect(terminal).toMatchObject({ reason: 'api_error', error: { class: 'rate_limit' } });
  });

  it('is not retried if the server forbids it, nor after a bad request', async () => {
    const not = await play([fail('server', { shouldRetry: false })]);
    expect(not.terminal).toMatchObject({ reason: 'api_error' });
    const hopeless = await play([fail('bad_request', { shouldRetry: true })]);
    expect(hopeless.terminal).toMatchObject({ reason: 'api_error' });
  });

  it('is retried ten times and no more', async () => {
    const { model, terminal } = await play(() => fail('overloaded'));
    expect(model.calls).toHaveLength(11);
    expect(terminal).toMatchObject({ reason: 'api_error', error: { class: 'overloaded', status: 529 } });
  });

  it('is not retried if the error is permanent', async () => {
    for (const errorClass of ['auth', 'permission', 'not_found', 'bad_request'] as const) {
      const { model, terminal } = await play([fail(errorClass)]);
      expect(model.calls).toHaveLength(1);
      expect(terminal).toMatchObject({ reason: 'api_error', error: { class: errorClass } });
    }
  });

  it('is not retried after an abort, which ends the delay at once', async () => {
    const clock = createClock();
    const { run, model, controller } = stage([fail('network')], { clock });
    await run.next();
    await run.next();
    const next = run.next();
    await settle();
    expect(clock.pending).toHaveLength(1);
    controller.abort('cancelled');
    expect(await next).toMatchObject({
      value: { message: { content: [{ text: '[Request interrupted by user]' }] } },
    });
    expect(await run.next()).toEqual({ done: true, value: { reason: 'aborted_streaming' } });
    expect(clock.pending).toEqual([]);
    expect(model.calls).toHaveLength(1);
  });

  it('retracts the blocks of the attempt', async () => {
    const { lines } = await play([
      [say('One'), say('Two'), unfinished(say('Three')), breakOff()],
      say('Again.'),
    ]);
    expect(lines).toEqual([
      'request',
      'a1 text "One"',
      'a2 text "Two"',
      'spent',
      'retry network 2/11 in 563 ms',
      'tombstone a1 a2',
      'a3 text "Again."',
      'answer_end end_turn',
    ]);
  });

  it('is withheld from the consumer if a recovery succeeds', async () => {
    const recovered: Script[] = [
      [fail('overloaded'), say('Done.')],
      [fail('overflow'), say('Done.')],
      [fail('media'), say('Done.')],
      [[], say('Done.')],
    ];
    for (const script of recovered) {
      const { lines, terminal } = await play(script);
      expect(lines.filter((line) => line.includes(' error '))).toEqual([]);
      expect(terminal).toEqual({ reason: 'completed' });
    }
  });
});

describe('a stream that breaks', () => {
  const write = fakeTool({ name: 'Write', readOnly: false });

  it('after complete calls is not repeated: they run, and the next turn continues', async () => {
    const { lines, requests } = await play(
      [
        [say('Both.'), call('Read', { path: 'a' }, 'r1'), call('Write', { path: 'b' }, 'w1'), breakOff()],
        say('Done.'),
      ],
      { tools: [read, write] },
    );
    expect(lines).toEqual([
      'request',
      'a1 text "Both."',
      'a2 call r1 Read',
      'intent r1',
      'a3 call w1 Write',
      't1 result r1 "three lines"',
      'answer_end –',
      'intent w1',
      't2 result w1 "Write ok"',
      '→ next_turn',
      'request',
      'a4 text "Done."',
      'answer_end end_turn',
    ]);
    expect(requests.at(-1)).toBe(
      'user:text | assistant:text tool_use(r1) tool_use(w1) | user:tool_result(r1) tool_result(w1)',
    );
  });

  it('within a call drops that call and keeps the complete ones', async () => {
    const { lines, requests } = await play(
      [
        [call('Read', { path: 'a' }, 'r1'), unfinished(call('Write', { path: 'b' }, 'w1'), 0.9), breakOff()],
        say('Done.'),
      ],
      { tools: [read, write] },
    );
    expect(lines.filter((line) => line.includes('w1'))).toEqual([]);
    expect(requests.at(-1)).toBe('user:text | assistant:tool_use(r1) | user:tool_result(r1)');
  });

  it('within the only call is repeated', async () => {
    const { lines } = await play(
      [
        [unfinished(call('Write', { path: 'b' }, 'w1')), breakOff()],
        call('Write', { path: 'b' }, 'w2'),
        say('Done.'),
      ],
      { tools: [write] },
    );
    expect(lines.slice(0, 5)).toEqual([
      'request',
      'spent',
      'retry network 2/11 in 563 ms',
      'a1 call w2 Write',
      'answer_end tool_use',
    ]);
  });

  it('includes a stream that ends without message_stop', async () => {
    const { lines } = await play([[say('Half an ans'), hangUp()], say('A whole answer.')]);
    expect(lines).toContain('tombstone a1');
    expect(lines).toContain('retry network 2/11 in 563 ms');
  });

  it('includes a port that ends without a final record', async () => {
    let calls = 0;
    const { terminal } = await play([], {
      port: async function* () {
        yield { type: 'message_start', message: { id: 'm', model: 'm' } };
        if (++calls === 1) return;
        yield { type: 'content_block_start', index: 0, content_block: { type: 'text', text: 'Hello' } };
        yield { type: 'content_block_stop', index: 0 };
        yield { type: 'message_stop' };
        yield { type: 'done' };
      },
    });
    expect(calls).toBe(2);
    expect(terminal).toEqual({ reason: 'completed' });
  });
});

describe('pause_turn', () => {
  it('continues the same answer, which is sent back as it is', async () => {
    const { lines, requests, terminal } = await play([[say('I search'), pauseTurn()], say('and found it.')]);
    expect(lines).toEqual([
      'request',
      'a1 text "I search"',
      'spent',
      'a2 text "and found it."',
      'answer_end end_turn',
    ]);
    expect(requests).toEqual(['user:text', 'user:text | assistant:text']);
    expect(terminal).toEqual({ reason: 'completed' });
  });

  it('retracts only the broken part if the continuation fails', async () => {
    const { lines, requests } = await play([
      [say('I search'), pauseTurn()],
      [say('and'), breakOff()],
      say('and found it.'),
    ]);
    expect(lines).toContain('tombstone a2');
    expect(requests.at(-1)).toBe('user:text | assistant:text');
  });

  it('is bounded', async () => {
    const { model, terminal } = await play(() => [say('Just a moment.'), pauseTurn()]);
    expect(model.calls).toHaveLength(11);
    expect(terminal).toMatchObject({ reason: 'api_error', error: { class: 'server' } });
  });
});

describe('an empty answer', () => {
  it('is requested once more, with a note about the empty answer', async () => {
    const { lines, requests, terminal } = await play([[], say('Here I am.')]);
    expect(lines).toEqual([
      'request',
      'spent',
      'meta "Your last answer was empty. Continue…"',
      'a1 text "Here I am."',
      'answer_end end_turn',
    ]);
    expect(requests).toEqual(['user:text', 'user:text text']);
    expect(terminal).toEqual({ reason: 'completed' });
  });

  it('includes answers with only blank text or thinking', async () => {
    const { lines } = await play([[think('Hm.'), say(' \n')], say('Here I am.')]);
    expect(lines).toContain('tombstone a1');
    expect(lines).toContain('meta "Your last answer was empty. Continue…"');
  });

  it('leaves the note in the conversation', async () => {
    const { requests } = await play([[], call('Read', { path: 'a' }, 'r1'), say('Done.')], { tools: [read] });
    expect(requests.at(-1)).toBe('user:text text | assistant:tool_use(r1) | user:tool_result(r1)');
  });
});

describe('a block that the API refuses by name', () => {
  const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'aGk=' } } as const;
  const messages = [
    { type: 'user', uuid: 'u1', at: 0, content: [image, { type: 'text', text: 'What is this?' }] },
  ] as const;

  it('is replaced by a note, and the request is repeated automatically', async () => {
    const { lines, requests, terminal } = await play(
      [fail('refused_block', { block: { message: 0, block: 0 } }), say('I cannot see it.')],
      { messages },
    );
    expect(requests).toEqual(['user:image text', 'user:text text']);
    expect(lines.filter((line) => line.includes('error'))).toEqual([]);
    expect(terminal).toEqual({ reason: 'completed' });
  });

  it('stays replaced for the rest of the run', async () => {
    const { requests } = await play(
      [fail('refused_block', { block: { message: 0, block: 0 } }), call('Read', {}, 'r1'), say('Done.')],
      { messages, tools: [read] },
    );
    expect(requests.at(-1)).toBe('user:text text | assistant:tool_use(r1) | user:tool_result(r1)');
  });

  it('is not replaced twice', async () => {
    const { model, terminal } = await play(() => fail('refused_block', { block: { message: 0, block: 0 } }));
    expect(model.calls.length).toBeLessThanOrEqual(3);
    expect(terminal).toMatchObject({ reason: 'api_error', error: { class: 'refused_block' } });
  });

  it('ends the attempts if the request has no such block', async () => {
    const { model, terminal } = await play([fail('refused_block', { block: { message: 7, block: 0 } })]);
    expect(model.calls).toHaveLength(1);
    expect(terminal).toMatchObject({ reason: 'api_error', error: { class: 'refused_block' } });
  });

  it('may be one of many: each is replaced', async () => {
    const many = Array.from({ length: 12 }, (_, index) => ({
      ...image,
      source: { ...image.source, data: btoa(`picture ${index}`) },
    }));
    const { model, terminal } = await play(
      [
        ...many.map((_, block) => fail('refused_block', { block: { message: 0, block } })),
        say('I see none.'),
      ],
      { messages: [{ type: 'user', uuid: 'u1', at: 0, content: many }] },
    );
    expect(model.calls).toHaveLength(13);
    expect(terminal).toEqual({ reason: 'completed' });
  });

  it('has a limit of replacements', async () => {
    const many = Array.from({ length: 40 }, (_, index) => ({ type: 'text', text: `word ${index}` }) as const);
    let at = 0;
    const { model, terminal } = await play(
      () => fail('refused_block', { block: { message: 0, block: at++ } }),
      { messages: [{ type: 'user', uuid: 'u1', at: 0, content: many }] },
    );
    expect(model.calls).toHaveLength(21);
    expect(terminal).toMatchObject({ reason: 'api_error', error: { class: 'refused_block' } });
  });
});

describe('the cost of an attempt', () => {
  it('is reported with the answer, or separately if there was none', async () => {
    const { events } = await play([
      [say('One'), usage({ input_tokens: 100, cache_read_input_tokens: 7 }), breakOff()],
      [say('Two'), usage({ input_tokens: 100, output_tokens: 40, cache_creation_input_tokens: 9 })],
    ]);
    expect(events.filter((event) => event.type === 'spent' || event.type === 'answer_end')).toMatchObject([
      { type: 'spent', usage: { input_tokens: 100, output_tokens: 1, cache_read_input_tokens: 7 } },
      {
        type: 'answer_end',
        responseId: 'msg_2',
        requestId: 'req_2',
        usage: {
          input_tokens: 100,
          output_tokens: 40,
          cache_creation_input_tokens: 9,
          cache_read_input_tokens: 0,
        },
      },
    ]);
  });

  it('is zero if no answer had started', async () => {
    const { lines } = await play([fail('overloaded'), say('Done.')]);
    expect(lines).not.toContain('spent');
  });

  it('counts toward the token budget, also for a failed attempt', async () => {
    const { lines } = await play(
      [
        [say('One'), usage({ output_tokens: 900 }), pauseTurn()],
        [say('Two'), usage({ output_tokens: 50 })],
      ],
      { params: { tokenBudget: 1_000 } },
    );
    expect(lines.filter((line) => line.startsWith('→'))).toEqual([]);
  });
});

describe('unknown kinds', () => {
  it('are kept: events for listeners, blocks in the history and in requests', async () => {
    const search = { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] };
    const { lines, requests, events, terminal } = await play(
      [
        [
          ping(),
          foreignEvent({ type: 'weather', sky: 'blue' }),
          foreignBlock({
            type: 'server_tool_use',
            id: 'srvtoolu_1',
            name: 'web_search',
            input: { query: 'x' },
          }),
          foreignBlock(search),
          call('Read', { path: 'a' }, 'r1'),
        ],
        say('Done.'),
      ],
      { tools: [read], config: { partialMessages: true } },
    );
    expect(lines.slice(0, 4)).toEqual([
      'request',
      'a1 server_tool_use',
      'a2 web_search_tool_result',
      'a3 call r1 Read',
    ]);
    expect(events).toContainEqual({ type: 'stream_event', event: { type: 'weather', sky: 'blue' } });
    expect(requests.at(-1)).toBe(
      'user:text | assistant:server_tool_use web_search_tool_result tool_use(r1) | user:tool_result(r1)',
    );
    expect(terminal).toEqual({ reason: 'completed' });
  });
});

describe('partial messages', () => {
  it('are yielded as they arrive if the caller enables them', async () => {
    const { events } = await play([say('Hello')], { config: { partialMessages: true } });
    const deltas = events.flatMap((event) =>
      event.type === 'stream_event' ? [String(event.event.type)] : [],
    );
    expect(deltas).toEqual([
      'message_start',
      'content_block_start',
      'content_block_delta',
      'content_block_stop',
      'message_delta',
      'message_stop',
    ]);
  });

  it('are not requested faster than the consumer reads', async () => {
    const gate = createTestGate();
    const { run, controller } = stage([[say('One'), gate, hang()]]);
    await run.next();
    await run.next();
    await settle();
    let reached = false;
    void gate.reached.then(() => (reached = true));
    await settle();
    expect(reached).toBe(false);
    controller.abort();
    await run.return({ reason: 'aborted_streaming' });
  });
});
