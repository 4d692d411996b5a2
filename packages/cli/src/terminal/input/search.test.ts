import { expect, it } from 'vitest';
import type { Key } from './editor.ts';
import { found, hitOf, NEW_SEARCH, searchKey } from './search.ts';

const PROMPTS = ['fix the test', 'Test it again', 'write docs', 'run the tests'];

/** Presses keys after Ctrl-R. Returns the match, or how the search ended. */
function searched(...keys: readonly (Key | string)[]): string | undefined {
  let search = NEW_SEARCH;
  for (const key of keys) {
    const step = searchKey(search, typeof key === 'string' ? { name: key, sequence: key } : key);
    if (step.kind === 'cancel') return 'cancelled';
    if (step.kind === 'take') return `${step.submit ? 'sent' : 'taken'}: ${found(search, PROMPTS)}`;
    search = step.search;
  }
  return found(search, PROMPTS);
}

const ctrl = (name: string): Key => ({ name, ctrl: true });

it.each<[string, (Key | string)[], string | undefined]>([
  ['nothing before a letter is typed', [], undefined],
  ['the newest that has the words, in capitals or not', ['t', 'e', 's', 't'], 'fix the test'],
  ['an older one with Ctrl-R', ['t', 'e', 's', 't', ctrl('r'), ctrl('r')], 'run the tests'],
  ['a newer one again with Ctrl-S', ['t', 'e', 's', 't', ctrl('r'), ctrl('s')], 'fix the test'],
  ['the last where there is no older one', ['d', 'o', 'c', ctrl('r')], 'write docs'],
  ['nothing for an unknown text', ['d', 'o', 'x'], undefined],
  ['another one after backspace', ['w', 'x', { name: 'backspace' }], 'write docs'],
  ['it, and sends it with Enter', ['d', 'o', 'c', { name: 'return' }], 'sent: write docs'],
  ['it for editing with any other key', ['d', 'o', 'c', { name: 'right' }], 'taken: write docs'],
  ['nothing after Ctrl-C', ['d', ctrl('c')], 'cancelled'],
])('a search finds %s', (_what, keys, expected) => {
  expect(searched(...keys)).toBe(expected);
});

it('shows the line of a prompt that contains the search text', () => {
  const prompt = 'look at this:\nfirst\nthe Second one\nsecond again';
  expect(hitOf({ query: 'second', passed: 0 }, prompt)).toEqual({ line: 'the Second one', from: 4, to: 10 });
  expect(hitOf(NEW_SEARCH, '')).toEqual({ line: '', from: 0, to: 0 });
});
