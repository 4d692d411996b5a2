import type {
  LanguageModelV4FinishReason,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
} from '@ai-sdk/provider';
import type { ApiEvent } from '@heddle/core';
import { describe, expect, it } from 'vitest';
import { ToolNames } from '../request/names.ts';
import { BridgeAnswer, type AnswerListenerEvents } from './answer.ts';

const USAGE: LanguageModelV4Usage = {
  inputTokens: { total: 100, noCache: 70, cacheRead: 30, cacheWrite: undefined },
  outputTokens: { total: 9, text: 5, reasoning: 4 },
};

interface Translated {
  readonly events: readonly ApiEvent[];
  /** Blocks in short: `0 text "…" end`. */
  readonly lines: readonly string[];
  readonly outcome: AnswerListenerEvents;
}

function translate(
  parts: readonly LanguageModelV4StreamPart[],
  taken: readonly string[] = [],
  breaks = false,
): Translated {
  const events: ApiEvent[] = [];
  const ids = new Set(taken);
  const setting = {
    model: 'm/1',
    provider: 'm',
    names: new ToolNames([{ name: 'with.dot', description: '', input_schema: {} }]),
    isTaken: (id: string) => ids.has(id) || !ids.add(id),
    estimate: () => 1_234,
    tellsCost: false,
  };
  const answer = new BridgeAnswer(setting, (event) => events.push(event));
  let outcome: AnswerListenerEvents = { is: 'more' };
  for (const part of parts) outcome = answer.push(part);
  if (breaks) answer.breakOff();
  return { events, lines: linesOf(events), outcome };
}

function linesOf(events: readonly ApiEvent[]): readonly string[] {
  const lines: string[] = [];
  for (const event of events) {
    if (event.type === 'content_block_start') {
      const { content_block: block } = event;
      const name = block.type === 'tool_use' ? ` ${block.name}(${block.id})` : '';
      const data = block.type === 'redacted_thinking' ? ` ${block.data}` : '';
      lines[event.index] = `${event.index} ${String(block.type)}${name}${data} `;
    } else if (event.type === 'content_block_delta') {
      const { delta } = event;
      lines[event.index] +=
        delta.type === 'text_delta'
          ? delta.text
          : delta.type === 'thinking_delta'
            ? delta.thinking
            : delta.type === 'input_json_delta'
              ? delta.partial_json
              : delta.type === 'signature_delta'
                ? ` <${delta.signature}>`
                : '';
    } else if (event.type === 'content_block_stop') lines[event.index] += ' end';
  }
  return lines;
}

type Unified = LanguageModelV4FinishReason['unified'];

function finish(unified: Unified): LanguageModelV4StreamPart {
  return finishWith(unified, unified);
}

function finishWith(unified: Unified, raw: string | undefined): LanguageModelV4StreamPart {
  return { type: 'finish', finishReason: { unified, raw }, usage: USAGE };
}

function call(id: string, input: string, toolName = 'Look'): readonly LanguageModelV4StreamPart[] {
  return [
    { type: 'tool-input-start', id, toolName },
    { type: 'tool-input-delta', id, delta: input },
    { type: 'tool-input-end', id },
    { type: 'tool-call', toolCallId: id, toolName, input },
  ];
}

