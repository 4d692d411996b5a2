import type { ModelRecord } from '@heddle/core';
import { describe, expect, it } from 'vitest';
import { createClock, settle } from '../clock.ts';
import { collectList } from '../collect.ts';
import { createTestGate } from '../gate.ts';
import { requestOf } from '../request-of.ts';
import * as script from './builders.ts';
import { type ScriptedOptions, scriptedModel } from './model.ts';
import type { Script, ScriptStep } from './part.ts';

const { answer, breakAt, breakOff, call, cut, fail, foreignBlock, foreignEvent, hang, hangUp, pace, pause } =
  script;
const { ping, redacted, refuse, say, stall, stop, think, unfinished, usage, windowFull } = script;

const request = requestOf([['user', 'the test fails, fix it']]);
const { signal } = new AbortController();

async function played(step: ScriptStep, options: ScriptedOptions = {}): Promise<ModelRecord[]> {
  return collectList(scriptedModel([step], options)(request, signal));
}

/** Each record in a word, deltas left out. */
function words(records: readonly ModelRecord[]): string[] {
  return records
    .filter(({ type }) => type !== 'content_block_delta')
    .map((record) => {
      switch (record.type) {
        case 'content_block_start':
          return `+${String(record.content_block.type)}`;
        case 'content_block_stop':
          return '-';
        case 'message_delta':
          return `stop ${record.delta.stop_reason}`;
        case 'model_error':
          return `error ${record.class}`;
        default:
          return String(record.type);
      }
    });
}

function lastOf(model: ReturnType<typeof scriptedModel>) {
  return model.calls.at(-1);
}

describe('an answer', () => {
  it('streams blocks in order and infers why it stopped', async () => {
    expect(
      words(await played(answer(think('hm'), say('Let me look'), call('Read', { path: 'a' }, 'r1')))),
    ).toEqual([
      'message_start',
      '+thinking',
      '-',
      '+text',
      '-',
      '+tool_use',
      '-',
      'stop tool_use',
      'message_stop',
      'done',
    ]);
    expect(words(await played(say('Fixed.'))).slice(-3)).toEqual(['stop end_turn', 'message_stop', 'done']);
  });

  it('streams the whole text and the whole JSON, in chunks', async () => {
    const long = 'a long text with 👍 in it, '.repeat(20);
    const records = await played([say(long), call('Write', { text: long }, 'w1')]);
    let [text, json, deltas] = ['', '', 0];
    for (const record of records) {
      if (record.type !== 'content_block_delta') continue;
      deltas++;
      if (record.delta.type === 'text_delta') text += record.delta.text;
      if (record.delta.type === 'input_json_delta') json += record.delta.partial_json;
    }
    expect(text).toBe(long);
    expect(JSON.parse(json)).toEqual({ text: long });
    expect(deltas).toBeGreaterThan(10);
  });

  it('carries foreign blocks and events, pings and redacted thinking', async () => {
    const step = [
      ping(),
      foreignEvent({ type: 'novelty' }),
      foreignBlock({ type: 'server_tool_use', id: 's1' }),
    ];
    expect(words(await played([...step, redacted('xyz'), say('ok')]))).toEqual([
      'message_start',
      'ping',
      'novelty',
      '+server_tool_use',
      '-',
      '+redacted_thinking',
      '-',
      '+text',
      '-',
      'stop end_turn',
      'message_stop',
      'done',
    ]);
  });

  it('can be empty', async () => {
    expect(words(await played(answer()))).toEqual(['message_start', 'stop end_turn', 'message_stop', 'done']);
  });

  it('computes its usage, or takes the one that is given', async () => {
    const computed = await played(say('four score and seven'));
    expect(computed[0]).toMatchObject({ message: { usage: { cache_read_input_tokens: 0 } } });
    expect(computed.find(({ type }) => type === 'message_delta')).toMatchObject({
      usage: { output_tokens: 5 },
    });
    const given = await played([
      say('x'),
      usage({ input_tokens: 7, cache_read_input_tokens: 90, output_tokens: 3 }),
    ]);
    expect(given[0]).toMatchObject({ message: { usage: { input_tokens: 7, cache_read_input_tokens: 90 } } });
    expect(given.find(({ type }) => type === 'message_delta')).toMatchObject({ usage: { output_tokens: 3 } });
  });

  it.each([
    [cut(), 'max_tokens'],
    [refuse(), 'refusal'],
    [windowFull(), 'model_context_window_exceeded'],
    [script.pauseTurn(), 'pause_turn'],
    [stop('stop_sequence', 'END'), 'stop_sequence'],
    [stop(null), 'null'],
  ])('stops as %j says', async (part, reason) => {
    expect(words(await played([say('x'), part])).slice(-3)).toEqual([
      `stop ${reason}`,
      'message_stop',
      'done',
    ]);
  });

  it('can be cut with its last block stopped or not', async () => {
    expect(words(await played([say('whole'), cut()]))).toContain('-');
    expect(words(await played([unfinished(call('Edit', { path: 'a' }, 'e1')), cut()]))).toEqual([
      'message_start',
      '+tool_use',
      'stop max_tokens',
      'message_stop',
      'done',
    ]);
  });
});

