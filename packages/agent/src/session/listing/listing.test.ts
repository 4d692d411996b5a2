/** Tests the list of sessions, and the index that makes it fast. */
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import type { EntryBody } from '@heddle/core';
import { describe, expect, it } from 'vitest';
import {
  assistant,
  boundary,
  callOf,
  createSessionHome,
  type SessionHome,
  resultOf,
  sessionOf,
  spent,
  user,
} from '../test/session-home.ts';
import { forkSession } from '../open/open.ts';
import { indexFile } from './cache.ts';
import { findSession, findSessionFile, listSessions } from './list.ts';
import type { SessionSummary } from './summary.ts';

const end = { type: 'end', terminal: { reason: 'completed' } } as const;

function store(home: SessionHome, id: string, bodies: readonly EntryBody[]): void {
  const { journal } = home.begin(id);
  for (const body of bodies) journal.append(body);
  journal.close();
}

const listed = (home: SessionHome): SessionSummary[] => listSessions(home.place);
const titles = (home: SessionHome): string[] => listed(home).map(({ title }) => title);
const only = (home: SessionHome): SessionSummary | undefined => listed(home)[0];

describe('a session in the list', () => {
  it('is told by its first prompt, its messages, its model, its cost and its last activity', () => {
    const at = Date.parse('2026-11-15T10:00:00Z');
    const home = createSessionHome({ now: () => at });
    store(home, 's1', [
      user('u1', '  Repair the\n build '),
      callOf('a1', 'c1'),
      resultOf('r1', 'c1'),
      spent(1, 0.25),
      assistant('a2'),
      end,
      spent(1, 0.5),
    ]);
    expect(only(home)).toMatchObject({
      id: 's1',
      path: home.file('s1'),
      cwd: home.place.cwd,
      title: 'Repair the build',
      firstPrompt: 'Repair the\n build',
      messages: 4,
      model: 'm',
      costUsd: 0.75,
      startedAt: at,
      lastAt: at,
      isFork: false,
      bytes: statSync(home.file('s1')).size,
    });
  });

  it('says on which branch it was begun', () => {
    const home = createSessionHome();
    for (const name of ['objects', 'refs']) mkdirSync(`${home.place.cwd}/.git/${name}`, { recursive: true });
    writeFileSync(`${home.place.cwd}/.git/HEAD`, 'ref: refs/heads/repair/it\n');
    store(home, 's1', [user('u1')]);
    expect(only(home)?.gitBranch).toBe('repair/it');
  });

  it('has no cost where a price was unknown, and counts on from a boundary', () => {
    const home = createSessionHome();
    store(home, 'known', [user('u1'), spent(1, 1), boundary('b1'), spent(1, 2)]);
    store(home, 'unknown', [user('u1'), spent(1), spent(1, 2)]);
    store(home, 'free', [user('u1'), spent(1, 0)]);
    store(home, 'silent', [user('u1')]);
    const costs = Object.fromEntries(listed(home).map(({ id, costUsd }) => [id, costUsd]));
    expect(costs).toEqual({ known: 3, unknown: undefined, free: 0, silent: undefined });
  });

  it('has the title that was set last, and its prompt again when the title is removed', () => {
    const home = createSessionHome();
    const { journal } = home.begin('s1');
    for (const body of [user('u1', 'the prompt'), { type: 'title', title: 'one' } as const])
      journal.append(body);
    expect(titles(home)).toEqual(['one']);
    journal.append({ type: 'title', title: 'two' });
    expect(titles(home)).toEqual(['two']);
    journal.append({ type: 'title', title: '' });
    expect(titles(home)).toEqual(['the prompt']);
  });

  it('says that it is a fork, until it has a name of its own', () => {
    const home = createSessionHome();
    store(home, 's1', [user('u1', 'the prompt')]);
    sessionOf(forkSession(home.setup, 's1', 's2')).journal.close();
    expect(titles(home).sort()).toEqual(['the prompt', 'the prompt (fork)']);
    appendFileSync(home.file('s1'), '{"type":"custom-title","customTitle":"named","sessionId":"s1"}\n');
    const { journal } = sessionOf(forkSession(home.setup, 's1', 's3'));
    expect(titles(home).sort()).toEqual(['named', 'named (fork)', 'the prompt (fork)']);
    journal.append({ type: 'title', title: 'my own' });
    expect(titles(home).sort()).toEqual(['my own', 'named', 'the prompt (fork)']);
  });

  it('may have been written by another tool', () => {
    const home = createSessionHome();
    home.begin('mine').journal.close();
    const line = (more: object, message: unknown): string =>
      `${JSON.stringify({ parentUuid: null, isSidechain: false, cwd: '/theirs', sessionId: 's9', gitBranch: 'main', ...more, message, uuid: 'u', timestamp: '2026-11-15T10:00:00.000Z' })}\n`;
    writeFileSync(
      home.file('s9'),
      [
        '{"type":"summary","summary":"A title from another tool","leafUuid":"x"}\n',
        line({ type: 'user', isMeta: true }, { role: 'user', content: 'hidden' }),
        line({ type: 'user', isSidechain: true }, { role: 'user', content: 'another conversation' }),
        '{"type":"user","isSidechain":true,"message":{"role":"user","content":"and another"},"uuid":"w"}\n',
        line({ type: 'user' }, { role: 'user', content: 'Hello {"type":"assistant"}' }),
        line({ type: 'assistant' }, { model: 'their-model', id: 'm', role: 'assistant', content: [] }),
        '{"message":{"role":"user","content":"odd order"},"type":"user","uuid":"v"}\n',
        'no JSON at all\n',
      ].join(''),
    );
    writeFileSync(home.file('agent-7'), line({ type: 'user' }, { role: 'user', content: 'subagent' }));
    expect(listed(home)).toMatchObject([
      {
        id: 's9',
        title: 'A title from another tool',
        firstPrompt: 'Hello {"type":"assistant"}',
        cwd: '/theirs',
        gitBranch: 'main',
        model: 'their-model',
        messages: 4,
        costUsd: undefined,
      },
    ]);
  });

  it('shows a first prompt that was stored outside the log', () => {
    const home = createSessionHome();
    store(home, 's1', [user('u1', `begin ${'x'.repeat(100_000)}`)]);
    expect(only(home)?.title).toMatch(/^begin x+…$/);
    expect(only(home)?.firstPrompt).toHaveLength(1_000);
  });

  it('is the newest first; those of other folders are there when all are asked for', () => {
    let now = 1_000_000;
    const home = createSessionHome({ now: () => now++ });
    for (const id of ['s1', 's2', 's3']) store(home, id, [user('u1', id)]);
    const elsewhere = { ...home.setup, place: { ...home.place, cwd: '/else' } };
    expect(titles(home)).toEqual(['s3', 's2', 's1']);
    expect(listSessions(elsewhere.place)).toEqual([]);
    expect(listSessions({ configDir: home.place.configDir })).toHaveLength(3);
  });
});

