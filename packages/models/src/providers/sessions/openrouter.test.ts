/** Extensions of OpenRouter and compatible endpoints beyond Chat Completions. */
import { NO_USAGE, updateUsage } from '@heddle/core';
import { answer, call, raw, type Reply, say, think, usage } from '@heddle/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { createPrices } from '../../prices/prices.ts';
import { ask, requestTo } from '../../test/bridge.ts';
import { closeStages } from '../../test/stage-api.ts';
import { OTHERS, runOn, stageWire, type TestWire } from '../../test/wires.ts';

afterEach(closeStages);

function wire(id: string, model?: string): TestWire {
  const found = OTHERS.find((other) => other.id === id);
  if (found === undefined) throw new Error(id);
  return model === undefined ? found : { ...found, model };
}

const CLAUDE = wire('openrouter', 'openrouter/anthropic/claude-sonnet-5');

/** A stream of raw chunks that a script cannot express. */
function chunks(...deltas: readonly object[]): Reply {
  const lines = [
    ...deltas.map((delta) => ({ id: 'c1', choices: [{ index: 0, delta, finish_reason: null }] })),
    { id: 'c1', choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] },
  ].map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`);
  return raw(200, `${lines.join('')}data: [DONE]\n\n`, { 'content-type': 'text/event-stream' });
}

const LOOK = { index: 0, id: 't1', type: 'function', function: { name: 'Look', arguments: '{"at":"a"}' } };

describe('cache marks', () => {
  const marked = {
    system: [{ type: 'text', text: 'Be good.', cache_control: { type: 'ephemeral' } }],
    marks: [
      { message: 0, block: 0 },
      { message: 2, block: 0 },
    ],
  } as const;
  const messages = [
    ['user', 'one'],
    ['assistant', [{ type: 'tool_use', id: 't1', name: 'Look', input: {} }]],
    ['user', [{ type: 'tool_result', tool_use_id: 't1', content: 'seen' }]],
  ] as const;

  it('stand on the parts of what is sent to Claude', async () => {
    const { port, server } = await stageWire(CLAUDE, [say('Yes.')]);
    await ask(port, requestTo(CLAUDE, messages, marked));
    const part = (text: string) => [{ type: 'text', text, cache_control: { type: 'ephemeral' } }];
    expect(server.requests[0]?.body).toMatchObject({
      messages: [
        { role: 'system', content: part('Be good.') },
        { role: 'user', content: part('one') },
        { role: 'assistant', tool_calls: [{ id: 't1' }] },
        { role: 'tool', tool_call_id: 't1', content: part('seen') },
      ],
    });
    server.assertNoViolations();
  });

  it('are not sent to models that cache by themselves', async () => {
    const other = wire('openrouter');
    const { port, server } = await stageWire(other, [say('Yes.')]);
    await ask(port, requestTo(other, messages, marked));
    expect(JSON.stringify(server.requests[0]?.body)).not.toContain('cache_control');
  });
});

describe('the cost of a response', () => {
  it('is requested, and is the one that OpenRouter reports, not the list price', async () => {
    const { port, server } = await stageWire(CLAUDE, [answer(usage({ input_tokens: 1_000 }), say('Yes.'))]);
    const records = await ask(port, requestTo(CLAUDE));
    expect(server.requests[0]?.body).toMatchObject({ usage: { include: true } });
    const reported = records.flatMap((record) => (record.type === 'message_delta' ? [record.usage] : []))[0];
    const used = updateUsage(NO_USAGE, reported);
    const cost = createPrices().priceOf(CLAUDE.model, used);
    expect(cost).toBeCloseTo((used.input_tokens + used.output_tokens) / 1e6, 12);
    const own = { [CLAUDE.model]: { inputPerMillion: 0, outputPerMillion: 0 } };
    expect(createPrices(own).priceOf(CLAUDE.model, used)).toBe(0);
  });

  it('is the list price if it is not reported', () => {
    const used = { ...NO_USAGE, input_tokens: 1_000_000 };
    expect(createPrices().priceOf(CLAUDE.model, used)).toBeGreaterThan(0);
  });
});

describe('encrypted thinking', () => {
  it('is sent back with its call', async () => {
    const sealed = { type: 'reasoning.encrypted', data: 'sealed', format: 'google-gemini-v1', index: 0 };
    const { server } = await runOn(wire('openrouter', 'openrouter/google/gemini-3.1-pro-preview'), [
      chunks(
        { reasoning: 'Hm', reasoning_details: [{ type: 'reasoning.text', text: 'Hm', index: 0 }] },
        { reasoning: '.', reasoning_details: [{ type: 'reasoning.text', text: '.', index: 0 }] },
        { reasoning_details: [sealed], tool_calls: [LOOK] },
      ),
      say('Seen.'),
    ]);
    expect(server.requests[1]?.body).toMatchObject({
      messages: [
        {},
        {},
        { reasoning_details: [{ type: 'reasoning.text', text: 'Hm.', index: 0 }, sealed] },
        { role: 'tool' },
      ],
    });
  });

  it('of one response is not attributed to another', async () => {
    const { server } = await runOn(wire('openrouter'), [
      answer(think('First.'), call('Look', {}, 't1')),
      answer(think('Second.'), call('Look', {}, 't2')),
      say('Seen.'),
    ]);
    const body = JSON.stringify(server.requests[2]?.body);
    expect(body.split('First.')).toHaveLength(2);
    expect(body.split('Second.')).toHaveLength(2);
    expect(body.split('"reasoning_details"')).toHaveLength(3);
  });
});

it('the signature that a compatible endpoint of Gemini puts on a call is sent back with it', async () => {
  const extra_content = { google: { thought_signature: 'sig-1' } };
  const { server } = await runOn(wire('openai-compatible'), [
    chunks({ tool_calls: [{ ...LOOK, extra_content }] }),
    say('Seen.'),
  ]);
  expect(server.requests[1]?.body).toMatchObject({
    messages: [{}, {}, { tool_calls: [{ id: 't1', extra_content }] }, { role: 'tool' }],
  });
});