describe('a fault', () => {
  it.each<[string, ScriptStep, string[]]>([
    ['no connection', breakOff(), ['error network']],
    ['a break after a block', [say('a'), breakOff()], ['message_start', '+text', '-', 'error network']],
    [
      'a break within the JSON of a call',
      [unfinished(call('Read', { path: 'a/long/path' }, 'r1')), breakOff()],
      ['message_start', '+tool_use', 'error network'],
    ],
    ['a break at an event', [say('a'), breakAt(2)], ['message_start', '+text', 'error network']],
    ['a break before any event', [say('a'), breakAt(0)], ['error network']],
    [
      'a clean end without message_stop',
      [say('a'), hangUp()],
      ['message_start', '+text', '-', 'error network'],
    ],
    [
      'a break between message_delta and message_stop',
      [say('a'), stop('end_turn'), breakOff()],
      ['message_start', '+text', '-', 'stop end_turn', 'error network'],
    ],
    [
      'overload in the stream',
      [say('a'), fail('overloaded')],
      ['message_start', '+text', '-', 'error overloaded'],
    ],
    ['a stall at the port’s deadline', [say('a'), stall()], ['message_start', '+text', '-', 'error stall']],
    ['an overflow', fail('overflow'), ['error overflow']],
  ])('%s', async (_name, step, expected) => {
    expect(words(await played(step))).toEqual(expected);
  });

  it('has the status and the words of the API, and what a test adds', async () => {
    expect(await played(fail('rate_limit', { retryAfterMs: 2_000, shouldRetry: true }))).toEqual([
      {
        type: 'model_error',
        class: 'rate_limit',
        status: 429,
        message: 'This request would exceed your rate limit',
        requestId: 'req_1',
        retryAfterMs: 2_000,
        shouldRetry: true,
      },
    ]);
    expect(await played(fail('refused_block', { block: { message: 3, block: 1 } }))).toMatchObject([
      {
        status: 400,
        block: { message: 3, block: 1 },
        message: expect.stringContaining('messages.3.content.1'),
      },
    ]);
  });

  it('ends the step: what stands behind it is never played', async () => {
    expect(words(await played([fail('auth'), say('never')]))).toEqual(['error auth']);
  });
});

describe('pacing', () => {
  it('spends pauses and pace on the clock', async () => {
    const clock = createClock({ now: 0, auto: true });
    const step = [pause(100), say('a', pause(50), 'b'), pace(10), say('c')];
    await collectList(scriptedModel([step], { clock })(request, signal));
    // message_start comes with the first block; then five paced events: start, delta, stop, message_delta, message_stop.
    expect(clock.now()).toBe(100 + 50 + 5 * 10);
  });

  it('holds a chunk at a gate until it is opened', async () => {
    const gate = createTestGate();
    const seen: string[] = [];
    const reading = (async () => {
      for await (const record of scriptedModel([say('one', gate, 'two')])(request, signal)) {
        if (record.type === 'content_block_delta' && record.delta.type === 'text_delta')
          seen.push(record.delta.text);
      }
    })();
    await gate.reached;
    await settle();
    expect(seen).toEqual(['one']);
    gate.open();
    await reading;
    expect(seen).toEqual(['one', 'two']);
  });
});