describe('the index', () => {
  it('reads a file that grew from where it was left', () => {
    const home = createSessionHome();
    store(home, 's1', [user('u1', 'the prompt'), assistant('a1')]);
    expect(only(home)).toMatchObject({ title: 'the prompt', messages: 2 });
    // Reading the file again would return another prompt.
    const text = readFileSync(home.file('s1'), 'utf8');
    const more = '{"type":"assistant","uuid":"a2","message":{"role":"assistant","model":"n","content":[]}}\n';
    writeFileSync(home.file('s1'), text.replace('the prompt', 'THE PROMPT') + more);
    expect(only(home)).toMatchObject({ title: 'the prompt', messages: 3, model: 'n' });
  });

  it('reads a line that was only half there when it is whole', () => {
    const home = createSessionHome();
    store(home, 's1', [user('u1')]);
    const title = '{"type":"custom-title","customTitle":"whole","sessionId":"s1"}\n';
    appendFileSync(home.file('s1'), title.slice(0, 20));
    expect(titles(home)).toEqual(['u1']);
    appendFileSync(home.file('s1'), title.slice(20));
    expect(titles(home)).toEqual(['whole']);
  });

  it.each([
    ['shorter', 'x'],
    ['longer, and other', 'y'.repeat(400)],
  ])('reads a file anew that is %s', (_how, prompt) => {
    const home = createSessionHome();
    store(home, 's1', [user('u1', 'a prompt of some length'), assistant('a1')]);
    expect(only(home)?.messages).toBe(2);
    rmSync(home.file('s1'));
    store(home, 's1', [user('u2', prompt)]);
    expect(only(home)).toMatchObject({ firstPrompt: prompt, messages: 1 });
  });

  it('forgets files that are gone', () => {
    const home = createSessionHome();
    store(home, 's1', [user('u1')]);
    listed(home);
    rmSync(home.file('s1'));
    expect(listed(home)).toEqual([]);
    expect(rowsOf(home)).toEqual([]);
  });

  it.each([
    ['is not a database', (file: string) => writeFileSync(file, 'x'.repeat(5_000))],
    ['is torn', (file: string) => writeFileSync(file, readFileSync(file).subarray(0, 5_000))],
    ['is of another version', (file: string) => change(file, 'PRAGMA user_version = 99')],
    [
      'has another table',
      (file: string) => change(file, 'DROP TABLE sessions; CREATE TABLE sessions (path, folder)'),
    ],
    [
      'holds nonsense',
      (file: string) => change(file, "UPDATE sessions SET messages = 'many', mtimeMs = 'x'"),
    ],
    ['was deleted', (file: string) => rmSync(file)],
  ])('is made anew where it %s', (_how, harm) => {
    const home = createSessionHome();
    store(home, 's1', [user('u1', 'the prompt')]);
    listed(home);
    harm(indexFile(home.place.configDir));
    expect(titles(home)).toEqual(['the prompt']);
    expect(rowsOf(home)).toContainEqual(expect.objectContaining({ path: home.file('s1'), messages: 1 }));
  });

  it('is done without where it cannot be', () => {
    const home = createSessionHome();
    store(home, 's1', [user('u1', 'the prompt')]);
    mkdirSync(indexFile(home.place.configDir));
    expect(titles(home)).toEqual(['the prompt']);
    expect(statSync(indexFile(home.place.configDir)).isDirectory()).toBe(true);
  });

  it('is left alone while another process writes it, and the list is right', () => {
    const home = createSessionHome();
    store(home, 's1', [user('u1', 'one')]);
    listed(home);
    const other = new DatabaseSync(indexFile(home.place.configDir));
    other.exec('BEGIN EXCLUSIVE');
    store(home, 's2', [user('u1', 'two')]);
    expect(titles(home).sort()).toEqual(['one', 'two']);
    other.exec('COMMIT');
    other.close();
    expect(rowsOf(home)).toHaveLength(1);
    listed(home);
    expect(rowsOf(home)).toHaveLength(2);
  });

  it('is readable only by the owner, and is created with the first list', () => {
    const home = createSessionHome();
    store(home, 's1', [user('u1')]);
    expect(existsSync(indexFile(home.place.configDir))).toBe(false);
    listed(home);
    expect(statSync(indexFile(home.place.configDir)).mode & 0o077).toBe(0);
  });
});

