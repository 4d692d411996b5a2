import { expect, it } from 'vitest';
import { countBlanks, countEmptyLines, escapeControls } from './escape-controls.ts';

it('makes control characters visible', () => {
  expect(escapeControls('\u001b[2J\u001b]0;title\u0007x\u009b1m')).toBe('\\x1b[2J\\x1b]0;title\\x07x\\x9b1m');
});

it('makes direction marks visible', () => {
  expect(escapeControls('rm \u202etxt.a\u2066')).toBe('rm \\u202etxt.a\\u2066');
});

it('keeps line breaks, tabs and the letters of all scripts', () => {
  expect(escapeControls('a\tb\r\nc ünï 漢字 🧵')).toBe('a\tb\nc ünï 漢字 🧵');
});

it('replaces a carriage return inside a line by a space', () => {
  expect(escapeControls('lone\rreturn\r\r\nend\r')).toBe('lone return\nend');
});

it.each([
  ['spaces', ' '],
  ['tabs', '\t'],
  ['wide spaces', '\u3000'],
  ['characters without a shape', '\u200b'],
  ['an empty Braille pattern', '\u2800'],
  ['Hangul fillers', '\u3164'],
  ['invisible tags', '\u{e0020}'],
  ['a mixture', ' \t\u00a0\u2003'],
])('counts a long run of %s', (_, blank) => {
  const count = Array.from(blank).length * 1_000;
  expect(countBlanks(`ls${blank.repeat(1_000)}; rm`, '…')).toBe(
    `ls … ${count.toLocaleString('en-US')} blanks … ; rm`,
  );
});

it('keeps short runs of blanks', () => {
  const line = `${' '.repeat(40)}indented\t\t# text`;
  expect(countBlanks(line, '…')).toBe(line);
});

it('counts a long run of empty lines', () => {
  expect(countEmptyLines(['a', '', ' ', '\t', 'b'], '…')).toEqual(['a', '', ' ', '\t', 'b']);
  expect(countEmptyLines(['a', '', ' ', '\t', '\u200b', 'b', ''], '…')).toEqual([
    'a',
    '… 4 empty lines …',
    'b',
    '',
  ]);
});
