import { History, type Message } from '@heddle/core';
import { expect, it } from 'vitest';
import { reduce } from './reduce.ts';

it('tries nothing where the last request is too large by itself: each try would measure all of it anew', () => {
  const messages = History.of<Message>([
    { type: 'user', uuid: 'u1', at: 0, content: 'one more line of notes\n'.repeat(5_000) },
  ]);
  const reduced = reduce(messages, {
    target: 1_000,
    limit: 2_000,
    trigger: 'auto',
    isCompactable: () => true,
    instructions: [],
    pathOf: () => undefined,
    id: 'c1',
    stamp: () => expect.fail('A conversation was put together that cannot fit.'),
  });
  expect(reduced).toBeUndefined();
});
