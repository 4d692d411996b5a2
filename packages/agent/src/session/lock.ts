/**
 * One writer a session. The lock is an exclusive transaction on a small database file: the kernel lets go of it when the
 * process dies, however it dies, so there is no stale lock to argue about.
 */
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';

export type Lock = { readonly held: true; readonly release: () => void } | { readonly held: false };

export function takeLock(folder: string): Lock {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const database = new DatabaseSync(path.join(folder, 'lock'), { timeout: 0 });
  try {
    database.exec('BEGIN EXCLUSIVE');
    return { held: true, release: () => database.close() };
  } catch {
    database.close();
    return { held: false };
  }
}
