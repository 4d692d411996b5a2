/** Tests the files that a fork copies, and a conversation that is loaded without opening it. */
import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { CheckpointStore } from '@heddle/tools';
import { describe, expect, it } from 'vitest';
import { fileHistoryFolder, projectFolder, sessionFolder } from '../files/paths.ts';
import {
  assistant,
  boundary,
  createSessionHome,
  reasonOf,
  sessionOf,
  spent,
  user,
  uuidsOf,
} from '../test/session-home.ts';
import { forkSession, recallSession } from './open.ts';

describe('a fork', () => {
  it('has the collapses of its parent', () => {
    const home = createSessionHome();
    home.begin('s1').journal.append(user('u1'));
    const file = (id: string): string => path.join(sessionFolder(home.place, id), 'collapses.jsonl');
    writeFileSync(file('s1'), '{"id":"c1"}\n');
    sessionOf(forkSession(home.setup, 's1', 's2'));
    appendFileSync(file('s1'), '{"id":"c2"}\n');
    expect(readFileSync(file('s2'), 'utf8')).toBe('{"id":"c1"}\n');
  });

  it('can put files back to before a message of its parent, and on its own', async () => {
    const home = createSessionHome();
    home.begin('s1').journal.append(user('u1'));
    const history = (id: string): string => fileHistoryFolder(home.place.configDir, id);
    const edited = path.join(home.place.cwd, 'a.txt');
    writeFileSync(edited, 'first');
    const parent = new CheckpointStore({ folder: history('s1') });
    await parent.begin('u1');
    await parent.before(edited, 't1', 'the hash of second', contentOf('first'));
    writeFileSync(edited, 'second');
    sessionOf(forkSession(home.setup, 's1', 's2'));
    const fork = new CheckpointStore({ folder: history('s2') });
    await fork.begin('u2');
    await fork.before(edited, 't2', 'the hash of third', contentOf('second'));
    writeFileSync(edited, 'third');
    expect(await parent.rewind('u2')).toMatchObject({ canRewind: false });
    expect(await fork.rewind('u2')).toMatchObject({ canRewind: true });
    expect(readFileSync(edited, 'utf8')).toBe('second');
    expect(await fork.rewind('u1')).toMatchObject({ canRewind: true });
    expect(readFileSync(edited, 'utf8')).toBe('first');
    // The same contents are kept once.
    const [blob = ''] = readdirSync(path.join(history('s1'), 'blobs'));
    expect(statSync(path.join(history('s1'), 'blobs', blob)).nlink).toBe(2);
  });

  it('of a session that changed no files has no such folder', () => {
    const home = createSessionHome();
    home.begin('s1').journal.append(user('u1'));
    sessionOf(forkSession(home.setup, 's1', 's2'));
    expect(existsSync(fileHistoryFolder(home.place.configDir, 's2'))).toBe(false);
  });
});

describe('a conversation that is only remembered', () => {
  it('is the same one, with its costs, and nothing is written, locked or repaired', () => {
    const home = createSessionHome();
    const { journal } = home.begin('s1');
    for (const body of [user('u1'), spent(1, 2), assistant('a1')]) journal.append(body);
    appendFileSync(home.file('s1'), '{"torn');
    const before = readFileSync(home.file('s1'));
    const names = new Set(readdirSync(projectFolder(home.place), { recursive: true, encoding: 'utf8' }));
    // The session is open, and stays so.
    const session = sessionOf(recallSession(home.setup, 's1', 's1'));
    expect(uuidsOf(session)).toEqual(['u1', 'a1']);
    expect(session.bill.costUsd).toBe(2);
    expect(session.journal.path).toBeUndefined();
    session.journal.append(user('u2'));
    expect(readFileSync(home.file('s1')).equals(before)).toBe(true);
    expect(new Set(readdirSync(projectFolder(home.place), { recursive: true, encoding: 'utf8' }))).toEqual(
      names,
    );
  });

  it('goes back to a message, also behind a compaction, and is told where there is none', () => {
    const home = createSessionHome();
    const { journal } = home.begin('s1');
    for (const body of [user('u1'), assistant('a1'), boundary('sum'), user('u2')]) journal.append(body);
    expect(uuidsOf(sessionOf(recallSession(home.setup, 's1', 'x', { at: 'u1' })))).toEqual(['u1']);
    expect(reasonOf(recallSession(home.setup, 's1', 'x', { at: 'nowhere' }))).toMatch(
      /s1 has no message nowhere/,
    );
    expect(reasonOf(recallSession(home.setup, 's0', 's0'))).toMatch(/No conversation found/);
  });

  it('continues without lines that cannot be read', () => {
    const home = createSessionHome();
    const { journal } = home.begin('s1');
    journal.append(user('u1'));
    appendFileSync(home.file('s1'), 'damage\n');
    journal.append(user('u2'));
    const session = sessionOf(recallSession(home.setup, 's1', 's1'));
    expect(uuidsOf(session)).toEqual(['u1', 'u2']);
    expect(session.notices).toEqual(['1 line of the session could not be read; it continues without.']);
  });
});

function contentOf(text: string): { bytes: Buffer; hash: string; mode: number } {
  const bytes = Buffer.from(text);
  return { bytes, hash: createHash('sha256').update(bytes).digest('hex'), mode: 0o644 };
}
