/** Memory folders of folders whose names become the same name. */
import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { listSessions } from '../session/listing/list.ts';
import { newestSession } from '../session/open/open.ts';
import { memoryFolder, sessionFile, type SessionPlace } from '../session/files/paths.ts';
import { ownMemoryFolder } from './project-memory.ts';

function home(): (cwd: string) => SessionPlace {
  const configDir = mkdtempSync(path.join(os.tmpdir(), 'heddle-memory-'));
  return (cwd) => ({ configDir, cwd });
}

/** Stores a session as it is after one prompt. */
function store(place: SessionPlace, id: string, at = '2026-01-01T00:00:00Z'): void {
  const { cwd } = place;
  const line = { parentUuid: null, cwd, sessionId: id, type: 'user', uuid: id, timestamp: at };
  const message = { role: 'user', content: `prompt ${id}` };
  mkdirSync(path.dirname(sessionFile(place, id)), { recursive: true });
  writeFileSync(sessionFile(place, id), `${JSON.stringify({ ...line, message })}\n`);
}

const NAMES = ['/a/b/c', '/a/b c', '/a/b.c', '/a-b-c', '/a/b_c', '/a\\b-c', '/a/b"c', '/a/b\nc', '/a/b~c'];

it.each(NAMES)('the memory of /a/b-c is not that of %j', (other) => {
  const at = home();
  const own = ownMemoryFolder(at('/a/b-c'));
  expect(own).toBe(memoryFolder(at('/a/b-c')));
  expect(memoryFolder(at(other))).toBe(own);
  const apart = ownMemoryFolder(at(other));
  expect(apart).not.toBe(own);
  expect(path.dirname(apart)).toBe(path.dirname(own));
  expect([ownMemoryFolder(at('/a/b-c')), ownMemoryFolder(at(other))]).toEqual([own, apart]);
  expect(new Set(NAMES.map((name) => ownMemoryFolder(at(name)))).size).toBe(NAMES.length);
});

it('memory of an earlier version stays that of its folder', () => {
  const at = home();
  const usual = memoryFolder(at('/a/b-c'));
  mkdirSync(usual, { recursive: true });
  store(at('/a/b-c'), 's1');
  expect(ownMemoryFolder(at('/a/b-c'))).toBe(usual);
  expect(ownMemoryFolder(at('/a/b/c'))).not.toBe(usual);
});

it.each([[['/a/b-c']], [['/a/b-c', '/a/b/c']], [['/a/b"c', '/a/b/c']]])(
  'memory of an earlier version is not used in /a/b/c if sessions began in %j',
  (folders) => {
    const at = home();
    const usual = memoryFolder(at('/a/b/c'));
    mkdirSync(usual, { recursive: true });
    for (const [index, folder] of folders.entries()) store(at(folder), `s${index}`);
    const own = ownMemoryFolder(at('/a/b/c'));
    expect(own).not.toBe(usual);
    mkdirSync(own);
    expect(ownMemoryFolder(at('/a/b/c'))).toBe(own);
  },
);

it('a folder that cannot be written is used as it is', () => {
  const at = home();
  const place = at('/a/b');
  writeFileSync(path.join(place.configDir, 'projects'), '');
  expect(ownMemoryFolder(place)).toBe(memoryFolder(place));
  expect(existsSync(memoryFolder(place))).toBe(false);
});

it.each(NAMES)('sessions of %j are neither listed nor continued in /a/b-c', (other) => {
  const at = home();
  store(at(other), 'theirs');
  expect(listSessions(at('/a/b-c'))).toEqual([]);
  expect(newestSession(at('/a/b-c'))).toBeUndefined();
  store(at('/a/b-c'), 'mine');
  expect(listSessions(at('/a/b-c')).map(({ id }) => id)).toEqual(['mine']);
  expect(newestSession(at('/a/b-c'))).toBe('mine');
  expect(listSessions({ configDir: at(other).configDir })).toHaveLength(2);
});
