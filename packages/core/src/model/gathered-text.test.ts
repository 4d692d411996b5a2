import { describe, expect, it } from 'vitest';
import { GatheredText } from './reader.ts';

describe('gathered text', () => {
  it.each([0, 1, 1_023, 1_024, 1_025, 5_000])('contains all of its %i pieces in order', (count) => {
    const pieces = Array.from({ length: count }, (_, index) => `${index},`);
    const text = new GatheredText();
    for (const piece of pieces) text.add(piece);
    expect(String(text)).toBe(pieces.join(''));
    text.add('more');
    expect(String(text)).toBe(`${pieces.join('')}more`);
  });
});
