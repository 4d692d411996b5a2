/** Work on a session that nobody else is writing to. Errors of life are values. */
import { appendFileSync, existsSync, statSync, utimesSync } from 'node:fs';
import path from 'node:path';
import { errorMessage } from '@heddle/core';
import { StoredCosts } from '../../cost/stored-costs.ts';
import { encode } from '../codec/encode.ts';
import { createBlobs } from '../files/blobs.ts';
import { takeLock } from '../files/lock.ts';
import { blobsBeside, folderBeside, idOf } from '../files/session-files.ts';
import { loadSession, repairTornEnd } from '../open/load.ts';

export type Changed = { readonly ok: true } | { readonly ok: false; readonly message: string };

/** The lock is held while the work is done; where another process has it, nothing is done. */
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

/** Does somebody write to it at this moment? Where nothing can be written, nobody does. */
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

/** For sessions that are not open; an open one is renamed by an entry in its journal. An empty name takes it back. */
export function renameSession(file: string, title: string): Changed {
  return whileLocked(file, () => {
    const { atime, mtime } = statSync(file);
    repairTornEnd(file, folderBeside(file), loadSession(file, createBlobs(blobsBeside(file), false)));
    const frame = { sessionId: idOf(file), cwd: '', version: '' };
    const line = encode({ type: 'title', title, at: Date.now() }, frame, {
      parentUuid: null,
      bill: new StoredCosts(),
    });
    appendFileSync(file, `${JSON.stringify(line)}\n`);
    // A name is no activity: the newest session stays the one that was last worked in.
    utimesSync(file, atime, mtime);
  });
}
