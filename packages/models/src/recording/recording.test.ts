/** A recorded model and its replay. */
import { appendFileSync, writeFileSync } from 'node:fs';
import type { ModelRecord } from '@heddle/core';
import {
  call,
  createClock,
  fail,
  foreignEvent,
  hang,
  pace,
  ping,
  requestOf,
  say,
  scriptedModel,
  think,
  usage,
} from '@heddle/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { recordingPort } from './index.ts';
import { all, openStage, type Stage } from './test/open-stage.ts';

let stage: Stage;
beforeEach(() => {
  stage = openStage();
});
afterEach(() => stage.remove());

const first = requestOf([['user', 'Hello']]);
const second = requestOf([
  ['user', 'Hello'],
  ['assistant', 'Hi.'],
  ['user', 'More'],
]);

describe('a replay', () => {
  it('delivers every record as it was recorded, including errors and their fields', async () => {
    const { port, close } = stage.record([
      fail('rate_limit', { retryAfterMs: 7_000 }),
      [
        think('Hm.'),
        ping(),
        say('One ', 'two.'),
        call('Read', { file_path: 'a' }, 'r1'),
        usage({ output_tokens: 9 }),
      ],
      [foreignEvent({ type: 'news', about: 'x' }), say('Half'), fail('overloaded')],
    ]);
    const recorded = [await all(port, first), await all(port, first), await all(port, second)];
    close();
    const replay = await stage.play();
    expect([await all(replay, first), await all(replay, first), await all(replay, second)]).toEqual(recorded);
    expect(recorded[0]?.at(-1)).toMatchObject({ class: 'rate_limit', retryAfterMs: 7_000 });
    expect(replay.modelName).toBe('the-model');
    expect(replay.unplayed()).toBe(0);
  });

  it('finds its responses regardless of parallel requests, and in any order', async () => {
    const { port, close } = stage.record((request) =>
      say(`to ${JSON.stringify([...request.messages].at(-1))}`),
    );
    const helper = requestOf([['user', 'Summarize']], { max_tokens: 100 });
    const abort = new AbortController().signal;
    const one = port(first, abort)[Symbol.asyncIterator]();
    const two = port(helper, abort)[Symbol.asyncIterator]();
    const played: ModelRecord[][] = [[], []];
    for (let left = 2; left > 0; ) {
      left = 0;
      for (const [at, records] of [one, two].entries()) {
        const next = await records.next();
        if (next.done !== true) played[at]?.push(next.value);
        if (next.done !== true) left++;
      }
    }
    close();
    const replay = await stage.play();
    expect(await all(replay, helper)).toEqual(played[1]);
    expect(await all(replay, first)).toEqual(played[0]);
  });

  it('takes no time, or the recorded time', async () => {
    const recording = createClock({ auto: true });
    const { port, close } = stage.record([[pace(100), say('One ', 'two ', 'three.')]], { clock: recording });
    const before = recording.now();
    const recorded = await all(port, first);
    const took = recording.now() - before;
    close();
    expect(took).toBeGreaterThan(500);
    for (const [query, expected] of [
      ['', 0],
      ['?speed=1', took],
      ['?match=strict&speed=2', took / 2],
    ] as const) {
      const clock = createClock({ auto: true });
      const began = clock.now();
      expect(await all(await stage.play(query, { clock }), first)).toEqual(recorded);
      expect(clock.now() - began).toBe(expected);
    }
  });

  it('ends at once when it is aborted, as the recorded one did', async () => {
    const { port, close } = stage.record([[say('One moment.'), hang()], say('Never.')]);
    const aborter = new AbortController();
    const recorded: ModelRecord[] = [];
    for await (const record of port(first, aborter.signal)) {
      recorded.push(record);
      if (record.type === 'content_block_stop') aborter.abort();
    }
    close();
    expect(stage.lastLine()).toMatchObject({ type: 'end', aborted: true, record: { class: 'aborted' } });
    expect(await all(await stage.play(), first, AbortSignal.abort())).toMatchObject([{ class: 'aborted' }]);
    const played = await all(await stage.play(), first);
    expect(played.slice(0, -1)).toEqual(recorded.slice(0, -1));
    expect(played.at(-1)).toMatchObject({
      message:
        'The recorded session was interrupted in the answer to request 1, after 4 events; there is no more of it.',
    });
  });

  it('reports the context window of the recorded model', async () => {
    const { port, close } = stage.record([say('Yes.')], { window: () => 8_192 });
    await all(port, first);
    close();
    expect((await stage.play()).window).toBe(8_192);
  });

  it('continues in one file when the session changes its model', async () => {
    const { port, another, close } = stage.record([say('One.')]);
    await all(port, first);
    const other = { ...first, model: 'another' };
    const recorded = await all(another(scriptedModel([say('Two.')])), other);
    close();
    const play = await stage.play();
    await all(play, first);
    expect(await all(play, other)).toEqual(recorded);
  });

  it('records that the session did not read to the end', async () => {
    const { port, close } = stage.record([say('One ', 'two.')]);
    for await (const record of port(first, new AbortController().signal))
      if (record.type === 'content_block_start') break;
    close();
    expect(stage.lastLine()).toMatchObject({ type: 'left', attempt: 1 });
    expect((await all(await stage.play(), first)).at(-1)).toMatchObject({
      message: 'The recording breaks off in the answer to request 1, after 2 events.',
    });
  });
});