describe('blocks', () => {
  it('come one after another, numbered', () => {
    const { lines, events } = translate([
      { type: 'stream-start', warnings: [] },
      { type: 'reasoning-start', id: 'r' },
      { type: 'reasoning-delta', id: 'r', delta: 'hm' },
      { type: 'reasoning-end', id: 'r', providerMetadata: { m: { key: 'v' } } },
      { type: 'text-start', id: 't' },
      { type: 'text-delta', id: 't', delta: 'I ' },
      { type: 'text-delta', id: 't', delta: 'look' },
      { type: 'text-end', id: 't' },
      ...call('c1', '{"a":1}'),
      finish('tool-calls'),
    ]);
    expect(lines).toEqual([
      '0 thinking hm <heddle-bridge:m:{"m":{"key":"v"}}> end',
      '1 text I look end',
      '2 tool_use Look(c1) {"a":1} end',
    ]);
    expect(events[0]).toMatchObject({ type: 'message_start', message: { model: 'm/1' } });
    expect(events.slice(-2)).toEqual([
      {
        type: 'message_delta',
        delta: { stop_reason: 'tool_use', stop_sequence: null },
        usage: {
          input_tokens: 70,
          cache_read_input_tokens: 30,
          cache_creation_input_tokens: 0,
          output_tokens: 9,
          reasoning_tokens: 4,
        },
      },
      { type: 'message_stop' },
    ]);
  });

  it('that grow at the same time wait for each other', () => {
    const { lines } = translate([
      { type: 'tool-input-start', id: 'c1', toolName: 'Look' },
      { type: 'tool-input-start', id: 'c2', toolName: 'Look' },
      { type: 'tool-input-delta', id: 'c2', delta: '{"b"' },
      { type: 'tool-input-delta', id: 'c1', delta: '{"a"' },
      { type: 'tool-input-delta', id: 'c2', delta: ':2}' },
      { type: 'tool-input-delta', id: 'c1', delta: ':1}' },
      { type: 'tool-call', toolCallId: 'c2', toolName: 'Look', input: '{"b":2}' },
      { type: 'tool-call', toolCallId: 'c1', toolName: 'Look', input: '{"a":1}' },
      finish('tool-calls'),
    ]);
    expect(lines).toEqual(['0 tool_use Look(c1) {"a":1} end', '1 tool_use Look(c2) {"b":2} end']);
  });

  it('are two if a server gives two calls one id, and the second gets a new id', () => {
    const { lines } = translate([...call('c1', '{"a":1}'), ...call('c1', '{"a":2}'), finish('tool-calls')]);
    expect(lines).toHaveLength(2);
    expect(lines[0]).toBe('0 tool_use Look(c1) {"a":1} end');
    expect(lines[1]).toMatch(/^1 tool_use Look\(call_\w+\) {"a":2} end$/);
  });

  it('of text continue after a call as a separate block', () => {
    const { lines } = translate([
      { type: 'text-delta', id: 't', delta: 'before' },
      ...call('c1', '{}'),
      { type: 'text-delta', id: 't', delta: 'after' },
      finish('stop'),
    ]);
    expect(lines).toEqual(['0 text before end', '1 tool_use Look(c1) {} end', '2 text after end']);
  });

  it('a call that arrives only at its end is reported whole', () => {
    const { lines } = translate([
      { type: 'tool-call', toolCallId: 'c1', toolName: 'Look', input: '{"a":1}' },
      finish('tool-calls'),
    ]);
    expect(lines).toEqual(['0 tool_use Look(c1) {"a":1} end']);
  });

  it('a call ends as soon as the next begins, if its JSON is complete', () => {
    const { lines } = translate([
      { type: 'tool-input-start', id: 'c1', toolName: 'Look' },
      { type: 'tool-input-delta', id: 'c1', delta: '{"a":1}' },
      { type: 'tool-input-start', id: 'c2', toolName: 'Look' },
      { type: 'tool-input-delta', id: 'c2', delta: '{"b"' },
    ]);
    expect(lines).toEqual(['0 tool_use Look(c1) {"a":1} end', '1 tool_use Look(c2) {"b"']);
  });

  it('a signature precedes the call or text that it belongs to', () => {
    const { lines } = translate([
      { type: 'text-start', id: 't', providerMetadata: { m: { itemId: 'i', phase: 'commentary' } } },
      { type: 'text-delta', id: 't', delta: 'so' },
      { type: 'tool-input-start', id: 'c1', toolName: 'Look', providerMetadata: { m: { sig: 's' } } },
      { type: 'tool-call', toolCallId: 'c1', toolName: 'Look', input: '{}' },
      finish('stop'),
    ]);
    expect(lines).toEqual([
      '0 redacted_thinking heddle-bridge:m:{"m":{"itemId":"i","phase":"commentary"}}  end',
      '1 text so end',
      '2 redacted_thinking heddle-bridge:m:{"m":{"sig":"s"}}  end',
      '3 tool_use Look(c1) {} end',
    ]);
  });

  it('thinking without text is kept for its signature', () => {
    const { lines } = translate([
      { type: 'reasoning-start', id: 'r', providerMetadata: { m: { itemId: 'i' } } },
      { type: 'reasoning-end', id: 'r', providerMetadata: { m: { encrypted: 'e' } } },
      { type: 'text-delta', id: 't', delta: 'so' },
      finish('stop'),
    ]);
    expect(lines).toEqual([
      '0 thinking  <heddle-bridge:m:{"m":{"itemId":"i","encrypted":"e"}}> end',
      '1 text so end',
    ]);
  });

  it('tool names are mapped back, and ids are generated if they are missing or already used', () => {
    const { lines } = translate(
      [...call('call_0', '{}', new ToolNames([]).toWire('with.dot')), ...call('', '{}'), finish('stop')],
      ['call_0'],
    );
    expect(lines).toEqual([
      expect.stringMatching(/^0 tool_use with\.dot\(call_[0-9a-f]{32}\) \{\} end$/),
      expect.stringMatching(/^1 tool_use Look\(call_[0-9a-f]{32}\) \{\} end$/),
    ]);
  });

  it('calls that the provider runs itself are ignored', () => {
    const { lines } = translate([
      { type: 'tool-call', toolCallId: 'c1', toolName: 'web', input: '{}', providerExecuted: true },
      finish('stop'),
    ]);
    expect(lines).toEqual([]);
  });
});

