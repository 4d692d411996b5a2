import { expect, test } from 'vitest';
import { durationText, shortCount, visibleText } from './format.ts';

test.each([
  [-1, '0 ms'],
  [999.6, '1.0 s'],
  [9_960, '10 s'],
  [59_600, '1 min 0 s'],
  [119_700, '2 min 0 s'],
  [3_599_800, '1 h 0 min'],
])('writes a duration of %s ms in whole units', (ms, text) => {
  expect(durationText(ms)).toBe(text);
});

test.each([
  [999.7, '1.0k'],
  [9_990, '10k'],
  [999_900, '1.0M'],
])('writes a count of %s with the next unit when it is rounded up', (count, text) => {
  expect(shortCount(count)).toBe(text);
});

test('makes characters visible that hide or reorder text, and keeps letters, lines and emoji', () => {
  expect(visibleText('a\u001b[31m\u202eb\u061c\u200b\u2066\ufeff\u{e0041}')).toBe(
    'a\u241b[31m\\u202eb\\u061c\\u200b\\u2066\\ufeff\\ue0041',
  );
  const plain = 'é 漢 👩‍💻\tline\nline';
  expect(visibleText(`${plain}\r`)).toBe(plain);
});
