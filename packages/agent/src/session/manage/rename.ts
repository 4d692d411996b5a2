/** Changes a session that no other process writes to. Expected errors are values. */
import { appendFileSync, existsSync, statSync, utimesSync } from 'node:fs';
import path from 'node:path';
import { errorMessage } from '@heddle/core';
import { StoredCosts } from '../../cost/stored-costs.ts';
import { encodeEntry } from '../codec/encode.ts';
import { createBlobs } from '../files/blobs.ts';
import { takeLock } from '../files/lock.ts';
import { blobsBeside, folderBeside, idOf } from '../files/session-files.ts';
import { loadSession, repairTornEnd } from '../open/load.ts';

export type Changed = { readonly ok: true } | { readonly ok: false; readonly message: string };

/** Holds the lock during the work. Does nothing if another process has it. */
export function whileLocked(file: string, work: () => void): Changed {
  if (!existsSync(file)) return { ok: false, message: `The session ${idOf(file)} is not there any more` };
  try {
    const lock = takeLock(folderBeside(file));
    if (!lock.held) return { ok: false, message: `The session ${idOf(file)} is in use by another process` };
    try {
      work();
      return { ok: true };
    } finally {
      lock.release();
    }
  } catch (thrown) {
    const why = errorMessage(thrown);
    return { ok: false, message: `The session ${idOf(file)} cannot be changed: ${why}` };
  }
}

/** Returns whether another process writes to the session now. On a read-only disk, no process does. */
export function isInUse(file: string): boolean {
  const beside = folderBeside(file);
  if (!existsSync(path.join(beside, 'lock'))) return false;
  try {
    const lock = takeLock(beside);
    if (lock.held) lock.release();
    return !lock.held;
  } catch {
    return false;
  }
}

/**
 * Renames a session that is not open. An open one is renamed by an entry in its journal. An empty title removes the
 * title.
 */
export function renameSession(file: string, title: string): Changed {
  return whileLocked(file, () => {
    const { atime, mtime } = statSync(file);
    repairTornEnd(file, folderBeside(file), loadSession(file, createBlobs(blobsBeside(file), false)));
    const frame = { sessionId: idOf(file), cwd: '', version: '' };
    const line = encodeEntry({ type: 'title', title, at: Date.now() }, frame, {
      parentUuid: null,
      bill: new StoredCosts(),
    });
    appendFileSync(file, `${JSON.stringify(line)}\n`);
    // A new title is not an activity, so the order by last use does not change.
    utimesSync(file, atime, mtime);
  });
}
