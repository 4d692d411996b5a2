import { describe, expect, it } from 'vitest';
import type { ContentBlock } from '../messages/blocks.ts';
import type { ApiEvent } from './port.ts';
import { AnswerReader, type FinishedBlock } from './reader.ts';

function readAll(events: readonly ApiEvent[]): { reader: AnswerReader; finished: FinishedBlock[] } {
  const reader = new AnswerReader();
  const finished = events.flatMap((event) => reader.push(event) ?? []);
  return { reader, finished };
}

const start = (content_block: object, index = 0): ApiEvent => ({
  type: 'content_block_start',
  index,
  content_block: content_block as ContentBlock,
});
const delta = (given: object, index = 0): ApiEvent =>
  ({ type: 'content_block_delta', index, delta: given }) as ApiEvent;
const stop = (index = 0): ApiEvent => ({ type: 'content_block_stop', index });
const json = (partial_json: string): ApiEvent => delta({ type: 'input_json_delta', partial_json });
const begin = (usage?: object): ApiEvent => ({
  type: 'message_start',
  message: { id: 'msg_1', model: 'm', ...(usage ? { usage } : {}) },
});
const call = { type: 'tool_use', id: 'c1', name: 'Read', input: {} };

describe('edits of the server', () => {
  const edit = { type: 'clear_tool_uses_20250919', cleared_input_tokens: 5 };

  it('are read from the end of an answer, or from its beginning', () => {
    const ended = readAll([
      begin(),
      {
        type: 'message_delta',
        delta: { stop_reason: null },
        context_management: { applied_edits: [edit, 7] },
      },
    ]);
    expect(ended.reader.appliedEdits).toEqual([edit]);
    const message = { id: 'msg_1', model: 'm', context_management: { applied_edits: [edit] } };
    const began = readAll([
      { type: 'message_start', message },
      { type: 'message_delta', delta: { stop_reason: null } },
    ]);
    expect(began.reader.appliedEdits).toEqual([edit]);
  });

  it('are empty if the field is missing or invalid', () => {
    for (const context_management of [undefined, null, 'cleared', { applied_edits: 'all' }]) {
      const delta: ApiEvent = { type: 'message_delta', delta: { stop_reason: null }, context_management };
      expect(readAll([begin(), delta]).reader.appliedEdits).toEqual([]);
    }
  });
});

describe('a block', () => {
  it('of text contains the text of its deltas', () => {
    const { finished } = readAll([
      start({ type: 'text', text: '' }),
      delta({ type: 'text_delta', text: 'Hel' }),
      delta({ type: 'text_delta', text: 'lo' }),
      stop(),
    ]);
    expect(finished).toEqual([{ block: { type: 'text', text: 'Hello' } }]);
  });

  it('of thinking keeps its signature', () => {
    const { finished } = readAll([
      start({ type: 'thinking', thinking: '', signature: '' }),
      delta({ type: 'thinking_delta', thinking: 'Hm.' }),
      delta({ type: 'signature_delta', signature: 'sig' }),
      stop(),
    ]);
    expect(finished).toEqual([{ block: { type: 'thinking', thinking: 'Hm.', signature: 'sig' } }]);
  });

  it('may start without the fields of its deltas', () => {
    const { finished } = readAll([
      start({ type: 'thinking' }),
      delta({ type: 'thinking_delta', thinking: 'Hm.' }),
      delta({ type: 'signature_delta', signature: 'sig' }),
      stop(),
      start({ type: 'text' }, 1),
      delta({ type: 'text_delta', text: 'Hello' }, 1),
      stop(1),
    ]);
    expect(finished.map(({ block }) => block)).toEqual([
      { type: 'thinking', thinking: 'Hm.', signature: 'sig' },
      { type: 'text', text: 'Hello' },
    ]);
  });

  it('of an unknown kind is kept, with its streamed input', () => {
    const { finished } = readAll([
      start({ type: 'server_tool_use', id: 's1', name: 'web_search', input: {} }),
      json('{"query":'),
      json('"x"}'),
      stop(),
      start({ type: 'hologram', depth: 3 }, 1),
      delta({ type: 'hologram_delta', layer: 1 }, 1),
      stop(1),
    ]);
    expect(finished.map(({ block }) => block)).toEqual([
      { type: 'server_tool_use', id: 's1', name: 'web_search', input: { query: 'x' } },
      { type: 'hologram', depth: 3 },
    ]);
  });

  it('without an end is not finished, and only its text is kept', () => {
    const text = readAll([start({ type: 'text', text: '' }), delta({ type: 'text_delta', text: 'Half of' })]);
    expect(text.finished).toEqual([]);
    expect(text.reader.hasOpenBlock()).toBe(true);
    expect(text.reader.unfinishedText()).toBe('Half of');
    const tool = readAll([start(call), json('{"path":"a"}')]);
    expect(tool.finished).toEqual([]);
    expect(tool.reader.unfinishedText()).toBe('');
  });
});

