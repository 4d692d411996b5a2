import { expect, it } from 'vitest';
import { harmless } from './harmless.ts';

it('shows control characters instead of sending them to the terminal', () => {
  expect(harmless('\u001b[2J\u001b]0;title\u0007x\u009b1m')).toBe('\\x1b[2J\\x1b]0;title\\x07x\\x9b1m');
});

it('shows what would turn the direction of writing', () => {
  expect(harmless('rm \u202etxt.a\u2066')).toBe('rm \\u202etxt.a\\u2066');
});

it('leaves lines, tabs and every script of the world alone', () => {
  expect(harmless('a\tb\r\nc ünï 漢字 🧵')).toBe('a\tb\nc ünï 漢字 🧵');
});

it('parts words at a return in the middle of a line, and breaks no line there', () => {
  expect(harmless('lone\rreturn\r\r\nend\r')).toBe('lone return\nend');
});
