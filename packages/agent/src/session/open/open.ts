/** Opens a session: a new one, one to go on with, or a copy of one. Errors of life are values. */
import { existsSync, openSync, statSync } from 'node:fs';
import { Projection, type SessionSnapshot } from '@heddle/core';
import { Bill } from '../bill.ts';
import { type Blobs, createBlobs } from '../files/blobs.ts';
import { Chain } from '../journal/chain.ts';
import { copyCompanions } from './companions.ts';
import { copySession, dropDamagedLines } from './copy.ts';
import type { Durability } from '../journal/durability.ts';
import { fileJournal } from '../journal/file-journal.ts';
import { type Journal, memoryJournal } from '../journal/journal.ts';
import { historyUpTo, loadSession } from './load.ts';
import { takeLock } from '../files/lock.ts';
import { mendTornEnd } from './mend.ts';
import {
  blobFolder,
  isSessionId,
  projectFolder,
  sessionFile,
  sessionFolder,
  type SessionPlace,
} from '../files/paths.ts';
import { type SessionFile, sessionFilesIn } from '../files/session-files.ts';
import { syncFolder } from '../files/write.ts';

export interface Session {
  readonly id: string;
  readonly journal: Journal;
  readonly projection: Projection;
  /** Undefined for a new session: the engine writes it. */
  readonly snapshot: SessionSnapshot | undefined;
  /** What it had cost when it was opened. */
  readonly bill: Bill;
  /** What a user should know: a line that was cut off, lines that could not be read. */
  readonly notices: readonly string[];
}

export type Opened =
  | { readonly ok: true; readonly session: Session }
  | { readonly ok: false; readonly message: string };

export interface OpenSetup {
  readonly place: SessionPlace;
  readonly version: string;
  readonly durability: Durability;
  readonly now: () => number;
}

export interface ResumeChoice {
  /** Keep the conversation up to and including this message. */
  readonly at?: string | undefined;
}

export function newSession(setup: OpenSetup, id: string): Opened {
  if (!isSessionId(id)) return refused(`${id} is not a session id`);
  if (isKnown(setup, id)) return refused(`The session ${id} exists already; resume it, or fork it`);
  return attempt(id, () => open(setup, id, 'as it is'));
}

export function resumeSession(setup: OpenSetup, id: string, { at }: ResumeChoice = {}): Opened {
  if (!isKnown(setup, id)) return refused(`No conversation found with session ID: ${id}`);
  return attempt(id, () => rewound(setup, open(setup, id, 'as it is'), at));
}

/** A second life of a session under another id; the first stays as it is. */
export function forkSession(setup: OpenSetup, from: string, id: string, { at }: ResumeChoice = {}): Opened {
  if (!isKnown(setup, from)) return refused(`No conversation found with session ID: ${from}`);
  if (!isSessionId(id)) return refused(`${id} is not a session id`);
  if (isKnown(setup, id)) return refused(`The session ${id} exists already`);
  return attempt(id, () => {
    copyCompanions(setup.place, from, id);
    copySession(sessionFile(setup.place, from), sessionFile(setup.place, id));
    return rewound(setup, open(setup, id, 'without damage'), at);
  });
}

/** The session of this folder that was last written to. */
export function newestSession(place: SessionPlace): string | undefined {
  let newest: SessionFile | undefined;
  for (const file of sessionFilesIn(projectFolder(place)))
    if (!newest || file.mtimeMs > newest.mtimeMs) newest = file;
  return newest?.id;
}

/**
 * The conversation of a session without the session: nothing is locked, mended or written, and what happens from now on is
 * forgotten with the process. What cannot be read is left out.
 */
export function recallSession(setup: OpenSetup, from: string, id: string, { at }: ResumeChoice = {}): Opened {
  if (!isKnown(setup, from)) return refused(`No conversation found with session ID: ${from}`);
  return attempt(from, () => {
    const loaded = loadSession(sessionFile(setup.place, from), blobsOf(setup.place, setup.durability));
    const { projection, snapshot, bill, damagedLines } = loaded;
    const notices =
      damagedLines === 0
        ? []
        : [`${linesOf(damagedLines)} of the session could not be read; it goes on without.`];
    const session = { id, journal: memoryJournal(id, setup.now), projection, snapshot, bill, notices };
    return rewound(setup, { ok: true, session }, at, from);
  });
}

