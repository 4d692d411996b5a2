/** Opens a session: a new one, one that goes on, or a fork of one. Errors of life are values. */
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  statSync,
  truncateSync,
} from 'node:fs';
import path from 'node:path';
import { Projection, type SessionSnapshot } from '@heddle/core';
import { createBlobs } from './blobs.ts';
import { type Durability, fileJournal } from './file-journal.ts';
import type { Journal } from './journal.ts';
import { type LoadedSession, loadSession } from './load.ts';
import { takeLock } from './lock.ts';
import {
  blobFolder,
  isSessionId,
  projectFolder,
  sessionFile,
  sessionFolder,
  type SessionPlace,
} from './paths.ts';

export interface Session {
  readonly id: string;
  readonly journal: Journal;
  readonly projection: Projection;
  /** Undefined for a new session: the engine writes it. */
  readonly snapshot: SessionSnapshot | undefined;
  readonly spent: LoadedSession['spent'];
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

export function newSession(setup: OpenSetup, id: string): Opened {
  if (!isSessionId(id)) return refused(`${id} is not a session id`);
  if (existsSync(sessionFile(setup.place, id)))
    return refused(`The session ${id} exists already; resume it, or fork it`);
  return open(setup, id);
}

export function resumeSession(setup: OpenSetup, id: string): Opened {
  if (!isSessionId(id) || !existsSync(sessionFile(setup.place, id))) {
    return refused(`No conversation found with session ID: ${id}`);
  }
  return open(setup, id);
}

/** A second life of a session under another id; the first stays as it is. */
export function forkSession(setup: OpenSetup, from: string, id: string): Opened {
  if (!isSessionId(from) || !existsSync(sessionFile(setup.place, from))) {
    return refused(`No conversation found with session ID: ${from}`);
  }
  if (!isSessionId(id)) return refused(`${id} is not a session id`);
  const file = sessionFile(setup.place, id);
  if (existsSync(file)) return refused(`The session ${id} exists already`);
  copyFileSync(sessionFile(setup.place, from), file);
  return open(setup, id);
}

/** The session of this folder that was last written to. */
export function newestSession(place: SessionPlace): string | undefined {
  const folder = projectFolder(place);
  if (!existsSync(folder)) return undefined;
  let newest: { id: string; at: number } | undefined;
  for (const name of readdirSync(folder)) {
    if (!name.endsWith('.jsonl')) continue;
    const at = statSync(path.join(folder, name)).mtimeMs;
    if (!newest || at > newest.at) newest = { id: name.slice(0, -'.jsonl'.length), at };
  }
  return newest?.id;
}

function open(setup: OpenSetup, id: string): Opened {
  const { place, version, durability, now } = setup;
  try {
    const lock = takeLock(sessionFolder(place, id));
    if (!lock.held)
      return refused(`The session ${id} is in use by another process; fork it to go on beside it`);
    const file = sessionFile(place, id);
    const blobs = createBlobs(blobFolder(place), durability === 'power');
    const loaded = existsSync(file) ? loadSession(file, blobs) : undefined;
    const notices = loaded ? mendFile(file, sessionFolder(place, id), loaded) : [];
    const journal = fileJournal({
      path: file,
      descriptor: openSync(file, 'a', 0o600),
      length: loaded?.goodLength ?? 0,
      frame: { sessionId: id, cwd: place.cwd, version },
      blobs,
      durability,
      parentUuid: loaded?.parentUuid ?? null,
      now,
      release: lock.release,
    });
    const projection = loaded?.projection ?? new Projection();
    return {
      ok: true,
      session: { id, journal, projection, snapshot: loaded?.snapshot, spent: loaded?.spent ?? [], notices },
    };
  } catch (thrown) {
    return refused(
      `The session ${id} cannot be opened: ${thrown instanceof Error ? thrown.message : String(thrown)}`,
    );
  }
}

/** A torn last line is set aside and cut off; nothing else of the file is ever changed. */
function mendFile(file: string, aside: string, loaded: LoadedSession): string[] {
  const notices: string[] = [];
  if (loaded.torn.length > 0) {
    mkdirSync(aside, { recursive: true, mode: 0o700 });
    appendFileSync(path.join(aside, 'torn'), Buffer.concat([loaded.torn, Buffer.from('\n')]));
    truncateSync(file, loaded.goodLength);
    notices.push('The last line of the session was never finished; it was set aside.');
  }
  if (loaded.damagedLines > 0) {
    notices.push(
      `${loaded.damagedLines} lines of the session could not be read; the rest goes on without them.`,
    );
  }
  return notices;
}

function refused(message: string): Opened {
  return { ok: false, message };
}