describe('a session is found', () => {
  it('by its id, the beginning of it, or its exact title; here before elsewhere', () => {
    const home = createSessionHome();
    const place = { ...home.place, cwd: '/else' };
    store(home, 'abcd-1', [user('u1', 'one')]);
    store(home, 'abcd-2', [user('u1', 'two')]);
    store(home, 'efgh-3', [user('u1', 'two')]);
    const find = (word: string): string => {
      const found = findSession(word, home.place);
      return found.kind === 'one' ? found.session.id : found.kind;
    };
    expect(['abcd-1', 'efgh', 'one', 'abcd', 'two', 'efg', 'nothing'].map(find)).toEqual([
      'abcd-1',
      'efgh-3',
      'abcd-1',
      'several',
      'several',
      'none',
      'none',
    ]);
    expect(findSession('efgh', place)).toMatchObject({ kind: 'one' });
    expect(findSession('efgh', place, 'here')).toMatchObject({ kind: 'none' });
    const fileOf = (word: string): string | undefined => findSessionFile(word, place)?.id;
    expect(['abcd-1', 'efgh', 'abcd', 'one'].map(fileOf)).toEqual(['abcd-1', 'efgh-3', undefined, undefined]);
  });
});

function rowsOf({ place }: SessionHome): unknown[] {
  const database = new DatabaseSync(indexFile(place.configDir));
  const rows = database.prepare('SELECT * FROM sessions').all();
  database.close();
  return rows;
}

function change(file: string, sql: string): void {
  const database = new DatabaseSync(file);
  database.exec(sql);
  database.close();
}
