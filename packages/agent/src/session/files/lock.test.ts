/** One writer a session, with real processes. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, symlinkSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { takeLock } from './lock.ts';
import { forkSession, newSession, resumeSession } from '../open/open.ts';
import { createSessionHome, reasonOf, sessionOf, user } from '../test/session-home.ts';

const holder = path.join(import.meta.dirname, '../test/run-with-lock.ts');
const started: ChildProcess[] = [];

afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL');
});

/** Another process that has the session open until it is killed. */
async function heldBy(folder: string, id: string): Promise<ChildProcess> {
  const child = spawn(process.execPath, [holder, folder, id], { stdio: ['ignore', 'pipe', 'inherit'] });
  started.push(child);
  await once(child.stdout, 'data');
  return child;
}

describe('a session that another process writes to', () => {
  it('is refused, can be forked, and is free at once when that process is killed', async () => {
    const { place, setup } = createSessionHome();
    const child = await heldBy(place.cwd, 's1');
    expect(reasonOf(resumeSession(setup, 's1'))).toMatch(/in use by another process; fork it/);

    const fork = sessionOf(forkSession(setup, 's1', 's2'));
    fork.journal.append(user('u2'));
    fork.journal.close();

    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
    sessionOf(resumeSession(setup, 's1')).journal.append(user('u3'));
  });
});

describe('a session that this process writes to', () => {
  it('is refused a second time, and free when it is closed', () => {
    const { begin, setup } = createSessionHome();
    const first = begin('s1');
    first.journal.append(user('u1'));
    expect(reasonOf(resumeSession(setup, 's1'))).toMatch(/in use/);
    // The lock is still held after another attempt.
    expect(reasonOf(resumeSession(setup, 's1'))).toMatch(/in use/);
    first.journal.close();
    expect(resumeSession(setup, 's1').ok).toBe(true);
  });

  it('is not held by an opening that failed', () => {
    const { begin, setup } = createSessionHome();
    const first = begin('s1');
    first.journal.append(user('u1'));
    first.journal.close();
    expect(reasonOf(resumeSession(setup, 's1', { at: 'nowhere' }))).toMatch(/has no message nowhere/);
    expect(resumeSession(setup, 's1').ok).toBe(true);
    expect(reasonOf(newSession(setup, 's1'))).toMatch(/exists already/);
  });
});

it('does not create the target of a link in place of a lock', () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'heddle-lock-'));
  symlinkSync('../elsewhere', path.join(folder, 'lock'));
  expect(() => takeLock(folder)).toThrow('lock is not a regular file');
  expect(existsSync(path.join(folder, '../elsewhere'))).toBe(false);
});
