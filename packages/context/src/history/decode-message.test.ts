import { History, type Message } from '@heddle/core';
import { expect, it } from 'vitest';
import { call, result, says, text, userSays } from '../test/talk.ts';
import { decodeMessage, requestText, withResults } from './decode-message.ts';
import { readHistory } from './history-reader.ts';

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a log may contain anything
const broken = (value: unknown): Message => value as Message;

const BROKEN = [
  null,
  7,
  'text',
  [],
  {},
  { type: 'user' },
  { type: 'user', content: null },
  { type: 'user', content: [null, 5, {}] },
  { type: 'assistant', content: 3 },
  { type: 'assistant', content: [{ id: 'no type' }] },
  { type: 'system' },
  { type: 'hologram', content: 'x' },
].map(broken);

it.each(BROKEN)('decodes %j as an empty message', (message) => {
  expect(decodeMessage(message)).toEqual({ kind: 'other', blocks: [], calls: [], results: [] });
  expect(requestText(message)).toBeUndefined();
  expect(withResults(message, (found) => found)).toBe(message);
});

it('reads a history with broken messages without an error, and finds what is whole', () => {
  const whole = [userSays('Look.'), says(call('t1')), userSays([result('t1', 'found')])];
  const { rounds, results, cuts } = readHistory(History.of([...BROKEN, ...whole, ...BROKEN]));
  expect(rounds).toHaveLength(2);
  expect(results.map(({ result: { tool_use_id: id }, call: found }) => [id, found?.name])).toEqual([
    ['t1', 'Read'],
  ]);
  expect(cuts).toEqual([BROKEN.length, BROKEN.length + 1]);
});

it.each([
  ['request', userSays('Hello.')],
  ['request', userSays([result('t1', 'x'), text('and this')])],
  ['reply', userSays([result('t1', 'x')])],
  ['reply', userSays('A reminder.', { isMeta: true })],
  ['answer', says(text('Done.'))],
  ['other', says()],
  ['boundary', broken({ type: 'system', subtype: 'compact_boundary' })],
  ['reply', broken({ type: 'attachment', attachment: { kind: 'note' } })],
])('names the kind of a message: %s', (kind, message) => {
  expect(decodeMessage(message).kind).toBe(kind);
});

it('decodes a message once', () => {
  const message = says(text('Done.'));
  expect(decodeMessage(message)).toBe(decodeMessage(message));
});