/** A file without a line is what a run left that never began. */
function isKnown({ place }: OpenSetup, id: string): boolean {
  return isSessionId(id) && (statSync(sessionFile(place, id), { throwIfNoEntry: false })?.size ?? 0) > 0;
}

/** The disk is full, the folder belongs to somebody else: reasons to be told, not to crash. */
function attempt(id: string, work: () => Opened): Opened {
  try {
    return work();
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    return refused(`The session ${id} cannot be opened: ${why}`);
  }
}

/** Nothing is written behind damage that nobody understands; a copy leaves it out. */
type Damage = 'as it is' | 'without damage';

function open(setup: OpenSetup, id: string, damage: Damage): Opened {
  const lock = takeLock(sessionFolder(setup.place, id));
  if (!lock.held)
    return refused(`The session ${id} is in use by another process; fork it to go on beside it`);
  try {
    const opened = openLocked(setup, id, damage, lock.release);
    if (!opened.ok) lock.release();
    return opened;
  } catch (thrown) {
    lock.release();
    throw thrown;
  }
}

function openLocked(
  { place, version, durability, now }: OpenSetup,
  id: string,
  damage: Damage,
  release: () => void,
): Opened {
  const file = sessionFile(place, id);
  const blobs = blobsOf(place, durability);
  let loaded = existsSync(file) ? loadSession(file, blobs) : undefined;
  const notices: string[] = [];
  if (loaded && loaded.damagedLines > 0) {
    const lines = linesOf(loaded.damagedLines);
    if (damage === 'as it is') {
      return refused(
        `The session ${id} is damaged: ${lines} cannot be read, so nothing more is written to it. Go on in a copy without: --fork-session`,
      );
    }
    notices.push(`${lines} of the session could not be read; the copy goes on without.`);
    dropDamagedLines(file);
    loaded = loadSession(file, blobs);
  }
  const mended = loaded ? mendTornEnd(file, sessionFolder(place, id), loaded) : undefined;
  const descriptor = openSync(file, 'a', 0o600);
  if (!loaded && durability === 'power') syncFolder(projectFolder(place));
  const { projection, snapshot, bill, chain } = loaded ?? empty();
  const journal = fileJournal({
    path: file,
    descriptor,
    length: mended?.length ?? 0,
    frame: { sessionId: id, cwd: place.cwd, version },
    blobs,
    durability,
    chain,
    bill,
    now,
    release,
  });
  notices.push(...(mended?.notices ?? []));
  return { ok: true, session: { id, journal, projection, snapshot, bill, notices } };
}

function linesOf(count: number): string {
  return count === 1 ? '1 line' : `${count} lines`;
}

function empty(): Pick<Session, 'projection' | 'snapshot' | 'bill'> & { readonly chain: Chain } {
  return { projection: new Projection(), snapshot: undefined, bill: new Bill(), chain: new Chain() };
}

function blobsOf(place: SessionPlace, durability: Durability): Blobs {
  return createBlobs(blobFolder(place), durability === 'power');
}

/** Goes back to a message. One that a compaction has replaced is looked for in the whole file, and its history put back. */
function rewound(
  { place, durability }: OpenSetup,
  opened: Opened,
  to: string | undefined,
  from?: string,
): Opened {
  if (!opened.ok || to === undefined) return opened;
  const { session } = opened;
  const { projection, journal } = session;
  try {
    const isNear = [...projection.messages].some((message) => message.uuid === to);
    const messages = isNear
      ? undefined
      : historyUpTo(sessionFile(place, from ?? session.id), to, blobsOf(place, durability));
    if (!isNear && !messages) {
      journal.close();
      return refused(`The session ${from ?? session.id} has no message ${to}`);
    }
    const entry = { type: 'rewind' as const, to, ...(messages ? { messages } : {}) };
    journal.append(entry);
    projection.apply(entry);
    return opened;
  } catch (thrown) {
    journal.close();
    throw thrown;
  }
}

function refused(message: string): Opened {
  return { ok: false, message };
}
