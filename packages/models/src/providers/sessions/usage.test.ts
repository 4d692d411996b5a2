/** Converts the usage of each wire format to four counters: no token is counted twice or lost. */
import { NO_USAGE, updateUsage } from '@heddle/core';
import { answer, type Reply, say, usage } from '@heddle/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { createPrices } from '../../prices/prices.ts';
import { ask, requestTo } from '../../test/bridge.ts';
import { chunk, geminiChunk, responded, responseOf, responses, streamed } from '../../test/raw-answers.ts';
import { closeStages } from '../../test/stage-api.ts';
import {
  CHAT,
  COMPATIBLE,
  CONVERSE,
  GEMINI,
  OTHERS,
  RESPONSES,
  stageWire,
  type TestWire,
} from '../../test/wires.ts';

afterEach(closeStages);

function other(id: string): TestWire {
  const found = OTHERS.find((wire) => wire.id === id);
  if (found === undefined) throw new Error(id);
  return found;
}

async function usageOn(wire: TestWire, reply: Reply) {
  const { port } = await stageWire(wire, [reply]);
  const records = await ask(port, requestTo(wire));
  expect(records.at(-1)).toMatchObject({ type: 'done' });
  const usages = records.flatMap((record) => (record.type === 'message_delta' ? [record.usage] : []));
  return updateUsage(NO_USAGE, usages[0]);
}

const inChat = (usage: object) =>
  streamed(chunk({ content: 'x' }), chunk({}, 'stop'), { id: 'c1', choices: [], usage }, '[DONE]');
const openai = {
  prompt_tokens: 100,
  completion_tokens: 20,
  total_tokens: 120,
  prompt_tokens_details: { cached_tokens: 30 },
  completion_tokens_details: { reasoning_tokens: 5 },
};
const inResponses = responses(...responded('x'), {
  type: 'response.completed',
  response: responseOf('completed', {
    usage: {
      input_tokens: 100,
      input_tokens_details: { cached_tokens: 30 },
      output_tokens: 20,
      output_tokens_details: { reasoning_tokens: 5 },
      total_tokens: 120,
    },
  }),
});
const inGemini = streamed({
  ...geminiChunk([{ text: 'x' }], 'STOP'),
  usageMetadata: {
    promptTokenCount: 100,
    cachedContentTokenCount: 30,
    candidatesTokenCount: 15,
    thoughtsTokenCount: 5,
    totalTokenCount: 120,
  },
});

describe('of a hundred tokens thirty came from the cache, and five of twenty were thinking', () => {
  it.each([
    { wire: CHAT, reply: inChat(openai) },
    { wire: COMPATIBLE, reply: inChat(openai) },
    {
      wire: other('groq'),
      reply: streamed({ ...chunk({ content: 'x' }, 'stop'), x_groq: { usage: openai } }),
    },
    { wire: other('openrouter'), reply: inChat(openai) },
    {
      wire: other('deepseek'),
      reply: inChat({ ...openai, prompt_cache_hit_tokens: 30, prompt_cache_miss_tokens: 70 }),
    },
    { wire: RESPONSES, reply: inResponses },
    { wire: other('xai'), reply: inResponses },
    { wire: GEMINI, reply: inGemini },
    { wire: other('vertex'), reply: inGemini },
  ])('over $wire.id', async ({ wire, reply }) => {
    expect(await usageOn(wire, reply)).toEqual({
      input_tokens: 70,
      cache_read_input_tokens: 30,
      cache_creation_input_tokens: 0,
      output_tokens: 20,
      more: { reasoning_tokens: 5 },
    });
  });
});

it.each([CONVERSE, other('openrouter')])('cache writes of $id do not count as fresh input', async (wire) => {
  const counted = usage({ input_tokens: 60, cache_read_input_tokens: 30, cache_creation_input_tokens: 10 });
  expect(await usageOn(wire, answer(counted, say('x')))).toMatchObject({
    input_tokens: 60,
    cache_read_input_tokens: 30,
    cache_creation_input_tokens: 10,
  });
});

it('without counts of the server, usage is our own estimate and is marked as such', async () => {
  const used = await usageOn(COMPATIBLE, streamed(chunk({ content: 'x' }), chunk({}, 'stop'), '[DONE]'));
  expect(used.input_tokens).toBeGreaterThan(10);
  expect(used.more).toEqual({ estimated: true });
});

it('the cost that a local server reports is not taken as dollars', async () => {
  const used = await usageOn(COMPATIBLE, inChat({ ...openai, cost: 12 }));
  expect(createPrices().priceOf(COMPATIBLE.model, used)).toBeUndefined();
});
