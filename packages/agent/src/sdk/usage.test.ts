import { NO_USAGE } from '@heddle/core';
import { say, scriptedModel } from '@heddle/testing';
import { expect, it } from 'vitest';
import { createAgent } from '../create-agent.ts';
import { type SdkMessage, sdkUsage } from './message.ts';

it('has every field that clients take for granted', () => {
  expect(sdkUsage({ ...NO_USAGE, cache_creation_input_tokens: 7 }, 2)).toEqual({
    ...NO_USAGE,
    cache_creation_input_tokens: 7,
    cache_creation: { ephemeral_5m_input_tokens: 7, ephemeral_1h_input_tokens: 0 },
    server_tool_use: { web_search_requests: 2, web_fetch_requests: 0 },
    service_tier: 'standard',
  });
});

it('says what the server said where it said something, and never loses a counter', () => {
  const more = { service_tier: 'priority', inference_geo: 'eu', input_tokens: 9 };
  expect(sdkUsage({ ...NO_USAGE, more })).toMatchObject({
    service_tier: 'priority',
    inference_geo: 'eu',
    input_tokens: 0,
  });
  expect(sdkUsage({ ...NO_USAGE, more })).not.toHaveProperty('more');
});

it('stands in a result with how much each model can take and give', async () => {
  const model = scriptedModel([say('Hello.')]);
  const setup = { context: { windowOf: () => 50_000 }, maxOutputTokens: 1_000 };
  const agent = createAgent({ model, modelName: 'scripted', tools: [], cwd: process.cwd(), ...setup });
  let last: SdkMessage | undefined;
  for await (const line of agent.submit('hello')) last = line;
  expect(last).toMatchObject({
    usage: { service_tier: 'standard', server_tool_use: { web_search_requests: 0 } },
    modelUsage: { scripted: { contextWindow: 50_000, maxOutputTokens: 1_000 } },
  });
});
