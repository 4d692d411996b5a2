/** Opens a session: a new one, an existing one, or a copy. Expected errors are values. */
import { type Entry, omitUndefined, Projection, type SessionSnapshot, unfinishedRun } from '@heddle/core';
import { existsSync, openSync, statSync } from 'node:fs';
import { StoredCosts } from '../../cost/stored-costs.ts';
import { currentBranch } from '../../prompt/session-context.ts';
import type { EntryFrame } from '../codec/encode.ts';
import { type Blobs, createBlobs } from '../files/blobs.ts';
import { takeLock } from '../files/lock.ts';
import {
  blobFolder,
  isSessionId,
  projectFolder,
  sessionFile,
  sessionFolder,
  type SessionPlace,
} from '../files/paths.ts';
import { isOwnSession, sessionFilesOf } from '../files/session-files.ts';
import { storageErrorReason, syncFolder } from '../files/write.ts';
import { fileJournal } from '../journal/file-journal.ts';
import { type Durability, EntryChain, type Journal, memoryJournal } from '../journal/journal.ts';
import { copyCompanions, copySession, discardCopy, dropDamagedLines } from './copy.ts';
import { historyUpTo, loadSession, repairTornEnd, storedEntries, storedSnapshot } from './load.ts';

export interface Session {
  readonly id: string;
  readonly journal: Journal;
  readonly projection: Projection;
  /** Undefined for a new session. The engine writes it. */
  readonly snapshot: SessionSnapshot | undefined;
  /** The costs of the session when it was opened. */
  readonly bill: StoredCosts;
  /** Messages for the user: a line that was cut off, lines that could not be read. */
  readonly notices: readonly string[];
  /** The last prompt had no end when the session was opened. */
  readonly wasCutOff?: boolean;
  /** Reads the entries of the last prompt if it has no end. Undefined: it ended, or there is none. */
  readonly unfinished?: () => readonly Entry[] | undefined;
  /** Stores the subagents of a session that is not in a file. Without it, they are in files beside the session, or in memory. */
  readonly children?: ChildStore | undefined;
}

/** The identity of a subagent's session. */
export interface ChildPlace {
  readonly id: string;
  readonly cwd: string;
  readonly version: string;
  readonly now: () => number;
}

export interface ChildStore {
  /** Opens a new session, or that of an earlier process. Rejects if it cannot be read. */
  open(place: ChildPlace): Promise<Session>;
  /** The newest records, by the ids of their subagents. They may come from another version of the program. */
  readonly records: ReadonlyMap<string, unknown>;
  /** Throws if nothing more can be stored. */
  writeRecord(agentId: string, record: object): void;
}

export type OpenedSession =
  | { readonly ok: true; readonly session: Session }
  | {
      readonly ok: false;
      readonly message: string;
      /** There is no session with this id. The text may be a prefix of an id, or a title. */
      readonly isUnknown: boolean;
    };

export interface OpenSetup {
  readonly place: SessionPlace;
  readonly version: string;
  readonly durability: Durability;
  readonly now: () => number;
  /** Set if a member of a team runs the session. */
  readonly member?: TeamOrigin | undefined;
  /** Set if a run without a terminal writes the session. */
  readonly entrypoint?: EntryFrame['entrypoint'];
}

/** The fields of a line that a member of a team wrote. */
type TeamOrigin = Required<Pick<EntryFrame, 'teamName' | 'agentName'>>;

export interface ResumeChoice {
  /** Keeps the conversation up to and including this message. */
  readonly at?: string | undefined;
}

export function newSession(setup: OpenSetup, id: string): OpenedSession {
  return open(setup, id, { is: 'new' });
}

export function resumeSession(setup: OpenSetup, id: string, { at }: ResumeChoice = {}): OpenedSession {
  return open(setup, id, { is: 'known' }, at);
}

/** Creates a copy of a session under another id. The original does not change. */
export function forkSession(
  setup: OpenSetup,
  from: string,
  id: string,
  { at }: ResumeChoice = {},
): OpenedSession {
  return open(setup, id, { is: 'copy', of: from }, at);
}

/** Returns the session of this folder that was written last. Those of subagents and team members do not count. */
export function newestSession(place: SessionPlace): string | undefined {
  const { otherConfigDirs = [], ...own } = place;
  // A session of another tool counts only if Heddle has none in this folder.
  for (const files of [sessionFilesOf(own), otherConfigDirs.length > 0 ? sessionFilesOf(place) : []]) {
    const newestFirst = files.toSorted((left, right) => right.mtimeMs - left.mtimeMs);
    const newest = newestFirst.find((file) => isOwnSession(file, place.cwd));
    if (newest) return newest.id;
  }
  return undefined;
}

