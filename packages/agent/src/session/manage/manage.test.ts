/** Naming sessions, removing them, and choosing which go. */
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { blobFolder, fileHistoryFolder, sessionFolder } from '../files/paths.ts';
import { listSessions } from '../listing/list.ts';
import { forkSession, newestSession, resumeSession } from '../open/open.ts';
import { assistant, createSessionHome, sessionOf, user, uuidsOf } from '../test/session-home.ts';
import { isInUse, renameSession } from './rename.ts';
import { removeSessions, sizeOfSession, toPrune, type Weighed } from './remove.ts';

const LONG = 'x'.repeat(100_000);

describe('renaming', () => {
  it('adds a line that other tools know; the conversation and the newest session stay what they were', () => {
    const home = createSessionHome();
    for (const [id, second] of [
      ['s1', 1],
      ['s2', 2],
    ] as const) {
      const { journal } = home.begin(id);
      journal.append(user('u1'));
      journal.close();
      utimesSync(home.file(id), second, second);
    }
    expect(renameSession(home.file('s1'), 'a "name"')).toEqual({ ok: true });
    expect(JSON.parse(home.lines('s1')[1] ?? '')).toMatchObject({
      type: 'custom-title',
      customTitle: 'a "name"',
      sessionId: 's1',
    });
    expect(newestSession(home.place)).toBe('s2');
    expect(listSessions(home.place).map(({ title }) => title)).toContain('a "name"');
    expect(uuidsOf(sessionOf(resumeSession(home.setup, 's1')))).toEqual(['u1']);
  });

  it('is refused while another process writes to the session', () => {
    const home = createSessionHome();
    const { journal } = home.begin('s1');
    journal.append(user('u1'));
    const before = readFileSync(home.file('s1'), 'utf8');
    expect(isInUse(home.file('s1'))).toBe(true);
    expect(renameSession(home.file('s1'), 'x')).toMatchObject({ ok: false, message: /in use by another/ });
    expect(readFileSync(home.file('s1'), 'utf8')).toBe(before);
    journal.close();
    expect(isInUse(home.file('s1'))).toBe(false);
  });

  it('sets a torn line aside first, so that the name is a line of its own', () => {
    const home = createSessionHome();
    const { journal } = home.begin('s1');
    journal.append(user('u1'));
    journal.close();
    appendFileSync(home.file('s1'), '{"type":"assistant","uu');
    expect(renameSession(home.file('s1'), 'named')).toEqual({ ok: true });
    expect(listSessions(home.place)).toMatchObject([{ title: 'named' }]);
    expect(readFileSync(path.join(sessionFolder(home.place, 's1'), 'torn'), 'utf8')).toContain('"uu');
  });
});