describe('a replay that is asked something else', () => {
  async function parted(recorded: typeof first, asked: typeof first, query = ''): Promise<string> {
    const { port, close } = stage.record([say('Yes.')]);
    await all(port, recorded);
    close();
    const [end] = await all(await stage.play(query), asked);
    return end?.type === 'model_error' ? `${end.class}: ${end.message}` : 'played';
  }

  const tool = { name: 'Bash', description: 'Runs a command.', input_schema: { type: 'object' } };
  const result = (content: string) =>
    requestOf([
      ['user', 'Look'],
      ['assistant', [{ type: 'tool_use', id: 'b1', name: 'Bash', input: { command: 'ls' } }]],
      ['user', [{ type: 'tool_result', tool_use_id: 'b1', content }]],
    ]);

  it.each([
    [
      'a text',
      first,
      requestOf([['user', 'Hello there']]),
      'message 1 (user), block 1, at character 6: recorded "Hello", now "Hello there".',
    ],
    [
      'a result',
      result('a.txt'),
      result('b.txt'),
      'message 3 (user), block 1 (result of Bash), at character 1: recorded "a.txt", now "b.txt" (tools run for real in a replay: this one has another result than when it was recorded; ?match=calls lets results differ).',
    ],
    [
      'a message more',
      first,
      second,
      'message 2 (assistant) was not recorded: [{"type":"text","text":"Hi."}].',
    ],
    [
      'a message less',
      second,
      first,
      'message 2 (assistant) was recorded and is not there now: [{"type":"text","text":"Hi."}].',
    ],
    [
      'no tool',
      { ...first, tools: [tool] },
      first,
      'tools: Bash was recorded and is not offered now (a recorded conversation is replayed in one, a recorded -p with -p, and with the same flags; ?match=none compares nothing).',
    ],
    [
      'a tool of another description',
      { ...first, tools: [tool] },
      { ...first, tools: [{ ...tool, description: 'Runs it.' }] },
      'tools: Bash, description, at character 6: recorded "Runs a command.", now "Runs it.".',
    ],
    [
      'another system prompt',
      { ...first, system: [{ type: 'text' as const, text: 'Be kind.' }] },
      { ...first, system: [{ type: 'text' as const, text: 'Be brief.' }] },
      'system prompt, layer 1, at character 4: recorded "Be kind.", now "Be brief.".',
    ],
    ['another cap', first, { ...first, max_tokens: 64_000 }, 'max_tokens: recorded 8192, now 64000.'],
    [
      'several things',
      first,
      { ...requestOf([['user', 'Bye']]), model: 'other' },
      'message 1 (user), block 1, at character 1: recorded "Hello", now "Bye". Also different: model.',
    ],
  ])('reports the first difference: %s', async (_, recorded, asked, where) => {
    expect(await parted(recorded, asked)).toBe(
      `bad_request: The replay and the session part at request 1: ${where}`,
    );
  });

  it('reports that there are no more attempts, and repeats it from then on', async () => {
    const { port, close } = stage.record([say('Yes.')]);
    await all(port, first);
    close();
    const replay = await stage.play();
    await all(replay, first);
    const message =
      'The replay and the session part at request 2: the recording has none, it ends after one.';
    expect(await all(replay, second)).toMatchObject([{ message, shouldRetry: false }]);
    expect(await all(replay, first)).toMatchObject([{ message }]);
  });

  it('accepts other tool results if only calls count, and nothing else', async () => {
    expect(await parted(result('1.2 s'), result('1.3 s'), '?match=calls')).toBe('played');
    expect(await parted(first, second, '?match=calls')).toContain('message 2 (assistant) was not recorded');
  });

  it('plays on if it does not compare, and ignores cache marks', async () => {
    expect(await parted(first, second, '?match=none')).toBe('played');
    const system = [{ type: 'text' as const, text: 'x' }];
    const marked = [{ type: 'text' as const, text: 'x', cache_control: { type: 'ephemeral' as const } }];
    expect(await parted({ ...first, system }, { ...first, system: marked, marks: [] }, '?match=strict')).toBe(
      'played',
    );
  });
});

