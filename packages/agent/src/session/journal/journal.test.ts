/** The writer: a chain of parents, and never half a line before the next one. */
import { statSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { EntryChain, JournalError } from './journal.ts';
import { resumeSession } from '../open/open.ts';
import {
  assistant,
  boundary,
  entryOf,
  createSessionHome,
  sessionOf,
  tombstone,
  user,
  uuidsOf,
} from '../test/session-home.ts';
import { onFullDisk } from '../test/full-disk.ts';

function parentsOf(lines: readonly string[]): Record<string, string | null> {
  const parents: Record<string, string | null> = {};
  for (const line of lines) {
    const { uuid, parentUuid } = JSON.parse(line) as { uuid?: string; parentUuid?: string | null };
    if (uuid !== undefined) parents[uuid] = parentUuid ?? null;
  }
  return parents;
}

describe('the chain of parents', () => {
  it('leaves out retracted messages', () => {
    const { begin, lines } = createSessionHome();
    const { journal } = begin('s1');
    for (const body of [user('u1'), assistant('a1'), assistant('a2'), tombstone('a1', 'a2'), assistant('a3')])
      journal.append(body);
    expect(parentsOf(lines('s1'))).toEqual({ u1: null, a1: 'u1', a2: 'a1', a3: 'u1' });
  });

  it('continues at its last state in a resumed session, also after a tombstone and a boundary', () => {
    const { begin, lines, setup } = createSessionHome();
    const { journal } = begin('s1');
    for (const body of [
      user('u1'),
      assistant('a1'),
      boundary('summary'),
      user('u2'),
      assistant('a2'),
      tombstone('a2'),
    ])
      journal.append(body);
    journal.close();
    sessionOf(resumeSession(setup, 's1')).journal.append(assistant('a3'));
    expect(parentsOf(lines('s1'))).toMatchObject({ u2: 'a1', a3: 'u2' });
  });

  it('names a message of the file when nothing came after a boundary', () => {
    const { begin, lines, setup } = createSessionHome();
    const { journal } = begin('s1');
    for (const body of [user('u1'), assistant('a1'), boundary('summary')]) journal.append(body);
    journal.close();
    sessionOf(resumeSession(setup, 's1')).journal.append(user('u2'));
    expect(parentsOf(lines('s1'))).toMatchObject({ u2: 'a1' });
  });

  it('branches off where the conversation went back to', () => {
    const chain = new EntryChain();
    for (const body of [user('u1'), assistant('a1'), user('u2')]) chain.follow(body);
    chain.follow({ type: 'rewind', to: 'u1' });
    expect(chain.parent).toBe('u1');
  });
});

describe('the file', () => {
  it('and its folders are for their owner only', () => {
    const { begin, file, place } = createSessionHome();
    begin('s1').journal.append(user('u1', 'x'.repeat(100_000)));
    const mode = (name: string): string => (statSync(name).mode & 0o777).toString(8);
    const folder = path.dirname(file('s1'));
    expect([file('s1'), path.join(folder, 's1/lock')].map(mode)).toEqual(['600', '600']);
    const folders = [place.configDir, path.join(place.configDir, 'projects'), folder];
    expect([...folders, path.join(folder, 's1'), path.join(folder, 'blobs')].map(mode)).toEqual(
      Array.from({ length: 5 }, () => '700'),
    );
  });

  it('grows by the appended lines, whatever it contains already', () => {
    const { begin, file } = createSessionHome();
    const { journal } = begin('s1');
    const sizes = Array.from({ length: 50 }, () => {
      journal.append(user('0123'));
      return statSync(file('s1')).size;
    });
    const steps = new Set(sizes.slice(2).map((size, index) => size - (sizes[index + 1] ?? 0)));
    expect(steps.size).toBe(1);
  });
});

describe('an entry that cannot be stored', () => {
  it('leaves no torn line, is told as an error, and the next one follows the last whole line', async () => {
    const report = await onFullDisk('append-after-failure');
    expect(report).toEqual({
      failed: ['big'],
      reason: expect.stringMatching(/^The session could not be stored: /),
      lines: ['u1', 'u2'],
      endsWithLine: true,
    });
  });

  it('leaves no blob behind', async () => {
    const report = await onFullDisk('blob');
    expect(report).toEqual({ failed: ['blob'], blobs: [], lines: ['u1', 'u2'] });
  });

  it('is refused once the journal is closed', () => {
    const { journal } = createSessionHome().begin('s1');
    journal.close();
    expect(() => journal.append(user('u1'))).toThrow(JournalError);
  });
});

it('what it stores is there for the next reader', () => {
  const { begin, lines, setup } = createSessionHome();
  const { journal } = begin('s1');
  journal.append(user('u1'));
  expect(entryOf(lines('s1')[0] ?? '')).toMatchObject({ type: 'user', at: 1_000 });
  journal.close();
  expect(uuidsOf(sessionOf(resumeSession(setup, 's1')))).toEqual(['u1']);
});
