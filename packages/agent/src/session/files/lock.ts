/**
 * Allows one writer per session. The lock is an exclusive transaction on a small database file. The kernel releases it
 * when the process ends in any way, so locks are never stale.
 */
import { closeSync, existsSync, lstatSync, mkdirSync, openSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';

type Lock = { readonly held: true; readonly release: () => void } | { readonly held: false };

/** A database without a reference is closed by garbage collection, which would release its lock. */
const held = new Set<DatabaseSync>();

/** A process that only checks whether a session is in use holds its lock for a moment. */
const PATIENCE_MS = 100;

/** Throws if the folder is not writable, or if its lock is a link, which would create a file elsewhere. */
export function takeLock(folder: string): Lock {
  makeFolder(folder);
  const file = path.join(folder, 'lock');
  const found = lstatSync(file, { throwIfNoEntry: false });
  if (found?.isFile() === false) throw new Error(`${file} is not a regular file`);
  // The file is not opened again once it exists. Closing it would release a lock that this process may hold.
  if (found === undefined) closeSync(openSync(file, 'a', 0o600));
  const database = new DatabaseSync(file, { timeout: PATIENCE_MS });
  try {
    database.exec('BEGIN EXCLUSIVE');
    held.add(database);
    return { held: true, release: () => release(database) };
  } catch (thrown) {
    database.close();
    if (isBusy(thrown)) return { held: false };
    throw thrown;
  }
}

function release(database: DatabaseSync): void {
  if (held.delete(database)) database.close();
}

const SQLITE_BUSY = 5;

function isBusy(thrown: unknown): boolean {
  return thrown instanceof Error && 'errcode' in thrown && thrown.errcode === SQLITE_BUSY;
}

/**
 * Creates a folder step by step. Node's recursive mode reports a read-only disk as a missing folder. It never ends
 * where the system accepts no folder, as below `/proc`.
 */
export function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(path.dirname(folder));
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (thrown) {
    // Another process was faster.
    if (!existsSync(folder)) throw thrown;
  }
}
