/** Tests continuing a session, forking it, rewinding it, and finding the newest. */
import { readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { EntryBody } from '@heddle/core';
import { describe, expect, it } from 'vitest';
import { forkSession, newestSession, newSession, type OpenSetup, resumeSession } from './open.ts';
import { projectFolder } from '../files/paths.ts';
import { listSessions } from '../listing/list.ts';
import {
  assistant,
  boundary,
  callOf,
  createSessionHome,
  intentOf,
  reasonOf,
  resultOf,
  sessionOf,
  tombstone,
  user,
  uuidsOf,
} from '../test/session-home.ts';

describe('a fork', () => {
  it('continues from the same conversation and does not change the first', () => {
    const home = createSessionHome();
    const first = home.begin('s1');
    for (const body of [user('u1'), assistant('a1')]) first.journal.append(body);
    const before = readFileSync(home.file('s1'), 'utf8');
    // The first is still open, so only a fork can continue it.
    const fork = sessionOf(forkSession(home.setup, 's1', 's2'));
    expect(uuidsOf(fork)).toEqual(['u1', 'a1']);
    fork.journal.append(user('u2'));
    expect(readFileSync(home.file('s1'), 'utf8')).toBe(before);
    expect(home.lines('s2')).toHaveLength(3);
    expect(JSON.parse(home.lines('s2')[2] ?? '')).toMatchObject({ sessionId: 's2', parentUuid: 'a1' });
  });

  it('needs something to fork and a name that is free', () => {
    const home = createSessionHome();
    home.begin('s1').journal.append(user('u1'));
    expect(reasonOf(forkSession(home.setup, 'nothing', 's2'))).toMatch(/No conversation found/);
    expect(reasonOf(forkSession(home.setup, 's1', 's1'))).toMatch(/exists already/);
    expect(reasonOf(forkSession(home.setup, 's1', '../elsewhere'))).toMatch(/not a session id/);
  });

  it('that comes to nothing leaves nothing: it would be the newest session', () => {
    const home = createSessionHome();
    home.begin('s1').journal.append(user('u1'));
    const before = readdirSync(projectFolder(home.place));
    expect(reasonOf(forkSession(home.setup, 's1', 's2', { at: 'nowhere' }))).toBe(
      'The session s1 has no message nowhere',
    );
    expect(readdirSync(projectFolder(home.place))).toEqual(before);
    sessionOf(forkSession(home.setup, 's1', 's2'));
  });
});

describe('resuming at a message', () => {
  const conversation = [user('u1'), assistant('a1'), user('u2'), assistant('a2')];

  it('keeps the conversation up to it and says so in the log', () => {
    const home = createSessionHome();
    const first = home.begin('s1');
    for (const body of conversation) first.journal.append(body);
    first.journal.close();
    const session = sessionOf(resumeSession(home.setup, 's1', { at: 'a1' }));
    expect(uuidsOf(session)).toEqual(['u1', 'a1']);
    session.journal.append(user('u3'));
    session.journal.close();
    expect(home.lines('s1')).toHaveLength(6);
    expect(uuidsOf(sessionOf(resumeSession(home.setup, 's1')))).toEqual(['u1', 'a1', 'u3']);
    expect(JSON.parse(home.lines('s1')[5] ?? '')).toMatchObject({ uuid: 'u3', parentUuid: 'a1' });
  });

  it('puts back what a compaction had replaced', () => {
    const home = createSessionHome();
    const first = home.begin('s1');
    for (const body of [...conversation, boundary('summary'), user('u3')]) first.journal.append(body);
    first.journal.close();
    const session = sessionOf(forkSession(home.setup, 's1', 's2', { at: 'u2' }));
    expect(uuidsOf(session)).toEqual(['u1', 'a1', 'u2']);
    session.journal.append(assistant('a4'));
    session.journal.close();
    expect(uuidsOf(sessionOf(resumeSession(home.setup, 's2')))).toEqual(['u1', 'a1', 'u2', 'a4']);
    expect(uuidsOf(sessionOf(resumeSession(home.setup, 's1')))).toEqual(['summary', 'u3']);
  });

  it('keeps refused blocks, the session state, waiting prompts, and the fact that a call was made', () => {
    const home = createSessionHome();
    const first = home.begin('s1');
    const call = [callOf('a1', 'c1'), intentOf('c1'), resultOf('t1', 'c1')];
    const end: EntryBody = { type: 'end', terminal: { reason: 'completed' } };
    const stance = { workingDirectory: '/elsewhere', permissionMode: 'plan', tools: ['Read'] } as const;
    const standing: EntryBody[] = [
      { type: 'refused', blocks: ['r1'] },
      { type: 'stance', stance },
      // A text of this length is stored in a file of its own.
      { type: 'command', commandId: 'q1', state: 'queued', prompt: 'x'.repeat(300_000), priority: 'next' },
    ];
    for (const body of [user('u1'), ...call, end, boundary('summary'), ...standing])
      first.journal.append(body);
    first.journal.close();
    sessionOf(resumeSession(home.setup, 's1', { at: 'a1' })).journal.close();
    // All of it in the one record: nothing may be lost between two.
    expect(home.lines('s1').at(-1)).toMatch(/^\{"type":"boundary","to":"a1"/);
    const { projection } = sessionOf(resumeSession(home.setup, 's1'));
    expect([...projection.refused]).toEqual(['r1']);
    expect(projection.sessionState).toEqual(stance);
    const prompts = [...projection.queued.values()].map(({ commandId, prompt }) => [
      commandId,
      prompt.length,
    ]);
    expect(prompts).toEqual([['q1', 300_000]]);
    expect(projection.openCalls).toMatchObject([{ intent: { toolUseId: 'c1', effect: 'writing' } }]);
  });

  it('is refused if there is no such message, or if it was retracted', () => {
    const home = createSessionHome();
    const first = home.begin('s1');
    for (const body of [...conversation, tombstone('a2')]) first.journal.append(body);
    first.journal.close();
    expect(reasonOf(resumeSession(home.setup, 's1', { at: 'nowhere' }))).toMatch(/has no message nowhere/);
    expect(reasonOf(resumeSession(home.setup, 's1', { at: 'a2' }))).toMatch(/has no message a2/);
    expect(home.lines('s1')).toHaveLength(5);
  });
});

describe('the newest session', () => {
  it('is the one that was last written to', () => {
    const home = createSessionHome();
    const folder = projectFolder(home.place);
    for (const [id, second] of [
      ['old', 1],
      ['newest', 3],
      ['middle', 2],
    ] as const) {
      const session = home.begin(id);
      session.journal.append(user('u1'));
      session.journal.close();
      utimesSync(path.join(folder, `${id}.jsonl`), second, second);
    }
    expect(newestSession(home.place)).toBe('newest');
  });

  it('is not that of a team member or of a subagent, but may be a fork of one', () => {
    const home = createSessionHome();
    const folder = projectFolder(home.place);
    const member = { teamName: 'docs', agentName: 'ada' };
    const store = (id: string, second: number, setup: OpenSetup): void => {
      const { journal } = sessionOf(newSession(setup, id));
      journal.append(user('u1', 'The text says "teamName":"x".'));
      journal.close();
      utimesSync(path.join(folder, `${id}.jsonl`), second, second);
    };
    store('own', 1, home.setup);
    store('member', 2, { ...home.setup, member });
    const sidechain = { parentUuid: null, isSidechain: true, sessionId: 'side', type: 'user', message: {} };
    writeFileSync(path.join(folder, 'side.jsonl'), `${JSON.stringify({ ...sidechain, uuid: 'u' })}\n`);
    expect(home.lines('member')[0]).toContain('"teamName":"docs","agentName":"ada"');
    expect(newestSession(home.place)).toBe('own');
    const fork = sessionOf(forkSession(home.setup, 'member', 'fork'));
    expect(newestSession(home.place)).toBe('fork');
    fork.journal.close();
    const teams = listSessions(home.place).map(({ id, team = 'none' }) => `${id}: ${team}`);
    expect(teams.toSorted()).toEqual(['fork: none', 'member: docs', 'own: none']);
  });

  it('is not that of another folder whose sessions are stored in the same place', () => {
    const home = createSessionHome();
    const { cwd } = home.place;
    const first = { ...home.place, cwd: path.join(cwd, 'a/b') };
    const second = { ...home.place, cwd: path.join(cwd, 'a-b') };
    expect(projectFolder(first)).toBe(projectFolder(second));
    const { journal } = sessionOf(newSession({ ...home.setup, place: first }, 's1'));
    journal.append(user('u1'));
    journal.close();
    expect([newestSession(first), newestSession(second)]).toEqual(['s1', undefined]);
  });

  it('is none that never began, and none in a folder without any', () => {
    const home = createSessionHome();
    expect(newestSession(home.place)).toBeUndefined();
    home.begin('empty').journal.close();
    expect(newestSession(home.place)).toBeUndefined();
    expect(reasonOf(resumeSession(home.setup, 'empty'))).toMatch(/No conversation found/);
    expect(newSession(home.setup, 'empty').ok).toBe(true);
  });
});

describe('what cannot be opened', () => {
  it.each(['', '..', 'a/b', '.hidden', 'x'.repeat(200)])('is refused by name: %j', (id) => {
    const { setup } = createSessionHome();
    expect(reasonOf(newSession(setup, id))).toMatch(/is not a session id/);
    expect(reasonOf(resumeSession(setup, id))).toMatch(/No conversation found/);
  });

  it('is told, not thrown', () => {
    const home = createSessionHome();
    const file = path.join(home.place.cwd, 'a-file');
    writeFileSync(file, '');
    const place = { configDir: file, cwd: home.place.cwd };
    expect(reasonOf(newSession({ ...home.setup, place }, 's1'))).toMatch(
      /cannot be opened: a file stands where a folder is needed .* HEDDLE_CONFIG_DIR names another place for sessions; --no-session-persistence keeps none$/,
    );
  });
});
