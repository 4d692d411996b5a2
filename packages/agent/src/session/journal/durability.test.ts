import { expect, it } from 'vitest';
import { PowerPolicy } from './journal.ts';
import {
  assistant,
  callOf,
  createSessionHome,
  intentOf,
  resultOf,
  sessionOf,
  user,
} from '../test/session-home.ts';
import { newSession, resumeSession } from '../open/open.ts';

it('syncs entries that cannot be reconstructed after a loss', () => {
  const policy = new PowerPolicy();
  const story = [
    user('u1', 'the prompt'),
    assistant('a1'),
    callOf('a2', 'read'),
    callOf('a3', 'write'),
    intentOf('read', 'read_only'),
    { type: 'outcome', toolUseId: 'read', isError: false } as const,
    resultOf('t1', 'read'),
    { type: 'ask', toolUseId: 'write', tool: 'Bash', input: {} } as const,
    { type: 'ask_answer', toolUseId: 'write', behavior: 'allow' } as const,
    intentOf('write'),
    { type: 'outcome', toolUseId: 'write', isError: false } as const,
    resultOf('t2', 'write'),
    { type: 'end', terminal: { reason: 'completed' } } as const,
  ];
  const synced = story.filter((body) => policy.mustSync(body));
  expect(synced.map((body) => ('message' in body ? body.message : body))).toEqual([
    expect.objectContaining({ uuid: 'u1' }),
    expect.objectContaining({ type: 'ask_answer' }),
    expect.objectContaining({ type: 'intent', toolUseId: 'write' }),
    // The message with the result follows its outcome at once, and brings it to the disk.
    expect.objectContaining({ uuid: 't2' }),
    expect.objectContaining({ type: 'end' }),
  ]);
});

it('writes the same file as without', () => {
  const home = createSessionHome({ durability: 'power' });
  const session = sessionOf(newSession(home.setup, 's1'));
  for (const body of [user('u1'), intentOf('c1'), resultOf('t1', 'c1', 'x'.repeat(100_000))])
    session.journal.append(body);
  session.journal.close();
  expect(home.lines('s1')).toHaveLength(3);
  expect(resumeSession(home.setup, 's1').ok).toBe(true);
});
