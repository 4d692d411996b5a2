/** Work on a session that nobody else is writing to. Errors of life are values. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { takeLock } from '../files/lock.ts';
import { folderBeside, idOf } from '../files/session-files.ts';

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
    const why = thrown instanceof Error ? thrown.message : String(thrown);
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
