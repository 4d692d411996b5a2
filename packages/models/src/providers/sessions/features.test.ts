/** Checks the features in the table against the requests and responses of each package. */
import type { ContentBlock, ModelRecord } from '@heddle/core';
import { answer, call, say, think, usage } from '@heddle/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { ask, requestTo } from '../../test/bridge.ts';
import { closeStages } from '../../test/stage-api.ts';
import { CHAT, GEMINI, OTHERS, RESPONSES, runOn, stageWire, type TestWire } from '../../test/wires.ts';
import { PROVIDERS, providerNamed } from '../providers.ts';

afterEach(closeStages);

const PICTURE =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const PAPER = Buffer.from('%PDF-1.4 a paper').toString('base64');

const image: ContentBlock = {
  type: 'image',
  source: { type: 'base64', media_type: 'image/png', data: PICTURE },
};
const paper: ContentBlock = {
  type: 'document',
  source: { type: 'base64', media_type: 'application/pdf', data: PAPER },
};

const wires = [RESPONSES, CHAT, GEMINI, ...OTHERS].map((wire) => {
  const provider = providerNamed(wire.id);
  if (provider === undefined) throw new Error(wire.id);
  return { wire, id: wire.id, features: provider.features };
});

it('every provider is checked', () => {
  expect(new Set(wires.map(({ id }) => id))).toEqual(new Set(PROVIDERS.map(({ id }) => id)));
});

async function sent(
  wire: TestWire,
  ...[messages, overrides]: [Parameters<typeof requestTo>[1], Parameters<typeof requestTo>[2]?]
) {
  const { port, server } = await stageWire(wire, [say('Yes.')]);
  const records = await ask(port, requestTo(wire, messages, overrides));
  expect(records.at(-1)).toMatchObject({ type: 'done' });
  server.assertNoViolations();
  return JSON.stringify(server.requests[0]?.body);
}

describe.each(wires)('$id', ({ wire, features }) => {
  it(`${features.images ? 'takes' : 'does not get'} pictures`, async () => {
    expect((await sent(wire, [['user', [image]]])).includes(PICTURE)).toBe(features.images);
  });

  it(`${features.documents ? 'takes' : 'does not get'} documents`, async () => {
    expect((await sent(wire, [['user', [paper]]])).includes(PAPER)).toBe(features.documents);
  });

  it('gets images in results if it supports them, and never as base64 text', async () => {
    const body = await sent(wire, [
      ['user', 'look'],
      ['assistant', [{ type: 'tool_use', id: 't1', name: 'Look', input: {} }]],
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a picture is what a result may hold
      ['user', [{ type: 'tool_result', tool_use_id: 't1', content: [image] as never }]],
    ]);
    const isSeen = features.images && (features.mediaInResults || features.wordsAfterResults);
    expect(body.includes(PICTURE)).toBe(isSeen);
    expect(body.includes('follows in the next message')).toBe(isSeen && !features.mediaInResults);
  });

  it(`${features.effort ? 'receives' : 'does not receive'} the effort`, async () => {
    const hard = await sent(wire, [['user', 'think']], { options: { effort: 'high' } });
    const plain = await sent(wire, [['user', 'think']]);
    expect(hard !== plain).toBe(features.effort);
  });

  it(`has its thinking ${features.thinking} in the next turn`, async () => {
    const { server } = await runOn(wire, [
      answer(think('Let me see.'), call('Look', {}, 't1')),
      say('Seen.'),
    ]);
    const body = JSON.stringify(server.requests[1]?.body);
    expect(body.includes('Let me see.')).toBe(features.thinking !== 'dropped');
    expect(body.includes('signed-11')).toBe(features.thinking === 'signed');
  });

  it('reports cached tokens, and they are counted once', async () => {
    const { port } = await stageWire(wire, [
      answer(usage({ input_tokens: 70, cache_read_input_tokens: 30 }), say('Yes.')),
    ]);
    expect(usageIn(await ask(port, requestTo(wire)))).toMatchObject({
      input_tokens: 70,
      cache_read_input_tokens: 30,
    });
  });
});

it('Bedrock gets cache marks if the model supports them', async () => {
  const bedrock = wires.find(({ id }) => id === 'bedrock')?.wire;
  if (bedrock === undefined) throw new Error('bedrock');
  const marks = {
    system: [{ type: 'text', text: 'Be good.', cache_control: { type: 'ephemeral' } }],
    marks: [{ message: 2, block: 0 }],
  } as const;
  const messages = [
    ['user', 'one'],
    ['assistant', 'two'],
    ['user', 'three'],
  ] as const;
  const body = await sent(bedrock, messages, marks);
  const point = '{"cachePoint":{"type":"default"}}';
  expect(body.split(point)).toHaveLength(3);
  expect(body).toContain(`{"text":"three"},${point}`);
  const other = { ...bedrock, model: 'bedrock/meta.llama4-scout-17b-instruct-v1:0' };
  expect(await sent(other, messages, marks)).not.toContain('cachePoint');
});

function usageIn(records: readonly ModelRecord[]): unknown {
  return records.flatMap((record) => (record.type === 'message_delta' ? [record.usage] : []))[0];
}
