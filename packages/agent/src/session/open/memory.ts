/** Creates a session that exists until the process ends. */
import { Projection, unfinishedRun } from '@heddle/core';
import { StoredCosts } from '../../cost/stored-costs.ts';
import { memoryJournal, type MemoryJournal } from '../journal/journal.ts';
import type { Session } from './open.ts';

export function memorySession(id: string, now: () => number): Session & { readonly journal: MemoryJournal } {
  const journal = memoryJournal(id, now);
  return {
    id,
    journal,
    unfinished: () => unfinishedRun(journal.entries),
    projection: new Projection(),
    snapshot: undefined,
    bill: new StoredCosts(),
    notices: [],
  };
}