describe('the input of a call', () => {
  const inputOf = (...events: readonly ApiEvent[]) => readAll([start(call), ...events, stop()]).finished[0];

  it('is parsed when the block stops', () => {
    expect(inputOf(json('{"pa'), json('th":"a"}'))).toEqual({ block: { ...call, input: { path: 'a' } } });
  });

  it('may be an object that was encoded twice', () => {
    expect(inputOf(json(JSON.stringify('{"path":"a"}')))).toEqual({
      block: { ...call, input: { path: 'a' } },
    });
    expect(inputOf(json('"[1]"'))?.badInput).toBe('The input is not a JSON object: "[1]"');
  });

  it('is empty if the server sent none', () => {
    expect(inputOf()).toEqual({ block: call });
    expect(inputOf(json(''))).toEqual({ block: call });
  });

  it('may be complete at the start of the block', () => {
    const { finished } = readAll([start({ ...call, input: { path: 'a' } }), stop()]);
    expect(finished).toEqual([{ block: { ...call, input: { path: 'a' } } }]);
  });

  it('is reported and shortened if it is invalid', () => {
    expect(inputOf(json('{"path": "a'))).toEqual({
      block: call,
      badInput: 'The input is not a JSON object: {"path": "a',
    });
    expect(inputOf(json('[1, 2]'))?.badInput).toBe('The input is not a JSON object: [1, 2]');
    expect(inputOf(json('null'))?.badInput).toBe('The input is not a JSON object: null');
    expect(inputOf(json('x'.repeat(10_000)))?.badInput).toHaveLength(233);
  });
});

describe('an answer', () => {
  it('has stopped only at message_stop', () => {
    const before = readAll([begin(), { type: 'message_delta', delta: { stop_reason: 'end_turn' } }]).reader;
    expect([before.stopReason, before.stopped]).toEqual(['end_turn', false]);
    const after = readAll([begin(), { type: 'message_stop' }]).reader;
    expect([after.stopReason, after.stopped]).toEqual([undefined, true]);
  });

  it('was cut if the output limit or the window ended it', () => {
    const cutBy = (stop_reason: 'max_tokens' | 'model_context_window_exceeded' | 'end_turn') =>
      readAll([{ type: 'message_delta', delta: { stop_reason } }]).reader.wasCut;
    expect([cutBy('max_tokens'), cutBy('model_context_window_exceeded'), cutBy('end_turn')]).toEqual([
      true,
      true,
      false,
    ]);
  });

  it('has the last reported usage of each counter, and null means unchanged', () => {
    const { reader } = readAll([
      begin({
        input_tokens: 10,
        output_tokens: 1,
        cache_read_input_tokens: 5,
        cache_creation_input_tokens: null,
      }),
      {
        type: 'message_delta',
        delta: { stop_reason: null },
        usage: { output_tokens: 7, input_tokens: null },
      },
      {
        type: 'message_delta',
        delta: { stop_reason: 'end_turn' },
        usage: { output_tokens: 9, server_tool_use: { web: 1 } },
      },
    ]);
    expect(reader.usage).toEqual({
      input_tokens: 10,
      output_tokens: 9,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 5,
      more: { server_tool_use: { web: 1 } },
    });
  });

  it('ignores invalid events', () => {
    const { reader, finished } = readAll([
      stop(3),
      delta({ type: 'text_delta', text: 'lost' }, 4),
      { type: 'ping' },
      { type: 'weather' } as unknown as ApiEvent,
      start({ type: 'text', text: '' }),
      delta({ type: 'text_delta', text: 'elsewhere' }, 7),
      stop(7),
      stop(0),
    ]);
    expect(finished).toEqual([{ block: { type: 'text', text: '' } }]);
    expect(reader.hasOpenBlock()).toBe(false);
  });
});
