/**
 * One writer a session. The lock is an exclusive transaction on a small database file: the kernel lets go of it when the
 * process dies, however it dies, so there is no stale lock to argue about.
 */
import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';

type Lock = { readonly held: true; readonly release: () => void } | { readonly held: false };

/** A database that nothing refers to is closed when memory is collected, and its lock with it. */
const held = new Set<DatabaseSync>();

/** Whoever only looks whether a session is in use holds its lock for a moment. */
const PATIENCE_MS = 100;

/** Throws where the folder cannot be written to. */
export function takeLock(folder: string): Lock {
  makeFolder(folder);
  const file = path.join(folder, 'lock');
  // Never opened by us once it is there: closing it again would let go of a lock that this process may hold.
  if (!existsSync(file)) closeSync(openSync(file, 'a', 0o600));
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
 * Step by step, for Node's own recursive way calls a read-only disk a missing folder, and never ends where the system
 * takes no folder at all, as below `/proc`.
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
