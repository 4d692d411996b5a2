/** A session in memory whose subagents are stored in the same sequence, as in a fleet. It can begin with any part of such a sequence. */
import type { Entry, EntryBody } from '@heddle/core';
import type { Journal } from '../journal/journal.ts';
import { memorySession } from '../open/memory.ts';
import type { ChildPlace, ChildStore, Session } from '../open/open.ts';

/** An entry of the session or of a subagent, or the record of a subagent. */
export type StoredItem =
  | { readonly agent: string | undefined; readonly entry: Entry }
  | { readonly agent: string; readonly record: object };

export interface SharedSession extends Session {
  /** Everything that was stored, in order. */
  readonly items: readonly StoredItem[];
}

export function sharedSession(id: string, stored: readonly StoredItem[], now: () => number): SharedSession {
  const items = [...stored];
  const records = new Map<string, unknown>();
  for (const item of stored) if ('record' in item) records.set(item.agent, item.record);
  const children: ChildStore = {
    records,
    open: async (place: ChildPlace) => conversation(place.id, place.id, items, place.now),
    writeRecord(agent, record) {
      items.push({ agent, record });
      records.set(agent, record);
    },
  };
  return { ...conversation(id, undefined, items, now), children, items };
}

/** The entries of one conversation of the sequence. */
export function entriesOf(items: readonly StoredItem[], agent?: string): readonly Entry[] {
  return items.flatMap((item) => ('entry' in item && item.agent === agent ? [item.entry] : []));
}

function conversation(
  id: string,
  agent: string | undefined,
  items: StoredItem[],
  now: () => number,
): Session {
  const session = memorySession(id, now);
  const entries = entriesOf(items, agent);
  for (const entry of entries) {
    session.journal.append(entry);
    session.projection.apply(entry);
  }
  const [first] = entries;
  const journal: Journal = {
    ...session.journal,
    append(body: EntryBody) {
      session.journal.append(body);
      items.push({ agent, entry: { ...body, at: now() } });
    },
  };
  return { ...session, journal, ...(first?.type === 'session' ? { snapshot: first.snapshot } : {}) };
}
