/**
 * An index of facts about session files, so that a list need not read all of them. It is only a cache. If it is
 * deleted, damaged, locked or not writable, it is rebuilt or ignored without a message.
 */
import { closeSync, existsSync, openSync, rmSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync, type SQLOutputValue } from 'node:sqlite';
import { type Facts, NO_FACTS } from './summary.ts';

export interface Known {
  readonly path: string;
  readonly size: number;
  readonly mtimeMs: number;
  readonly facts: Facts;
}

export interface Cache {
  /** Returns the facts about the files of a folder, or of all files. */
  read(folder?: string): Map<string, Known>;
  find(file: string): Known | undefined;
  write(known: readonly Known[], gone: readonly string[]): void;
  close(): void;
}

/** The version of the table. A file with another version is deleted. */
const VERSION = 4;
/** The time that a list waits for another process that writes. */
const BUSY_MS = 200;

export function indexFile(configDir: string): string {
  return path.join(configDir, 'session-index.sqlite');
}

/** Never throws. Without a usable file, it is empty and stores nothing. */
export function openCache(configDir: string): Cache {
  const file = indexFile(configDir);
  let database = open(file);
  /** The result without the cache is slower, but correct. */
  function attempt<T>(otherwise: T, work: (database: DatabaseSync) => T): T {
    if (!database) return otherwise;
    try {
      return work(database);
    } catch (thrown) {
      close();
      if (isDamage(thrown)) {
        throwAway(file);
        database = open(file);
      }
      return otherwise;
    }
  }
  function close(): void {
    database?.close();
    database = undefined;
  }
  return {
    read: (folder) => attempt(new Map(), (db) => readRows(db, folder)),
    find: (file) => attempt(undefined, (db) => findRow(db, file)),
    write: (known, gone) => {
      if (known.length === 0 && gone.length === 0) return;
      const written = (): boolean => attempt(false, (db) => writeRows(db, known, gone));
      // A damaged file was replaced by the first attempt.
      if (!written()) written();
    },
    close: () => attempt(undefined, close),
  };
}

/** Deletes a file that is damaged or of another version. The next attempt creates a new one. */
function open(file: string): DatabaseSync | undefined {
  const first = tryOpen(file);
  if (first !== 'damaged') return first;
  throwAway(file);
  const second = tryOpen(file);
  return second === 'damaged' ? undefined : second;
}

function tryOpen(file: string): DatabaseSync | 'damaged' | undefined {
  let database: DatabaseSync | undefined;
  try {
    // It contains the beginnings of prompts, so only the owner may read it.
    if (!existsSync(file)) closeSync(openSync(file, 'a', 0o600));
    database = new DatabaseSync(file, { timeout: BUSY_MS });
    const version = Number(database.prepare('PRAGMA user_version').get()?.['user_version']);
    if (version === VERSION) return database;
    if (version !== 0) throw new Unusable();
    database.exec(`PRAGMA journal_mode = WAL; ${TABLE}; PRAGMA user_version = ${VERSION}`);
    return database;
  } catch (thrown) {
    database?.close();
    return isDamage(thrown) ? 'damaged' : undefined;
  }
}

/** Thrown for another version, or for invalid rows. */
class Unusable extends Error {}

const FACTS = Object.keys(NO_FACTS).filter(isFact);
const COLUMNS = ['path', 'folder', 'size', 'mtimeMs', ...FACTS];
const TABLE = `CREATE TABLE IF NOT EXISTS sessions (${COLUMNS.join(', ')}, PRIMARY KEY (path)) WITHOUT ROWID`;

function isFact(key: string): key is keyof Facts {
  return Object.hasOwn(NO_FACTS, key);
}

function readRows(database: DatabaseSync, folder: string | undefined): Map<string, Known> {
  const rows =
    folder === undefined
      ? database.prepare('SELECT * FROM sessions').all()
      : database.prepare('SELECT * FROM sessions WHERE folder = ?').all(folder);
  return new Map(rows.map(knownOf).map((known) => [known.path, known]));
}

function findRow(database: DatabaseSync, file: string): Known | undefined {
  const row = database.prepare('SELECT * FROM sessions WHERE path = ?').get(file);
  return row && knownOf(row);
}

/** Uses the row itself as the facts, because there may be thousands. */
function knownOf(row: Record<string, SQLOutputValue>): Known {
  const { path: file, size, mtimeMs } = row;
  const isWhole = typeof file === 'string' && typeof size === 'number' && typeof mtimeMs === 'number';
  if (!isWhole || !isFacts(row)) throw new Unusable();
  return { path: file, size, mtimeMs, facts: row };
}

const NUMBERS = ['readTo', 'messages', 'unpriced'] as const;
const NUMBERS_OR_NULL = ['startedAt', 'lastAt', 'costUsd'] as const;
const TEXTS = FACTS.filter((key) => ![...NUMBERS, ...NUMBERS_OR_NULL].some((other) => other === key));

function isFacts(row: object): row is Facts {
  const has = (type: string, keys: readonly string[], orNull: boolean): boolean =>
    keys.every((key) => {
      const value: unknown = Reflect.get(row, key);
      return value === null ? orNull : typeof value === type;
    });
  return has('number', NUMBERS, false) && has('number', NUMBERS_OR_NULL, true) && has('string', TEXTS, true);
}

function writeRows(database: DatabaseSync, known: readonly Known[], gone: readonly string[]): true {
  const insert = database.prepare(
    `INSERT OR REPLACE INTO sessions (${COLUMNS.join(', ')}) VALUES (${COLUMNS.map(() => '?').join(', ')})`,
  );
  const remove = database.prepare('DELETE FROM sessions WHERE path = ?');
  database.exec('BEGIN IMMEDIATE');
  for (const { path: file, size, mtimeMs, facts } of known)
    insert.run(file, path.dirname(file), size, mtimeMs, ...FACTS.map((key) => facts[key]));
  for (const file of gone) remove.run(file);
  database.exec('COMMIT');
  return true;
}

/** Temporary errors (a lock, a read-only folder) do not delete the file. */
const PASSING = new Set([
  3 /* PERM */, 5 /* BUSY */, 6 /* LOCKED */, 8 /* READONLY */, 13 /* FULL */, 14 /* CANTOPEN */,
]);

function isDamage(thrown: unknown): boolean {
  if (!(thrown instanceof Error) || !('errcode' in thrown)) return thrown instanceof Unusable;
  return typeof thrown.errcode === 'number' && !PASSING.has(thrown.errcode & 0xff);
}

function throwAway(file: string): void {
  try {
    for (const ending of ['', '-wal', '-shm']) rmSync(`${file}${ending}`, { force: true });
  } catch {
    // The list works without the cache.
  }
}
