/**
 * The journal: where entries are stored, one after another, by one writer. `append` returns only when the entry is stored;
 * if it cannot be, it throws a `JournalError`, and whatever the entry announced must not happen.
 */
import type { Entry, EntryBody } from '@heddle/core';

export interface Journal {
  readonly sessionId: string;
  /** Where people find it; undefined for one that is kept in memory only. */
  readonly path: string | undefined;
  append(body: EntryBody): void;
  close(): void;
}

export class JournalError extends Error {
  override readonly name = 'JournalError';
}

/** Keeps the session for as long as the process lives. */
export interface MemoryJournal extends Journal {
  readonly entries: readonly Entry[];
}

export function memoryJournal(sessionId: string, now: () => number): MemoryJournal {
  const entries: Entry[] = [];
  return {
    sessionId,
    path: undefined,
    entries,
    append: (body) => void entries.push({ ...body, at: now() }),
    close: () => undefined,
  };
}
