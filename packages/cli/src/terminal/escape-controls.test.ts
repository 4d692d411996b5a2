import { expect, it } from 'vitest';
import { escapeControls } from './escape-controls.ts';

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
