/**
 * A model that cannot write as much as requested is asked for less. Real packages, servers on loopback.
 */
import { raw, say } from '@heddle/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { ask, failureOf, requestTo } from '../test/bridge.ts';
import { closeStages, textIn } from '../test/stage-api.ts';
import { CHAT, CONVERSE, COMPATIBLE, OTHERS, RESPONSES, stageWire, type TestWire } from '../test/wires.ts';

afterEach(closeStages);

function wire(id: string): TestWire {
  const found = OTHERS.find((other) => other.id === id);
  if (found === undefined) throw new Error(id);
  return found;
}

const refusal = (message: string) => raw(400, JSON.stringify({ error: { message }, message }));
const much = { max_tokens: 64_000 };

describe('a response that was cut leads to a request for 64,000 tokens', () => {
  it.each([
    [
      CHAT,
      'max_tokens is too large: 64000. This model supports at most 16384 completion tokens, whereas you provided 64000.',
      16_384,
    ],
    [
      RESPONSES,
      "Invalid 'max_output_tokens': integer above maximum value. Expected a value <= 32768, but got 64000 instead.",
      32_768,
    ],
    [wire('deepseek'), 'Invalid max_tokens value, the valid range of max_tokens is [1, 8192]', 8_192],
    [
      wire('groq'),
      '`max_tokens` must be less than or equal to `40960`, the maximum value for `max_tokens` is less than the `context_window` for this model',
      40_960,
    ],
    [
      CONVERSE,
      'The maximum tokens you requested exceeds the model limit of 8192. Try again with a maximum tokens value that is lower than 8192.',
      8_192,
    ],
    [
      wire('vertex'),
      'Unable to submit request because it has a maxOutputTokens value of 64000 but the supported range is from 1 (inclusive) to 8193 (exclusive). Update the value and try again.',
      8_192,
    ],
    [
      wire('vllm'),
      "'max_tokens' or 'max_completion_tokens' is too large: 64000. This model's maximum context length is 32768 tokens and your request has 900 input tokens (64000 > 32768 - 900).",
      31_868,
    ],
  ])('$id rejects it and gets a smaller cap', async (target, message, most) => {
    const { port, server } = await stageWire(target, [refusal(message), say('Less.')]);
    const records = await ask(port, requestTo(target, undefined, much));
    expect(textIn(records)).toBe('Less.');
    expect(records.at(-1)).toMatchObject({ type: 'done' });
    expect(server.requests).toHaveLength(2);
    expect(JSON.stringify(server.requests[1]?.body)).toMatch(new RegExp(`[tT]okens":${most}[,}]`));
  });
});

it('a learned cap is kept for the model, and only for it', async () => {
  const refused = refusal('This model supports at most 16384 completion tokens');
  const { port, server } = await stageWire(CHAT, [refused, say('a'), say('b'), say('c')]);
  await ask(port, requestTo(CHAT, undefined, much));
  await ask(port, requestTo(CHAT, undefined, much));
  await ask(port, requestTo({ model: 'openai-chat/another' }, undefined, much));
  const asked = server.requests.map(({ body }) => JSON.stringify(body).match(/tokens":(\d+)/)?.[1]);
  expect(asked).toEqual(['64000', '16384', '16384', '64000']);
});

it('the rest of a window is not kept: the next request has another rest', async () => {
  const refused = refusal(
    "max_tokens is too large: 64000. This model's maximum context length is 32768 tokens and your request has 900 input tokens",
  );
  const { port, server } = await stageWire(COMPATIBLE, [refused, say('a'), say('b')]);
  await ask(port, requestTo(COMPATIBLE, undefined, much));
  await ask(port, requestTo(COMPATIBLE, undefined, { max_tokens: 32_000 }));
  const asked = server.requests.map(({ body }) => JSON.stringify(body).match(/tokens":(\d+)/)?.[1]);
  expect(asked).toEqual(['64000', '31868', '32000']);
});

it.each([
  [
    'a window that is full',
    "max_tokens is too large: 8192. This model's maximum context length is 8192 tokens and your request has 8100 input tokens",
    'overflow',
  ],
  ['another fault', 'Unknown parameter 12345 beside max_tokens', 'bad_request'],
])('%s is reported as such', async (_, message, errorClass) => {
  const { port, server } = await stageWire(COMPATIBLE, [refusal(message)]);
  const request = requestTo(COMPATIBLE, undefined, { max_tokens: 8_192 });
  expect(await failureOf(port, request)).toMatchObject({ class: errorClass });
  expect(server.requests).toHaveLength(1);
});