describe('secrets', () => {
  const environment = { ANTHROPIC_API_KEY: 'my-own-key' };
  const asked = requestOf([['user', 'The file says my-own-key.']]);

  it('are not in the file, and the replay still finds its request: with the key, and without it', async () => {
    const { port, close } = stage.record(
      [[say('It is my-', 'own-', 'key!'), fail('auth', { message: 'bad my-own-key' })]],
      {
        environment,
      },
    );
    await all(port, asked);
    close();
    expect(stage.text()).not.toMatch(/my-own-key|own-/);
    for (const known of [environment, {}]) {
      const replay = await stage.play('', { environment: known });
      expect((await all(replay, asked)).at(-1)).toMatchObject({ class: 'auth', message: 'bad [redacted]' });
    }
    const other = await all(await stage.play(), requestOf([['user', 'The page says my-own-key.']]));
    expect(other).toMatchObject([{ class: 'bad_request' }]);
  });
});

describe('the file of a recording', () => {
  it('grows with the conversation, not with its square', async () => {
    const { port, close } = stage.record(() => say('Yes.'));
    const turn = 'x'.repeat(1_000);
    const system = [{ type: 'text' as const, text: 'S'.repeat(20_000) }];
    let request = requestOf([['user', turn]], { system });
    for (let at = 0; at < 60; at++) {
      await all(port, request);
      const messages = request.messages.append([
        { role: 'assistant', content: [{ type: 'text', text: `${at}` }] },
        { role: 'user', content: [{ type: 'text', text: `${at} ${turn}` }] },
      ]);
      request = Object.assign({}, request, { messages });
    }
    close();
    expect(stage.text().length).toBeLessThan(60 * 3_000 + 20_000);
    expect((await all(await stage.play(), requestOf([['user', turn]], { system }))).at(-1)).toMatchObject({
      type: 'done',
    });
  });

  it('is read up to the line that a crash truncated', async () => {
    const { port, close } = stage.record([say('Yes.'), say('No.')]);
    const recorded = await all(port, first);
    await all(port, second);
    close();
    const cut = stage.text().indexOf('"No."');
    writeFileSync(stage.file, stage.text().slice(0, cut));
    const replay = await stage.play();
    expect(await all(replay, first)).toEqual(recorded);
    expect((await all(replay, second)).at(-1)).toMatchObject({
      class: 'bad_request',
      message: 'The recording breaks off in the answer to request 2, after 2 events.',
    });
  });

  it('reports a damaged line', async () => {
    writeFileSync(stage.file, 'notes\nmore notes\n');
    await expect(stage.play()).rejects.toThrow('it is not a recording');
    writeFileSync(stage.file, '');
    const { port, close } = stage.record([say('Yes.')]);
    await all(port, first);
    close();
    await expect(stage.play('?speed=fast')).rejects.toThrow('speed takes a number over 0, not fast');
    await expect(stage.play('?match=all')).rejects.toThrow(
      'match takes one of strict, loose, calls, none, not all',
    );
    await expect(stage.play('?mtach=none')).rejects.toThrow('replay takes match= and speed=, not mtach=');
    await expect(stage.play('.gone')).rejects.toThrow(`there is no file ${stage.file}.gone`);
    const whole = stage.text();
    writeFileSync(stage.file, whole.replace(/^\{"type":"part".*\n/m, ''));
    await expect(stage.play()).rejects.toThrow('line 2: a part of it is missing');
    writeFileSync(stage.file, whole.replace('"type":"event"', '"type":"envet"'));
    await expect(stage.play()).rejects.toThrow(/line \d+ cannot be read/);
    writeFileSync(stage.file, whole.replace('"format":1', '"format":2'));
    await expect(stage.play()).rejects.toThrow(
      'line 1: it was recorded in format 2; this program reads format 1',
    );
  });

  it('is rejected if a tool or a layer of the system prompt is missing', async () => {
    const tools = [{ name: 'Bash', description: 'Runs it.', input_schema: { type: 'object' } }];
    const system = [{ type: 'text' as const, text: 'Be kind.' }];
    const { port, close } = stage.record([say('Yes.')]);
    await all(port, { ...first, tools, system });
    close();
    const whole = stage.text();
    for (const lost of ['Runs it.', 'Be kind.']) {
      const lines = whole.split('\n').filter((line) => !line.includes(lost));
      writeFileSync(stage.file, lines.join('\n'));
      await expect(stage.play()).rejects.toThrow('line 4: a part of it is missing');
    }
  });

  it('replaces an older recording, and no other file', async () => {
    appendFileSync(stage.file, 'my notes\n');
    const setup = { model: 'm', version: '1', places: [], environment: {}, onTrouble: () => undefined };
    const refused = recordingPort(() => ({ [Symbol.asyncIterator]: () => expect.fail() }), stage.file, setup);
    expect(refused).toMatchObject({ ok: false, message: expect.stringContaining('is not a recording') });
    expect(stage.text()).toBe('my notes\n');
    writeFileSync(stage.file, '{"type":"heddle_recording" and something long that is behind it}\n');
    const { port, close } = stage.record([say('Yes.')]);
    await all(port, first);
    close();
    expect((await all(await stage.play(), first)).at(-1)).toMatchObject({ type: 'done' });
  });

  it('creates no folders', () => {
    const setup = { model: 'm', version: '1', places: [], environment: {}, onTrouble: () => undefined };
    const lost = `${stage.file}.gone/recording.jsonl`;
    const refused = recordingPort(() => ({ [Symbol.asyncIterator]: () => expect.fail() }), lost, setup);
    expect(refused).toEqual({
      ok: false,
      message: `${lost} cannot be written: there is no folder ${stage.file}.gone`,
    });
  });

  it('is complete although another process still writes to an older recording of that name', async () => {
    const older = stage.record([say('Older.'), say('Older.')]);
    await all(older.port, first);
    const newer = stage.record([say('Newer.')]);
    await all(newer.port, first);
    await all(older.port, first);
    older.close();
    newer.close();
    expect(stage.text()).toContain('Newer');
    expect((await all(await stage.play(), first)).at(-1)).toMatchObject({ type: 'done' });
  });
});
