import { describe, expect, it } from 'vitest';
import { type Draft, draftOf, EMPTY, insert, type Key, press } from './editor.ts';

/** Presses keys, and marks the cursor with a bar. */
function typed(start: Draft, ...keys: readonly (Key | string)[]): string {
  let draft = start;
  for (const key of keys) {
    const pressed = press(draft, typeof key === 'string' ? { name: key, sequence: key } : key);
    if (pressed.kind === 'wish') return pressed.wish;
    draft = pressed.draft;
  }
  return `${draft.text.slice(0, draft.cursor)}|${draft.text.slice(draft.cursor)}`;
}

const ctrl = (name: string): Key => ({ name, ctrl: true });
const meta = (name: string): Key => ({ name, meta: true });
const key = (name: string): Key => ({ name });

describe('the line being typed', () => {
  it.each<[string, Draft, (Key | string)[], string]>([
    ['letters', EMPTY, ['a', 'b'], 'ab|'],
    ['the end of a line', draftOf('ab'), [key('return')], 'submit'],
    ['a backslash before it', draftOf('ab\\'), [key('return'), 'c'], 'ab\nc|'],
    ['Ctrl-J', draftOf('ab'), [ctrl('j'), 'c'], 'ab\nc|'],
    [
      'backspace over what is one character to the eye',
      draftOf('e\u0301👩‍👩‍👧'),
      [key('backspace')],
      'e\u0301|',
    ],
    ['backspace twice', draftOf('xe\u0301👩‍👩‍👧'), [key('backspace'), key('backspace')], 'x|'],
    ['arrows', draftOf('ab'), [key('left'), 'x'], 'ax|b'],
    ['Ctrl-A and Ctrl-K', draftOf('one two'), [ctrl('a'), ctrl('k')], '|'],
    ['Ctrl-W', draftOf('one two'), [ctrl('w')], 'one |'],
    ['Ctrl-U', draftOf('one two'), [key('left'), ctrl('u')], '|o'],
    ['words with Alt', draftOf('one two'), [meta('b'), meta('d')], 'one |'],
    ['up in the first line', draftOf('one'), [key('up')], 'older'],
    ['up in the second line', draftOf('one\ntwo'), [key('up')], 'one|\ntwo'],
    ['down in the last line', draftOf('one'), [key('down')], 'newer'],
    ['down in the first line', { text: 'one\ntwo', cursor: 1 }, [key('down')], 'one\nt|wo'],
    ['Ctrl-C', draftOf('x'), [ctrl('c')], 'interrupt'],
    ['Ctrl-D in an empty line', EMPTY, [ctrl('d')], 'leave'],
    ['Ctrl-D within a line', { text: 'ab', cursor: 0 }, [ctrl('d')], '|b'],
    ['Esc', draftOf('x'), [key('escape')], 'escape'],
    ['Shift-Tab', draftOf('x'), [{ name: 'tab', shift: true }], 'next mode'],
    ['Ctrl-Y', draftOf('x'), [ctrl('y')], 'put back'],
    ['an unknown key', draftOf('x'), [{ name: 'f5', sequence: '\u001b[15~' }], 'x|'],
  ])('handles %s', (_what, start, keys, after) => {
    expect(typed(start, ...keys)).toBe(after);
  });

  it.each<[string, Key, string | undefined]>([
    ['Ctrl-U', ctrl('u'), 'one '],
    ['Ctrl-K', ctrl('k'), 'two three'],
    ['Ctrl-W', ctrl('w'), 'one '],
    ['Alt-D', meta('d'), 'two'],
    ['backspace', key('backspace'), undefined],
  ])('stores the text that %s removed', (_what, pressed, cut) => {
    expect(press({ text: 'one two three', cursor: 4 }, pressed)).toMatchObject(
      cut === undefined ? {} : { cut },
    );
    expect('cut' in press({ text: 'one two three', cursor: 4 }, pressed)).toBe(cut !== undefined);
  });

  it('inserts a paste as text, with visible control characters and its line breaks', () => {
    expect(insert({ text: '[]', cursor: 1 }, 'a\r\nb\rc\u001b[2J')).toEqual({
      text: '[a\nb\nc\\x1b[2J]',
      cursor: 13,
    });
  });
});