describe('invalid JSON', () => {
  it("is the model's own text if the response ended normally", () => {
    const { lines } = translate([...call('c1', '{"a": oops'), ...call('c2', '{}'), finish('tool-calls')]);
    expect(lines).toEqual(['0 tool_use Look(c1) {"a": oops end', '1 tool_use Look(c2) {} end']);
  });

  it('is incomplete at the end of a response that was cut', () => {
    const { lines, events } = translate([...call('c1', '{}'), ...call('c2', '{"a": "lo'), finish('length')]);
    expect(lines).toEqual(['0 tool_use Look(c1) {} end', '1 tool_use Look(c2) {"a": "lo']);
    expect(events).toContainEqual(
      expect.objectContaining({ delta: { stop_reason: 'max_tokens', stop_sequence: null } }),
    );
  });

  it('never ends if the stream broke, and complete calls do', () => {
    const parts: readonly LanguageModelV4StreamPart[] = [
      { type: 'tool-input-start', id: 'c1', toolName: 'Look' },
      { type: 'tool-input-start', id: 'c2', toolName: 'Look' },
      { type: 'tool-input-delta', id: 'c1', delta: '{"a": "lo' },
      { type: 'tool-input-delta', id: 'c2', delta: '{"b":2}' },
    ];
    const { lines, outcome } = translate([...parts, finish('interrupted')], [], true);
    expect(lines).toEqual(['0 tool_use Look(c1) {"a": "lo', '1 tool_use Look(c2) {"b":2} end']);
    expect(outcome).toEqual({ is: 'broken' });
  });
});

describe('a part that the package could not read', () => {
  const unread = (value: unknown): LanguageModelV4StreamPart => ({
    type: 'error',
    error: Object.assign(new Error('Type validation failed'), { name: 'AI_TypeValidationError', value }),
  });

  it.each([{ type: 'response.new_thing' }, { type: 'keepalive' }, { type: 'response.x.in_progress', at: 1 }])(
    'is ignored if its kind is unknown: %j',
    (value) => {
      expect(translate([unread(value), finish('stop')]).outcome).toEqual({
        is: 'answer',
        reason: 'end_turn',
      });
    },
  );

  it.each([
    { type: 'response.output_text.delta', delta: 1 },
    { type: 'response.completed' },
    { type: 'error', error: 'x' },
    { choices: [{ delta: { role: 'model' } }] },
    'words',
  ])('is an error if it may be a part of the response: %j', (value) => {
    expect(translate([unread(value)]).outcome).toMatchObject({ is: 'error' });
  });

  it('because the stream had no end is reported as such', () => {
    const error = new Error('Response stream ended without a finish reason.');
    expect(translate([{ type: 'error', error }]).outcome).toEqual({ is: 'broken' });
  });
});

describe('the end', () => {
  it.each([
    ['stop', 'stop', { is: 'answer', reason: 'end_turn' }],
    ['tool-calls', 'tool_calls', { is: 'answer', reason: 'end_turn' }],
    ['length', 'max_tokens', { is: 'answer', reason: 'max_tokens' }],
    ['content-filter', 'SAFETY', { is: 'answer', reason: 'refusal' }],
    ['other', 'a_word_of_its_own', { is: 'answer', reason: 'end_turn' }],
    ['other', undefined, { is: 'broken' }],
    ['error', undefined, { is: 'broken' }],
    ['error', 'MALFORMED_FUNCTION_CALL', { is: 'failed', word: 'MALFORMED_FUNCTION_CALL' }],
    ['interrupted', undefined, { is: 'broken' }],
    // Finish reasons of some servers that their package does not know.
    ['other', 'error', { is: 'failed', word: 'error' }],
    ['other', 'insufficient_system_resource', { is: 'failed', word: 'insufficient_system_resource' }],
    ['other', 'UNEXPECTED_TOOL_CALL', { is: 'failed', word: 'UNEXPECTED_TOOL_CALL' }],
    ['other', 'content_filter', { is: 'answer', reason: 'refusal' }],
    ['other', 'sensitive', { is: 'answer', reason: 'refusal' }],
  ] as const)('%s (%s) without calls is %j', (unified, raw, outcome) => {
    expect(translate([finishWith(unified, raw)]).outcome).toEqual(outcome);
  });

  it('is one with calls if there were any, regardless of the finish reason', () => {
    expect(translate([...call('c1', '{}'), finish('stop')]).outcome).toEqual({
      is: 'answer',
      reason: 'tool_use',
    });
  });

  it('estimates tokens if the server did not count them', () => {
    const usage: LanguageModelV4Usage = {
      inputTokens: { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
      outputTokens: { total: undefined, text: undefined, reasoning: undefined },
    };
    const { events } = translate([{ type: 'finish', finishReason: { unified: 'stop', raw: 'stop' }, usage }]);
    expect(events.at(-2)).toMatchObject({
      usage: { input_tokens: 1_234, output_tokens: 0, estimated: true },
    });
  });
});
