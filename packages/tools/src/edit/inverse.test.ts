import fc from 'fast-check';
import { expect, it } from 'vitest';
import { decodeText, encodeText } from '../files/encoding.ts';
import { applyEdits } from './apply.ts';
import { occurrencesOf, textViewOf } from './text-view.ts';

/**
 * Small alphabets produce repeated parts, the hard case. The characters are those with a special meaning
 * in replacements.
 */
const letter = fc.constantFrom(
  'a',
  'b',
  'c',
  ' ',
  '\n',
  '$',
  '&',
  '\\',
  '\t',
  '“',
  '"',
  '\u00e9',
  'e\u0301',
  '😀',
  '😁',
);
const part = fc.array(letter, { maxLength: 12 }).map((letters) => letters.join(''));

it('restores the original bytes when an edit is followed by its inverse', () => {
  let applied = 0;
  fc.assert(
    fc.property(
      part,
      part,
      part,
      part,
      fc.constantFrom('\n', '\r\n'),
      fc.constantFrom('utf-8', 'utf-16le', 'utf-16be'),
      fc.boolean(),
      (before, oldText, newText, after, ending, encoding, bom) => {
        const text = (before + oldText + after).replaceAll('\n', ending);
        const isUnique = (sought: string, inText: string): boolean =>
          sought !== '' && occurrencesOf(sought, textViewOf(inText)).length === 1;
        fc.pre(oldText !== newText && isUnique(oldText, text));
        const original = encodeText({ text, encoding, bom: bom || encoding !== 'utf-8' });

        const edited = edit(original, oldText, newText);
        fc.pre(isUnique(newText, decodeText(edited)?.text ?? ''));
        // Without a line break the kind of line break is lost.
        fc.pre(ending === '\n' || decodeText(edited)?.text.includes('\r\n') === true || !text.includes('\n'));
        applied += 1;
        expect(edit(edited, newText, oldText).equals(original)).toBe(true);
      },
    ),
    { numRuns: 3_000 },
  );
  expect(applied).toBeGreaterThan(500);
});

it('keeps every byte outside the edit for any content', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), fc.uint8Array({ maxLength: 40 }), (head, tail) => {
      const clean = (bytes: Uint8Array): Buffer =>
        Buffer.from(bytes.map((byte) => (byte < 0x20 ? 0x20 : byte)));
      const original = Buffer.concat([clean(head), Buffer.from('\nMARK\n'), clean(tail)]);
      const decoded = decodeText(original);
      fc.pre(decoded !== undefined && decoded.encoding !== 'utf-16le' && decoded.encoding !== 'utf-16be');
      const edited = edit(original, 'MARK', 'DONE');
      expect(edited.equals(Buffer.concat([clean(head), Buffer.from('\nDONE\n'), clean(tail)]))).toBe(true);
    }),
    { numRuns: 2_000 },
  );
});

function edit(bytes: Buffer, oldText: string, newText: string): Buffer {
  const decoded = decodeText(bytes);
  if (decoded === undefined) throw new Error('binary');
  const applied = applyEdits(decoded.text, [{ old_string: oldText, new_string: newText }]);
  if (!applied.ok) throw new Error(applied.message);
  return encodeText({ ...decoded, text: applied.text });
}
