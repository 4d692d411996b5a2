import { describe, expect, it } from 'vitest';
import { type Draft, EMPTY, insert, type Key, press } from './editor.ts';
import { KeyReader, typedText } from './key-reader.ts';

/** Reads the input of a terminal, and returns the draft. */
function typed(...chunks: readonly string[]): string {
  let draft: Draft = EMPTY;
  const reader = new KeyReader({
    key: (key) => {
      const pressed = press(draft, key);
      if (pressed.kind === 'draft') draft = pressed.draft;
    },
    paste: (text) => (draft = insert(draft, text)),
  });
  for (const chunk of chunks) reader.push(chunk);
  return draft.text;
}

function keysOf(...chunks: readonly string[]): Key[] {
  const keys: Key[] = [];
  const reader = new KeyReader({ key: (key) => keys.push(key), paste: () => undefined });
  for (const chunk of chunks) reader.push(chunk);
  if (reader.isWaiting) reader.flush();
  return keys;
}

describe('a sequence that is not a key', () => {
  it.each([
    ['a mouse click, SGR', '\u001b[<0;10;20M'],
    ['a mouse release, SGR', '\u001b[<0;10;20m'],
    ['a mouse click, X10', '\u001b[M !!'],
    ['a mouse click, urxvt', '\u001b[32;10;20M'],
    ['a wheel turn', '\u001b[<64;3;4M'],
    ['the color of the background', '\u001b]11;rgb:1e1e/1e1e/2e2e\u001b\\'],
    ['the color of the text, ended by BEL', '\u001b]10;rgb:ffff/ffff/ffff\u0007'],
    ['the clipboard', '\u001b]52;c;aGVsbG8=\u0007'],
    ['the name of the terminal', '\u001bP>|XTerm(388)\u001b\\'],
    ['a setting', '\u001bP1$r0m\u001b\\'],
    ['a kitty graphics reply', '\u001b_Gi=31;OK\u001b\\'],
    ['device attributes', '\u001b[?62;1;6;22c'],
    ['secondary device attributes', '\u001b[>41;388;0c'],
    ['where the cursor is', '\u001b[12;40R'],
    ['keyboard flags', '\u001b[?1u'],
    ['a mode report', '\u001b[?2026;2$y'],
    ['the size of the window', '\u001b[8;40;100t'],
    ['focus gained', '\u001b[I'],
    ['focus lost', '\u001b[O'],
    ['F1', '\u001bOP'],
    ['F5', '\u001b[15~'],
    ['F1 of the Linux console', '\u001b[[A'],
    ['Shift-Delete of rxvt', '\u001b[3$'],
    ['a released key', '\u001b[97;1:3u'],
    ['Caps Lock', '\u001b[57358u'],
    ['the end of a paste that never began', '\u001b[201~'],
  ])('leaves no text: %s', (_name, sequence) => {
    expect(typed(`a${sequence}b`)).toBe('ab');
    expect(typed(...`a${sequence}b`.split('')), 'one character at a time').toBe('ab');
    expect(typedText(`a${sequence}b`), 'in a line that the terminal edited').toBe('ab');
  });
});

describe('a key', () => {
  it.each([
    ['Enter', '\r', [{ name: 'return' }]],
    ['Shift-Enter, kitty', '\u001b[13;2u', [{ name: 'return', shift: true }]],
    ['Shift-Enter, xterm', '\u001b[27;2;13~', [{ name: 'return', shift: true }]],
    ['Alt-Enter', '\u001b\r', [{ name: 'return', meta: true }]],
    ['Ctrl-C', '\u0003', [{ name: 'c', ctrl: true }]],
    ['Ctrl-C, kitty', '\u001b[99;5u', [{ name: 'c', ctrl: true }]],
    ['Esc', '\u001b', [{ name: 'escape' }]],
    ['Esc, kitty', '\u001b[27u', [{ name: 'escape' }]],
    ['Esc twice', '\u001b\u001b', [{ name: 'escape' }, { name: 'escape' }]],
    ['Up', '\u001b[A', [{ name: 'up' }]],
    ['Up of an application', '\u001bOA', [{ name: 'up' }]],
    ['Ctrl-Left', '\u001b[1;5D', [{ name: 'left', ctrl: true }]],
    ['Shift-Tab', '\u001b[Z', [{ name: 'tab', shift: true }]],
    ['Delete', '\u001b[3~', [{ name: 'delete' }]],
    ['Alt-B', '\u001bb', [{ name: 'b', meta: true }]],
    ['Alt-Backspace', '\u001b\u007f', [{ name: 'backspace', meta: true }]],
    ['letters', 'hé', [{ sequence: 'hé' }]],
    ['a capital, kitty', '\u001b[97;2u', [{ sequence: 'A' }]],
  ])('is recognized: %s', (_name, sequence, keys) => {
    expect(keysOf(sequence)).toMatchObject(keys);
    expect(keysOf(...sequence.split(''))).toHaveLength(sequence === 'hé' ? 2 : keys.length);
  });

  it('starts a new line with Shift, Alt or Ctrl and Enter', () => {
    expect(
      typed('a', '\u001b[13;2u', 'b', '\u001b[27;2;13~', 'c', '\u001b\r', 'd', '\u001b[13;5u', 'e'),
    ).toBe('a\nb\nc\nd\ne');
  });
});

it('reads a paste as one text, also if its marks arrive in pieces', () => {
  const text = 'one\rtwo \u001b[31mred';
  expect(typed(`\u001b[200~${text}\u001b[201~!`)).toBe('one\ntwo \\x1b[31mred!');
  expect(typed(...`\u001b[200~${text}\u001b[201~!`.split(''))).toBe('one\ntwo \\x1b[31mred!');
});
