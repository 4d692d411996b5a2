/** Opens the session of a subagent. It is stored where the session of its parent is. */
import { Projection, unfinishedRun } from '@heddle/core';
import { existsSync, mkdirSync, openSync } from 'node:fs';
import path from 'node:path';
import { StoredCosts } from '../../cost/stored-costs.ts';
import { createBlobs } from '../files/blobs.ts';
import { childFile } from '../files/paths.ts';
import { fileJournal } from '../journal/file-journal.ts';
import { EntryChain } from '../journal/journal.ts';
import { loadSession, repairTornEnd, storedEntries } from './load.ts';
import { memorySession } from './memory.ts';
import type { ChildPlace, Session } from './open.ts';

/**
 * Opens a new or an existing session. It stays in memory if the parent's does.
 *
 * Contract: rejects if it cannot be opened. Damaged lines are skipped.
 */
export async function openChildSession(
  parent: Pick<Session, 'id' | 'journal' | 'children'>,
  place: ChildPlace,
): Promise<Session> {
  return parent.children ? parent.children.open(place) : openBesideParent(parent, place);
}

/** The lock of the parent's session covers its folder. */
function openBesideParent(
  parent: Pick<Session, 'id' | 'journal'>,
  { id, cwd, version, now }: ChildPlace,
): Session {
  const file = parent.journal.path === undefined ? undefined : childFile(parent.journal.path, id);
  if (parent.journal.path === undefined || file === undefined) return memorySession(id, now);
  const folder = path.dirname(file);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const blobs = createBlobs(path.join(path.dirname(parent.journal.path), 'blobs'), false);
  const loaded = existsSync(file) ? loadSession(file, blobs) : undefined;
  const repaired = loaded ? repairTornEnd(file, folder, loaded) : undefined;
  const { projection, snapshot, bill, chain } = loaded ?? {
    projection: new Projection(),
    snapshot: undefined,
    bill: new StoredCosts(),
    chain: new EntryChain(),
  };
  const journal = fileJournal({
    path: file,
    descriptor: openSync(file, 'a', 0o600),
    length: repaired?.length ?? 0,
    frame: { sessionId: parent.id, cwd, version, agentId: id },
    blobs,
    durability: 'process',
    chain,
    bill,
    standing: projection,
    now,
    release: () => undefined,
  });
  const unfinished = () => unfinishedRun(storedEntries(file, blobs));
  return { id, journal, projection, snapshot, bill, notices: repaired?.notices ?? [], unfinished };
}
