/** Creates a session that exists until the process ends. */
import { Projection } from '@heddle/core';
import { StoredCosts } from '../../cost/stored-costs.ts';
import { memoryJournal, type MemoryJournal } from '../journal/journal.ts';
import type { Session } from './open.ts';

export function memorySession(id: string, now: () => number): Session & { readonly journal: MemoryJournal } {
  return {
    id,
    journal: memoryJournal(id, now),
    projection: new Projection(),
    snapshot: undefined,
    bill: new StoredCosts(),
    notices: [],
  };
}
