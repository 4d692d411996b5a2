import { expect, it } from 'vitest';
import { escapeControls } from './escape-controls.ts';

it('shows control characters instead of sending them to the terminal', () => {
  expect(escapeControls('\u001b[2J\u001b]0;title\u0007x\u009b1m')).toBe('\\x1b[2J\\x1b]0;title\\x07x\\x9b1m');
});

it('shows what would turn the direction of writing', () => {
  expect(escapeControls('rm \u202etxt.a\u2066')).toBe('rm \\u202etxt.a\\u2066');
});

it('leaves lines, tabs and every script of the world alone', () => {
  expect(escapeControls('a\tb\r\nc ünï 漢字 🧵')).toBe('a\tb\nc ünï 漢字 🧵');
});

it('parts words at a return in the middle of a line, and breaks no line there', () => {
  expect(escapeControls('lone\rreturn\r\r\nend\r')).toBe('lone return\nend');
});
