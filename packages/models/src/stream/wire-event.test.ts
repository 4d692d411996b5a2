import { describe, expect, it } from 'vitest';
import { readWireEvent } from './wire-event.ts';

describe('the boundary of the stream', () => {
  it.each([
    { type: 'message_start', message: { id: 'm', model: 'x', usage: { input_tokens: 1 } } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'x' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'citations_delta', citation: {} } },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 1 } },
    { type: 'message_stop' },
    { type: 'ping' },
    { type: 'error', error: { type: 'overloaded_error', message: 'x' } },
    { type: 'of_tomorrow', with: ['anything'] },
  ])('passes $type unchanged', (event) => {
    expect(readWireEvent(JSON.stringify(event))).toEqual(event);
  });

  it('passes unknown blocks unchanged', () => {
    const event = {
      type: 'content_block_start',
      index: 3,
      content_block: { type: 'of_tomorrow', x: { y: 1 } },
    };
    expect(readWireEvent(JSON.stringify(event))).toEqual(event);
  });

  it.each([
    [{ type: 'text' }, { type: 'text', text: '' }],
    [{ type: 'thinking' }, { type: 'thinking', thinking: '', signature: '' }],
    [
      { type: 'tool_use', id: 't', name: 'n' },
      { type: 'tool_use', id: 't', name: 'n', input: {} },
    ],
  ])('adds fields that a server omitted from %j', (given, filled) => {
    const event = readWireEvent(
      JSON.stringify({ type: 'content_block_start', index: 0, content_block: given }),
    );
    expect(event).toMatchObject({ content_block: filled });
  });

  it.each([
    'not json',
    '"text"',
    '[]',
    'null',
    '{}',
    '{"type":7}',
    '{"type":"message_start"}',
    '{"type":"message_start","message":{"id":"m"}}',
    '{"type":"content_block_start","index":0}',
    '{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","name":"n"}}',
    '{"type":"content_block_start","index":0,"content_block":{"type":"text","text":5}}',
    '{"type":"content_block_delta","index":0}',
    '{"type":"content_block_delta","delta":{"type":"text_delta","text":"x"}}',
    '{"type":"content_block_delta","index":0,"delta":{"type":"text_delta"}}',
    '{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":null}}',
    '{"type":"content_block_stop"}',
    '{"type":"message_delta"}',
    '{"type":"error"}',
  ])('rejects %s as unreadable', (data) => {
    expect(readWireEvent(data)).toBeUndefined();
  });
});
