import { History, type Message } from '@heddle/core';
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, it } from 'vitest';
import { base64Texts, CHINESE, documents, hexTexts, JAPANESE, jsonTexts, sources } from '../test/corpora.ts';
import { estimateBlock, estimateMessage, mostMessageTokens } from './message.ts';
import { estimateText } from './text.ts';
import { HistoryReader } from '../history/history-reader.ts';

const KINDS: Readonly<Record<string, () => readonly string[]>> = {
  code: () => [...sources('packages/core/src', '.ts'), ...sources('scripts', '.ts')],
  prose: documents,
  JSON: jsonTexts,
  base64: base64Texts,
  hex: hexTexts,
  Chinese: () => CHINESE,
  Japanese: () => JAPANESE,
};

/** The estimate as a share of the o200k count, over all texts of a kind. */
function ratioOf(texts: readonly string[]): number {
  let [estimated, counted] = [0, 0];
  for (const text of texts) {
    estimated += estimateText(text);
    counted += encode(text).length;
  }
  return estimated / counted;
}

describe('the estimate against o200k', () => {
  for (const [kind, texts] of Object.entries(KINDS)) {
    it(`is at most 3 % low and less than 15 % high on ${kind}`, () => {
      const ratio = ratioOf(texts());
      expect(ratio).toBeGreaterThanOrEqual(0.97);
      expect(ratio).toBeLessThan(1.15);
    });
  }

  it('is nothing for nothing, and grows with the text', () => {
    expect(estimateText('')).toBe(0);
    const code = sources('scripts', '.ts').join('\n');
    expect(estimateText(code.slice(0, 5_000))).toBeLessThan(estimateText(code.slice(0, 10_000)));
  });

  it('does not break on halves of characters, control characters and long rulers', () => {
    expect(estimateText('\uD83E')).toBeGreaterThan(0);
    expect(estimateText('\u0000\u0007')).toBeGreaterThan(0);
    expect(estimateText('='.repeat(10_000))).toBeLessThan(1_000);
    expect(estimateText(' '.repeat(10_000))).toBeLessThan(1_000);
  });
});

it('never exceeds its upper limit, in prompts and in results', () => {
  const texts = [
    ...Object.values(KINDS).flatMap((read) => read()),
    '',
    '\uD83E',
    '\u0000'.repeat(100),
    '़'.repeat(50),
  ];
  const messageOf = (content: string, at: number): Message => ({
    type: 'user',
    uuid: `u${at}`,
    at,
    content: at % 2 === 0 ? content : [{ type: 'tool_result', tool_use_id: 't', content }],
  });
  for (const [at, message] of [...texts, ...texts.toReversed()].map(messageOf).entries())
    expect(mostMessageTokens(message), `text ${at}`).toBeGreaterThanOrEqual(estimateMessage(message));
});

describe('media', () => {
  const png = (width: number, height: number): string => {
    const bytes = Buffer.alloc(24);
    Buffer.from('89504e470d0a1a0a', 'hex').copy(bytes);
    bytes.writeUInt32BE(width, 16);
    bytes.writeUInt32BE(height, 20);
    return bytes.toString('base64');
  };
  const image = (media_type: string, data: string) =>
    estimateBlock({ type: 'image', source: { type: 'base64', media_type, data } });

  it('cost by their area, as the server scales them', () => {
    expect(image('image/png', png(750, 750))).toBe(750);
    expect(image('image/png', png(10_000, 10_000))).toBe(1_600);
    const gif = Buffer.from('474946383961c800640000', 'hex').toString('base64');
    expect(image('image/gif', gif)).toBe(Math.ceil((200 * 100) / 750));
    const jpeg = Buffer.from('ffd8ffe000040000ffc0001108012c019003', 'hex').toString('base64');
    expect(image('image/jpeg', jpeg)).toBe((300 * 400) / 750);
    expect(image('image/webp', 'AAAA')).toBe(1_600);
  });

  it('cost nothing for their characters: a long image is not a long text', () => {
    expect(image('image/png', png(100, 100) + 'A'.repeat(4_000_000))).toBeLessThan(100);
  });

  it('cost by pages where they are documents', () => {
    const pdf = (bytes: number) =>
      estimateBlock({
        type: 'document',
        source: { type: 'base64', media_type: 'application/pdf', data: 'A'.repeat(bytes) },
      });
    expect(pdf(1_000)).toBe(3_000);
    expect(pdf(400_000)).toBe(30_000);
    expect(pdf(40_000_000)).toBe(300_000);
  });
});

describe('messages', () => {
  const user = (content: string, more: object = {}): Message => ({
    type: 'user',
    uuid: content,
    at: 0,
    content,
    ...more,
  });

  it('that are never sent cost nothing', () => {
    expect(estimateMessage(user('shown only', { isVirtual: true }))).toBe(0);
    expect(
      estimateMessage({ type: 'system', uuid: 's', at: 0, subtype: 'informational', content: 'x' }),
    ).toBe(0);
    expect(estimateMessage({ type: 'progress', uuid: 'p', at: 0, toolUseId: 't', data: 'x' })).toBe(0);
  });

  it('of broken shape are counted, not thrown at', () => {
    for (const broken of [null, 7, { type: 'user' }, { type: 'assistant', content: [{ type: 'text' }, 5] }])
      expect(estimateMessage(broken as unknown as Message)).toBeGreaterThanOrEqual(0);
  });

  it('are weighed once: a grown history costs what it grew', () => {
    const first = History.of<Message>([user('one'), user('two')]);
    const grown = first.append([user('three')]);
    const reader = new HistoryReader();
    const before = reader.read(first).tokens;
    expect(reader.read(grown).tokens).toBe(before + estimateMessage(user('three')));
    expect(reader.read(first).tokens).toBe(before);
    expect(new HistoryReader().read(grown).tokens).toBe(reader.read(grown).tokens);
  });
});
