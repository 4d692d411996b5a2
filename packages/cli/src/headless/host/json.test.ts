import { expect, it } from 'vitest';
import { LineSplitter } from './json.ts';

function split(chunks: readonly string[], limit?: number): string[] {
  const splitter = new LineSplitter(limit);
  return [...chunks.flatMap((chunk) => splitter.push(Buffer.from(chunk, 'latin1'))), ...splitter.end()];
}

/** The bytes of a text, one character for each, so that a chunk can end inside a character. */
const bytes = (text: string): string => Buffer.from(text).toString('latin1');

it.each([
  ['complete lines', ['a\nb\n'], ['a', 'b']],
  ['a last line without its end', ['a\nb'], ['a', 'b']],
  ['a line in several chunks', ['a', 'b', 'c\nd\n'], ['abc', 'd']],
  ['an empty line', ['a\n\nb\n'], ['a', '', 'b']],
  [
    'separators that are not line feeds',
    [bytes('{"a":"\u2028\u2029\u0085"}\n')],
    ['{"a":"\u2028\u2029\u0085"}'],
  ],
  ['a carriage return before the line feed', ['{}\r\n{}\r\n'], ['{}\r', '{}\r']],
  ['a character in two chunks', [bytes('ä').slice(0, 1), `${bytes('ä').slice(1)}\n`], ['ä']],
  ['nothing', [], []],
])('a stream is split into lines: %s', (_, chunks, lines) => {
  expect(split(chunks)).toEqual(lines);
});

it('a line that is too long is replaced, and the next one is whole', () => {
  expect(split(['12345', '678', '9\nnext\n'], 7)).toEqual(['(a line that is too long)', 'next']);
});