describe('removing', () => {
  it('takes the log, the folder, the kept files and the row of the index with it', () => {
    const home = createSessionHome();
    const { configDir } = home.place;
    for (const id of ['s1', 's2']) {
      const { journal } = home.begin(id);
      journal.append(user('u1'));
      journal.close();
      mkdirSync(path.join(sessionFolder(home.place, id), 'tasks'));
      mkdirSync(fileHistoryFolder(configDir, id), { recursive: true });
      writeFileSync(path.join(fileHistoryFolder(configDir, id), 'index.jsonl'), '12345');
    }
    listSessions(home.place);
    expect(sizeOfSession(configDir, home.file('s1'))).toBeGreaterThan(statSync(home.file('s1')).size + 4);
    expect(removeSessions(configDir, [home.file('s1')])).toMatchObject([{ outcome: { ok: true } }]);
    for (const gone of [home.file('s1'), sessionFolder(home.place, 's1'), fileHistoryFolder(configDir, 's1')])
      expect(existsSync(gone)).toBe(false);
    expect(listSessions(home.place).map(({ id }) => id)).toEqual(['s2']);
    expect(existsSync(fileHistoryFolder(configDir, 's2'))).toBe(true);
  });

  it('leaves the stored texts that another session of the folder needs', () => {
    const home = createSessionHome();
    const { journal } = home.begin('s1');
    for (const body of [user('u1', LONG), user('u2', `${LONG}!`)]) journal.append(body);
    journal.close();
    sessionOf(forkSession(home.setup, 's1', 's2', { at: 'u1' })).journal.close();
    const other = home.begin('s3');
    other.journal.append(user('u3', `${LONG}?`));
    other.journal.close();
    const blobs = (): number => readdirSync(blobFolder(home.place)).length;
    expect(blobs()).toBe(3);
    removeSessions(home.place.configDir, [home.file('s1'), home.file('s3')]);
    expect(blobs()).toBe(2);
    const fork = sessionOf(resumeSession(home.setup, 's2'));
    expect([...fork.projection.messages]).toMatchObject([{ content: LONG }]);
    fork.journal.close();
    removeSessions(home.place.configDir, [home.file('s2')]);
    expect(blobs()).toBe(0);
  });

  it('leaves the outputs that a fork names, until it goes, too', () => {
    const home = createSessionHome();
    const spill = path.join(sessionFolder(home.place, 's1'), 'tool-results/c1.txt');
    const { journal } = home.begin('s1');
    mkdirSync(path.dirname(spill));
    writeFileSync(spill, 'all of it');
    journal.append(user('u1', `The whole output is in ${spill}`));
    journal.close();
    sessionOf(forkSession(home.setup, 's1', 's2')).journal.close();
    removeSessions(home.place.configDir, [home.file('s1')]);
    expect(readdirSync(sessionFolder(home.place, 's1'))).toEqual(['tool-results']);
    expect(readFileSync(spill, 'utf8')).toBe('all of it');
    removeSessions(home.place.configDir, [home.file('s2')]);
    expect(readdirSync(path.dirname(home.file('s1')))).toEqual([]);
  });

  it('that was interrupted has removed no text that is still needed', () => {
    const home = createSessionHome();
    const { journal } = home.begin('s1');
    journal.append(user('u1', LONG));
    journal.close();
    const [blob = ''] = readdirSync(blobFolder(home.place));
    renameSync(path.join(blobFolder(home.place), blob), path.join(blobFolder(home.place), `${blob}.gone`));
    const { projection } = sessionOf(resumeSession(home.setup, 's1'));
    expect([...projection.messages]).toMatchObject([{ content: LONG }]);
  });

  it('says so of a session that is not there any more, and makes no folder for it', () => {
    const home = createSessionHome();
    const { journal } = home.begin('s1');
    journal.append(user('u1'));
    journal.close();
    const gone = home.file('s0');
    expect(removeSessions(home.place.configDir, [gone, home.file('s1')])).toMatchObject([
      { outcome: { ok: false, message: 'The session s0 is not there any more' } },
      { outcome: { ok: true } },
    ]);
    expect(readdirSync(path.dirname(gone))).toEqual([]);
  });

  it('is refused for a session that another process writes to; the others are removed', () => {
    const home = createSessionHome();
    const busy = home.begin('busy');
    const idle = home.begin('idle');
    for (const { journal } of [busy, idle]) journal.append(user('u1'));
    idle.journal.close();
    const removed = removeSessions(home.place.configDir, [home.file('busy'), home.file('idle')]);
    expect(removed).toMatchObject([{ outcome: { ok: false, message: /in use/ } }, { outcome: { ok: true } }]);
    busy.journal.append(assistant('a1'));
    expect(home.lines('busy')).toHaveLength(2);
  });
});

describe('pruning', () => {
  const session = (id: string, lastAt: number, totalBytes: number): Weighed => ({
    id,
    path: id,
    cwd: undefined,
    gitBranch: undefined,
    title: id,
    isNamed: false,
    isFork: false,
    isHeadless: false,
    team: undefined,
    firstPrompt: '',
    startedAt: undefined,
    lastAt,
    messages: 1,
    bytes: totalBytes,
    model: undefined,
    costUsd: undefined,
    totalBytes,
  });
  const crowd = [session('old big', 1, 100), session('new big', 9, 100), session('old small', 2, 1)];

  it.each([
    [{}, []],
    [{ olderThanMs: 5 }, ['old small', 'old big']],
    [{ largerThanBytes: 50 }, ['new big', 'old big']],
    [{ olderThanMs: 5, largerThanBytes: 50 }, ['old big']],
    [{ keep: 1 }, ['old small', 'old big']],
    [{ keep: 2, olderThanMs: 5 }, ['old big']],
    [{ keep: 0 }, ['new big', 'old small', 'old big']],
  ])('takes those to which all that was asked applies: %j', (choice, expected) => {
    expect(toPrune(crowd, choice, 10).map(({ id }) => id)).toEqual(expected);
  });
});
