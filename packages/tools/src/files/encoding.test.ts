import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeText, encodeText } from './encoding.ts';

describe('Encodings', () => {
  it.each([
    ['plain', Buffer.from('abc'), 'utf-8', false, 'abc'],
    ['UTF-8', Buffer.from('é😀'), 'utf-8', false, 'é😀'],
    ['UTF-8 with its mark', Buffer.from('\ufeffabc'), 'utf-8', true, 'abc'],
    ['UTF-16LE', Buffer.from('\ufeffaé', 'utf16le'), 'utf-16le', true, 'aé'],
    ['UTF-16BE', Buffer.from('\ufeffaé', 'utf16le').swap16(), 'utf-16be', true, 'aé'],
    ['Latin-1', Buffer.from('caf\u00e9', 'latin1'), 'latin1', false, 'café'],
    [
      'UTF-8 with a bad byte',
      Buffer.concat([Buffer.from('é'), Buffer.from([0xff])]),
      'utf-8 escaped',
      false,
      'é\udcff',
    ],
    ['nothing', Buffer.alloc(0), 'utf-8', false, ''],
  ])('reads %s', (_what, bytes, encoding, bom, text) => {
    expect(decodeText(bytes)).toEqual({ text, encoding, bom });
  });

  it.each([
    ['a NUL', Buffer.from([97, 0, 98])],
    ['UTF-32', Buffer.from([0xff, 0xfe, 0, 0, 97, 0, 0, 0])],
    ['noise', Buffer.from([0xff, 1, 2, 3, 4, 5, 0x80, 0x81])],
    ['an odd number of bytes after a mark of UTF-16', Buffer.from([0xff, 0xfe, 97, 0, 98])],
  ])('takes %s for binary', (_what, bytes) => {
    expect(decodeText(bytes)).toBeUndefined();
  });

  it('gives back the bytes it read, whatever they are', () => {
    const marks = fc.constantFrom([], [0xef, 0xbb, 0xbf], [0xff, 0xfe], [0xfe, 0xff]);
    const mixed = fc.array(
      fc.oneof(
        fc.constantFrom('a', 'é', '😀', '\r', '\n').map((letter) => Array.from(Buffer.from(letter))),
        fc.integer({ min: 1, max: 255 }).map((byte) => [byte]),
      ),
    );
    fc.assert(
      fc.property(marks, mixed, (mark, parts) => {
        const bytes = Buffer.from([...mark, ...parts.flat()]);
        const decoded = decodeText(bytes);
        if (decoded !== undefined) expect(encodeText(decoded).equals(bytes)).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  it('refuses what Latin-1 does not have', () => {
    expect(() => encodeText({ text: 'a😀', encoding: 'latin1', bom: false })).toThrow(
      /Latin-1, which has no “😀”/,
    );
  });
});