/** Returns what a session started with, without loading it. Undefined if there is no session with this id. */
export function snapshotOf(place: SessionPlace, id: string): SessionSnapshot | undefined {
  return isSessionId(id) ? storedSnapshot(sessionFile(place, id)) : undefined;
}

/**
 * Loads the conversation of a session without opening it: nothing is locked, repaired or written. Later events are lost
 * when the process ends. Unreadable lines are left out.
 */
export function recallSession(
  setup: OpenSetup,
  from: string,
  id: string,
  { at }: ResumeChoice = {},
): OpenedSession {
  return attempt(from, () => {
    if (!isKnown(setup, from)) return unknown(from);
    const file = storedFile(setup, from) ?? sessionFile(setup.place, from);
    const blobs = blobsOf(setup);
    const { projection, snapshot, bill, damagedLines } = loadSession(file, blobs);
    const notices =
      damagedLines === 0
        ? []
        : [`${linesOf(damagedLines)} of the session could not be read; it continues without.`];
    const session = { id, journal: memoryJournal(id, setup.now), projection, snapshot, bill, notices };
    return rewindTo(session, { to: at, name: from, file, blobs });
  });
}

type Way = { readonly is: 'new' | 'known' } | { readonly is: 'copy'; readonly of: string };

function open(setup: OpenSetup, id: string, way: Way, at?: string): OpenedSession {
  return attempt(id, () => {
    const refusal = objection(setup, id, way);
    if (refusal) return refusal;
    const lock = takeLock(sessionFolder(setup.place, id));
    if (!lock.held)
      return refused(`The session ${id} is in use by another process; fork it to continue in a copy`);
    return orElse(lock.release, () => {
      // The previous owner of the lock may have created or removed the session.
      const refusalNow = objection(setup, id, way);
      if (refusalNow) return refusalNow;
      const { release } = lock;
      const stored = way.is === 'known' ? storedFile(setup, id) : undefined;
      if (stored !== undefined && stored !== sessionFile(setup.place, id))
        return openFromAnotherTool(setup, id, stored, { release, at });
      if (way.is === 'copy') return openCopy(setup, id, way.of, { release, at });
      return openLocked(setup, id, { release, at, name: id, damage: 'as it is' });
    });
  });
}

function objection(setup: OpenSetup, id: string, way: Way): OpenedSession | undefined {
  if (way.is === 'known') return isKnown(setup, id) ? undefined : unknown(id);
  if (way.is === 'copy' && !isKnown(setup, way.of)) return unknown(way.of);
  if (!isSessionId(id)) return refused(`${id} is not a session id`);
  if (!isKnown(setup, id)) return undefined;
  return refused(`The session ${id} exists already${way.is === 'new' ? '; resume it, or fork it' : ''}`);
}

/** A file without a line is from a run that never began. */
function isKnown(setup: OpenSetup, id: string): boolean {
  return storedFile(setup, id) !== undefined;
}

/** Returns the file of a session: Heddle's own, or else that of another tool. */
function storedFile({ place }: OpenSetup, id: string): string | undefined {
  if (!isSessionId(id)) return undefined;
  const { configDir, otherConfigDirs = [], cwd } = place;
  return [configDir, ...otherConfigDirs]
    .map((root) => sessionFile({ configDir: root, cwd }, id))
    .find((file) => (statSync(file, { throwIfNoEntry: false })?.size ?? 0) > 0);
}

/** A full disk or a folder of another user is an expected error, not a crash. */
function attempt(id: string, work: () => OpenedSession): OpenedSession {
  try {
    return work();
  } catch (thrown) {
    return refused(
      `The session ${id} cannot be opened: ${storageErrorReason(thrown)}. ${WITHOUT_THAT_PLACE}`,
    );
  }
}

const WITHOUT_THAT_PLACE =
  'HEDDLE_CONFIG_DIR names another place for sessions; --no-session-persistence keeps none';

/** Undoes the preparation if the work fails. */
function orElse(undo: () => void, work: () => OpenedSession): OpenedSession {
  let opened: OpenedSession | undefined;
  try {
    opened = work();
    return opened;
  } finally {
    if (!opened?.ok) undo();
  }
}

/** A partial or unwanted copy would count as the newest session, so it is removed. */
function openCopy(
  setup: OpenSetup,
  id: string,
  from: string,
  given: Pick<LockedChoice, 'release' | 'at'>,
): OpenedSession {
  const { place } = setup;
  return orElse(
    () => discardCopy(place, id),
    () => {
      copyCompanions(place, from, id);
      copySession(storedFile(setup, from) ?? sessionFile(place, from), sessionFile(place, id));
      return openLocked(setup, id, { ...given, name: from, damage: 'without damage' });
    },
  );
}