describe('an abort', () => {
  it.each<[string, ScriptStep]>([
    ['a gate', [say('a'), createTestGate()]],
    ['a pause', [say('a'), pause(1_000)]],
    ['a stall', [say('a'), stall()]],
    ['silence without end', [say('a'), hang()]],
  ])('ends %s at once', async (_name, step) => {
    const controller = new AbortController();
    const model = scriptedModel([step], { clock: createClock() });
    const reading = collectList(model(request, controller.signal));
    await settle();
    expect(lastOf(model)?.ended).toBeUndefined();
    controller.abort();
    expect(words(await reading)).toEqual(['message_start', '+text', '-', 'error aborted']);
    expect(lastOf(model)?.ended).toBe('aborted');
  });

  it('ends the stream before its next event, and before its first', async () => {
    const controller = new AbortController();
    const seen: ModelRecord[] = [];
    for await (const record of scriptedModel([say('a')])(request, controller.signal)) {
      seen.push(record);
      controller.abort();
    }
    expect(words(seen)).toEqual(['message_start', 'error aborted']);
    expect(words(await collectList(scriptedModel([say('a')])(request, controller.signal)))).toEqual([
      'error aborted',
    ]);
  });
});

describe('a script', () => {
  it('gives one step to each call, and a step may look at the request', async () => {
    const model = scriptedModel([say('first'), ({ max_tokens }, number) => say(`${number}: ${max_tokens}`)]);
    await collectList(model(request, signal));
    expect(model.stepsLeft()).toBe(1);
    const second = await collectList(model({ ...request, max_tokens: 64_000 }, signal));
    expect(second).toContainEqual(
      expect.objectContaining({ delta: { type: 'text_delta', text: '2: 64000' } }),
    );
    expect(model.calls.map(({ ended }) => ended)).toEqual(['done', 'done']);
    expect(model.shapes()).toEqual(['user:text', 'user:text']);
  });

  it.each<[string, Script, string]>([
    ['that has run out', [], 'out_of_script'],
    [
      'that throws',
      () => {
        throw new Error('oops');
      },
      'script_threw',
    ],
  ])('%s is an error for the run and a finding for the test', async (_name, steps, kind) => {
    const model = scriptedModel(steps);
    expect(words(await collectList(model(request, signal)))).toEqual(['error bad_request']);
    expect(model.problems).toMatchObject([{ kind, call: 1 }]);
    expect(() => model.assertNoViolations()).toThrow('call 1');
  });

  it('that a person has played says in plain words that it ended', async () => {
    const model = scriptedModel([say('a')], { script: 'talk.json' });
    await collectList(model(request, signal));
    expect(await collectList(model(request, signal))).toMatchObject([
      { message: 'The script talk.json ended after 1 answer; the run asked for another.' },
    ]);
  });

  it('with a window refuses what does not fit, and counts an image as one', async () => {
    const model = scriptedModel(() => say('a'), { window: 5_000 });
    const data = `iVBORw0KGgo${'A'.repeat(100_000)}=`;
    const block = { type: 'image', source: { type: 'base64', media_type: 'image/png', data } } as const;
    const text = requestOf([['user', 'word '.repeat(5_000)]]);
    const image = requestOf([['user', [block]]]);
    expect(await collectList(model(text, signal))).toMatchObject([
      {
        class: 'overflow',
        message: expect.stringMatching(/^prompt is too long: \d+ tokens > 5000 maximum$/),
      },
    ]);
    expect(words(await collectList(model(image, signal))).at(-1)).toBe('done');
  });

  it('notes when its reader left before the end', async () => {
    const model = scriptedModel([say('a')]);
    for await (const _record of model(request, signal)) break;
    expect(lastOf(model)?.ended).toBe('abandoned');
    model.assertNoViolations();
  });
});
