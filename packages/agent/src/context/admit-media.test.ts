import { type ContentBlock, text } from '@heddle/core';
import { say, scriptedModel } from '@heddle/testing';
import { describe, expect, it } from 'vitest';
import { createAgent } from '../create-agent.ts';
import { admitMedia } from './admit-media.ts';
import { picture } from './test/picture.ts';

const signal = new AbortController().signal;

const image = (bytes: Buffer, media_type = 'image/png'): ContentBlock => ({
  type: 'image',
  source: { type: 'base64', media_type, data: bytes.toString('base64') },
});

const pdf = (bytes: Buffer): ContentBlock => ({
  type: 'document',
  source: { type: 'base64', media_type: 'application/pdf', data: bytes.toString('base64') },
});

/** Width and height of what stands in the block now. */
function sizeOf(block: ContentBlock | undefined): readonly [number, number] {
  if (block?.type !== 'image' || block.source.type !== 'base64') throw new Error(JSON.stringify(block));
  const bytes = Buffer.from(block.source.data, 'base64');
  return [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
}

async function admitted(...content: readonly ContentBlock[]): Promise<readonly ContentBlock[]> {
  const result = await admitMedia(content, signal);
  if (typeof result === 'string') throw new Error(result);
  return result;
}

describe('what a user sends', () => {
  it('is handed on untouched where it holds no media, or media that may be sent', async () => {
    expect(await admitMedia('plain words', signal)).toBe('plain words');
    const words = [text('plain words')];
    expect(await admitMedia(words, signal)).toBe(words);
    const small = image(picture(20, 10));
    const fetched: ContentBlock = {
      type: 'image',
      source: { type: 'url', url: 'https://example.com/a.png' },
    };
    const paper = pdf(Buffer.from('%PDF-1.7 …'));
    const [first, second, third, fourth] = await admitted(text('see'), small, fetched, paper);
    expect(first).toEqual(text('see'));
    expect([second, third, fourth]).toEqual([small, fetched, paper]);
  });

  it('is scaled down where it is too wide, too high or too many bytes', async () => {
    const [wide, high] = await admitted(image(picture(9_000, 90)), image(picture(30, 3_000)));
    expect(sizeOf(wide)).toEqual([2_000, 20]);
    expect(sizeOf(high)).toEqual([20, 2_000]);
    const heavy = picture(1_300, 1_300, true);
    expect(heavy.toString('base64').length).toBeGreaterThan(5 * 1024 * 1024);
    const [light] = await admitted(image(heavy));
    if (light?.type !== 'image' || light.source.type !== 'base64') throw new Error('no image');
    expect(light.source.data.length).toBeLessThanOrEqual(5 * 1024 * 1024);
    expect(light.source.media_type).toMatch(/image\/(png|jpeg)/);
  });

  it('is called by its true name, also where it came as a data URL', async () => {
    const bytes = picture(4, 4);
    const encoded = bytes.toString('base64');
    const renamed = { type: 'base64', media_type: 'image/png', data: encoded };
    expect(await admitted(image(bytes, 'image/jpeg'))).toEqual([{ type: 'image', source: renamed }]);
    const source = {
      type: 'base64' as const,
      media_type: 'image/png',
      data: `data:image/png;base64,${encoded}`,
    };
    expect(await admitted({ type: 'image', source })).toEqual([{ type: 'image', source: renamed }]);
  });

  it('becomes a note with the reason where it cannot be sent', async () => {
    const bomb = picture(8, 8);
    bomb.writeUInt32BE(60_000, 16);
    bomb.writeUInt32BE(60_000, 20);
    const torn = picture(9_000, 90).subarray(0, 60);
    const notes = await admitted(
      image(Buffer.from('BM, a bitmap')),
      image(Buffer.from('')),
      image(bomb),
      image(torn),
      pdf(Buffer.from('<html>')),
    );
    expect(notes.map((block) => (block.type === 'text' ? block.text : block.type))).toEqual([
      expect.stringContaining('not a PNG, JPEG, GIF or WebP'),
      expect.stringContaining('not a PNG, JPEG, GIF or WebP'),
      expect.stringContaining('60000 × 60000 pixels'),
      expect.stringMatching(/^\[An image was left out: .+\]$/),
      expect.stringContaining('not a PDF'),
    ]);
  });

  it('is kept below what a request may have in all', async () => {
    const one = image(picture(1_000, 900, true));
    const blocks = await admitted(...Array.from({ length: 7 }, () => one));
    expect(blocks.map(({ type }) => type)).toEqual([
      'image',
      'image',
      'image',
      'image',
      'image',
      'text',
      'text',
    ]);
  });

  it('is stored as it was admitted, so that every later request can take it', async () => {
    const model = scriptedModel([say('A picture.')]);
    const agent = createAgent({ model, modelName: 'scripted', tools: [], cwd: '/' });
    for await (const _ of agent.submit({ content: [text('What is it?'), image(picture(5_000, 50))] })) void _;
    const [stored] = [...agent.messages];
    if (stored?.type !== 'user' || typeof stored.content === 'string') throw new Error('no blocks');
    expect(sizeOf(stored.content[1])).toEqual([2_000, 20]);
    expect(model.calls[0]?.request.messages.at(0)?.content[1]).toEqual(stored.content[1]);
    model.assertNoViolations();
  });
});