/** A session of another tool continues in a copy of our own. The original does not change. */
function openFromAnotherTool(
  setup: OpenSetup,
  id: string,
  original: string,
  given: Pick<LockedChoice, 'release' | 'at'>,
): OpenedSession {
  return orElse(
    () => discardCopy(setup.place, id),
    () => {
      copySession(original, sessionFile(setup.place, id));
      return openLocked(setup, id, { ...given, name: id, damage: 'without damage' });
    },
  );
}

interface LockedChoice {
  readonly at: string | undefined;
  /** The session that the user named. For a copy, the original. */
  readonly name: string;
  /** `as it is` refuses to write after damaged lines. A copy leaves them out. */
  readonly damage: 'as it is' | 'without damage';
  /** Releases the lock. */
  readonly release: () => void;
}

function openLocked(
  setup: OpenSetup,
  id: string,
  { at, name, damage, release }: LockedChoice,
): OpenedSession {
  const { place, version, durability, now, member, entrypoint } = setup;
  const file = sessionFile(place, id);
  const blobs = blobsOf(setup);
  let loaded = existsSync(file) ? loadSession(file, blobs) : undefined;
  const notices: string[] = [];
  if (loaded && loaded.damagedLines > 0) {
    const lines = linesOf(loaded.damagedLines);
    if (damage === 'as it is') {
      return refused(
        `The session ${id} is damaged: ${lines} cannot be read, so nothing more is written to it. Continue in a copy without: --fork-session`,
      );
    }
    notices.push(`${lines} of the session could not be read; the copy continues without.`);
    dropDamagedLines(file);
    loaded = loadSession(file, blobs);
  }
  const repaired = loaded ? repairTornEnd(file, sessionFolder(place, id), loaded) : undefined;
  const descriptor = openSync(file, 'a', 0o600);
  if (!loaded && durability === 'power') syncFolder(projectFolder(place));
  const { projection, snapshot, bill, chain } = loaded ?? empty();
  const journal = fileJournal({
    path: file,
    descriptor,
    length: repaired?.length ?? 0,
    frame: {
      sessionId: id,
      cwd: place.cwd,
      version,
      ...branchAt(place.cwd),
      ...member,
      ...omitUndefined({ entrypoint }),
    },
    blobs,
    durability,
    chain,
    bill,
    standing: projection,
    now,
    release,
  });
  notices.push(...(repaired?.notices ?? []));
  const unfinished = (): readonly Entry[] | undefined => unfinishedRun(storedEntries(file, blobs));
  const wasCutOff = loaded?.isLastPromptOpen ?? (loaded !== undefined && unfinished() !== undefined);
  const session = { id, journal, projection, snapshot, bill, notices, wasCutOff, unfinished };
  return rewindTo(session, { to: at, name, file, blobs });
}

function branchAt(cwd: string): { readonly gitBranch?: string } {
  const gitBranch = currentBranch(cwd);
  return gitBranch === undefined ? {} : { gitBranch };
}

function linesOf(count: number): string {
  return count === 1 ? '1 line' : `${count} lines`;
}

function empty(): Pick<Session, 'projection' | 'snapshot' | 'bill'> & { readonly chain: EntryChain } {
  return {
    projection: new Projection(),
    snapshot: undefined,
    bill: new StoredCosts(),
    chain: new EntryChain(),
  };
}

function blobsOf({ place, durability }: OpenSetup): Blobs {
  return createBlobs(blobFolder(place), durability === 'power');
}

function unknown(id: string): OpenedSession {
  return { ok: false, message: `No conversation found with session ID: ${id}`, isUnknown: true };
}

function refused(message: string): OpenedSession {
  return { ok: false, message, isUnknown: false };
}

interface RewindTarget {
  /** Undefined if the session is not rewound. */
  readonly to: string | undefined;
  /** The name of the session for the user. */
  readonly name: string;
  /** The log that is searched for the message. */
  readonly file: string;
  readonly blobs: Blobs;
}

/**
 * Rewinds to a message. A message that a compaction replaced is searched in the whole file, and its history is
 * restored.
 */
function rewindTo(session: Session, { to, name, file, blobs }: RewindTarget): OpenedSession {
  if (to === undefined) return { ok: true, session };
  const { projection, journal } = session;
  try {
    const isNear = [...projection.messages].some((message) => message.uuid === to);
    const messages = isNear ? undefined : historyUpTo(file, to, blobs);
    if (!isNear && !messages) {
      journal.close();
      return { ok: false, message: `The session ${name} has no message ${to}`, isUnknown: false };
    }
    const entry = { type: 'rewind' as const, to, ...(messages ? { messages } : {}) };
    journal.append(entry);
    projection.apply(entry);
    return { ok: true, session };
  } catch (thrown) {
    journal.close();
    throw thrown;
  }
}
