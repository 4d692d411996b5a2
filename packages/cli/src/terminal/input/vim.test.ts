/** Vim keys: each row types keys into a text in normal mode. `|` marks the cursor. */
import { describe, expect, it } from 'vitest';
import { type Draft, type Key, press } from './editor.ts';
import { NEW_VIM, pressVim, type VimState } from './vim.ts';

const ESC: Key = { name: 'escape', sequence: '\u001b' };

function typed(marked: string, keys: string): { readonly shown: string; readonly vim: VimState } {
  const cursor = marked.indexOf('|');
  let draft: Draft = { text: marked.replace('|', ''), cursor };
  let vim: VimState = { ...NEW_VIM, mode: 'normal' };
  for (const character of keys) {
    const key = character === '~' ? ESC : { name: character.toLowerCase(), sequence: character };
    const pressed = pressVim(vim, draft, key);
    ({ vim } = pressed);
    if (pressed.kind === 'draft') ({ draft } = pressed);
    else {
      const usual = press(draft, pressed.key);
      if (usual.kind === 'draft') ({ draft } = usual);
    }
  }
  return { shown: `${draft.text.slice(0, draft.cursor)}|${draft.text.slice(draft.cursor)}`, vim };
}

describe('in normal mode', () => {
  it.each([
    ['|abc', 'l', 'a|bc'],
    ['ab|c', 'l', 'ab|c'],
    ['ab|c', 'hh', '|abc'],
    ['a\n|b', 'h', 'a\n|b'],
    ['|one two, three', 'w', 'one |two, three'],
    ['one |two, three', 'w', 'one two|, three'],
    ['one two, |three', 'bb', 'one |two, three'],
    ['|one two', 'e', 'on|e two'],
    ['on|e two', 'e', 'one tw|o'],
    ['one |two', '0', '|one two'],
    ['one |two', '$', 'one tw|o'],
    ['|ab\ncd', 'jl', 'ab\nc|d'],
    ['ab\nc|d', 'k', 'a|b\ncd'],
    ['a|bc', 'iX~', 'a|Xbc'],
    ['a|bc', 'aX~', 'ab|Xc'],
    ['a|bc', 'IX~', '|Xabc'],
    ['|abc', 'AX~', 'abc|X'],
    ['|ab\ncd', 'oX~', 'ab\n|X\ncd'],
    ['a|bc', 'x', 'a|c'],
    ['ab|c', 'x', 'a|b'],
    ['a\n|b\nc', 'dd', 'a\n|c'],
    ['a\n|b', 'dd', '|a'],
    ['|a', 'dd', '|'],
    ['one |two three', 'D', 'one| '],
    ['one |two three', 'CX~', 'one |X'],
    ['a\n|bc\nd', 'ccX~', 'a\n|X\nd'],
    ['|a\nb', 'yyjp', 'a\nb\n|a'],
    ['|abc', 'xp', 'b|ac'],
    ['|one two', 'dw', '|two'],
    ['|one two', 'cwX~', '|X two'],
    ['one t|wo', 'db', 'one |wo'],
    ['|one two', 'ywwp', 'one tone| wo'],
    ['|abc', 'd~x', '|bc'],
    ['|abc', 'zZé', '|abc'],
    ['|👩‍👩‍👧b', 'x', '|b'],
    ['|👍👩‍👩‍👧b', 'xp', '👩‍👩‍👧|👍b'],
    ['|👍👩‍👩‍👧b', 'ld$', '|👍'],
    ['|cafe\u0301s x', 'w', 'cafe\u0301s |x'],
    ['|cafe\u0301 x', 'e', 'caf|e\u0301 x'],
    ['|cafe\u0301 x', 'dw', '|x'],
    ['cafe\u0301s |x', 'b', '|cafe\u0301s x'],
    ['cafe\u0301s |x', 'db', '|x'],
    ['a 𝒳𝒴|b', 'b', 'a |𝒳𝒴b'],
    ['|❤️❤️ a', 'w', '❤️❤️ |a'],
    ['a ❤️👩‍👩‍👧 |b', 'b', 'a |❤️👩‍👩‍👧 b'],
    ['👍👍|a\nbcdef', 'j', '👍👍a\nbcde|f'],
    ['ab|c\n👍👍', 'j', 'abc\n👍|👍'],
    ['abc\n👍|👍', 'k', 'ab|c\n👍👍'],
    ['ab\n|👩‍👩‍👧', 'dd', '|ab'],
    ['|', 'xhlweb0$D', '|'],
    ['|ab\n', 'yyjxDp', 'ab\n\n|ab'],
  ])('%j and %s is %j', (before, keys, after) => {
    expect(typed(before, keys).shown).toBe(after);
  });
});

it('passes Enter, Ctrl keys, undo and history to the usual keys, and ends an operator', () => {
  const normal: VimState = { ...NEW_VIM, mode: 'normal', operator: 'd' };
  const draft: Draft = { text: 'abc', cursor: 0 };
  for (const key of [
    { name: 'return', sequence: '\r' },
    { name: 'c', ctrl: true, sequence: '\u0003' },
  ])
    expect(pressVim(normal, draft, key)).toMatchObject({ kind: 'key', key, vim: { operator: undefined } });
  const keyOf = (letter: string) => pressVim({ ...NEW_VIM, mode: 'normal' }, draft, { sequence: letter });
  expect(keyOf('u')).toMatchObject({ kind: 'key', key: { name: '_', ctrl: true } });
  expect(keyOf('k')).toMatchObject({ kind: 'key', key: { name: 'up' } });
});

it('enters normal mode with Esc, unless the line is empty', () => {
  expect(pressVim(NEW_VIM, { text: 'ab', cursor: 2 }, ESC)).toMatchObject({
    kind: 'draft',
    vim: { mode: 'normal' },
    draft: { cursor: 1 },
  });
  expect(pressVim(NEW_VIM, { text: '', cursor: 0 }, ESC)).toMatchObject({ kind: 'key', key: ESC });
  expect(pressVim(NEW_VIM, { text: 'a', cursor: 1 }, { name: 'x', sequence: 'x' })).toMatchObject({
    kind: 'key',
  });
});
