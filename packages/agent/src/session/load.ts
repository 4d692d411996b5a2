/**
 * Reads a session back. Only what came after the last boundary is read, so the time it takes does not grow with what a
 * compaction has replaced.
 */
import { type Entry, type Message, Projection, type SessionSnapshot } from '@heddle/core';
import { Bill } from './bill.ts';
import type { Blobs } from './blobs.ts';
import { Chain } from './chain.ts';
import { decode } from './decode.ts';
import { BOUNDARY_START, SESSION_START } from './encode.ts';
import { LineFile, wholeLength, wholeLines } from './lines.ts';

export interface LoadedSession {
  readonly projection: Projection;
  readonly snapshot: SessionSnapshot | undefined;
  /** What the whole session has cost, what lies before the boundary included. */
  readonly bill: Bill;
  readonly chain: Chain;
  /** Bytes up to the end of the last whole line. */
  readonly goodLength: number;
  /** What stands behind it: the beginning of a line that was never finished. */
  readonly torn: Buffer;
  /** The torn line lacks nothing but its end. */
  readonly lacksLineEnd: boolean;
  /** Lines since the boundary that could not be read. */
  readonly damagedLines: number;
}

export function loadSession(path: string, blobs: Blobs): LoadedSession {
  const file = new LineFile(path);
  try {
    const start = startOf(file, blobs);
    const bytes = file.read(start, file.size);
    const length = wholeLength(bytes);
    const torn = bytes.subarray(length);
    const reader = new Reader(blobs);
    for (const line of wholeLines(bytes)) reader.take(line);
    const lacksLineEnd = torn.length > 0 && reader.takeIfWhole(torn.toString('utf8'));
    const { projection, bill, chain, damagedLines } = reader;
    return {
      projection,
      bill,
      chain,
      damagedLines,
      snapshot: reader.snapshot ?? earlierSnapshot(file, start, blobs),
      goodLength: start + length,
      torn,
      lacksLineEnd,
    };
  } finally {
    file.close();
  }
}

/** The last boundary that can be read; the beginning of the file where there is none. */
function startOf(file: LineFile, blobs: Blobs): number {
  let boundary = file.findLast(BOUNDARY_START, file.size);
  while (boundary !== undefined && decode(file.lineAt(boundary), blobs).kind === 'damaged') {
    boundary = file.findLast(BOUNDARY_START, boundary);
  }
  return boundary ?? 0;
}

/** It is the first line, but in a conversation that another tool began. */
function earlierSnapshot(file: LineFile, end: number, blobs: Blobs): SessionSnapshot | undefined {
  if (end === 0) return undefined;
  const first = snapshotIn(file.lineAt(0), blobs);
  if (first) return first;
  const line = file.findLast(SESSION_START, end);
  return line === undefined ? undefined : snapshotIn(file.lineAt(line), blobs);
}

function snapshotIn(line: string, blobs: Blobs): SessionSnapshot | undefined {
  const decoded = decode(line, blobs);
  return decoded.kind === 'entry' && decoded.entry.type === 'session' ? decoded.entry.snapshot : undefined;
}

class Reader {
  readonly projection = new Projection();
  readonly #blobs: Blobs;
  snapshot: SessionSnapshot | undefined;
  bill = new Bill();
  chain = new Chain();
  damagedLines = 0;

  constructor(blobs: Blobs) {
    this.#blobs = blobs;
  }

  take(line: string): void {
    const decoded = decode(line, this.#blobs);
    if (decoded.kind === 'damaged') this.damagedLines++;
    if (decoded.kind !== 'entry') return;
    const { entry, boundary } = decoded;
    if (boundary) {
      this.chain = new Chain(boundary.parentUuid);
      this.bill = boundary.bill;
    }
    this.projection.apply(entry);
    this.chain.follow(entry);
    this.bill.note(entry);
    if (entry.type === 'session') this.snapshot = entry.snapshot;
  }

  takeIfWhole(line: string): boolean {
    if (decode(line, this.#blobs).kind === 'damaged') return false;
    this.take(line);
    return true;
  }
}

/** The conversation as it was when this message had been stored, wherever in the file it stands; undefined: there is none. */
export function historyUpTo(path: string, uuid: string, blobs: Blobs): readonly Message[] | undefined {
  const file = new LineFile(path);
  try {
    const projection = new Projection();
    let history: readonly Message[] | undefined;
    for (const line of wholeLines(file.read(0, file.size))) {
      const decoded = decode(line, blobs);
      if (decoded.kind !== 'entry') continue;
      projection.apply(decoded.entry);
      if (messageUuid(decoded.entry) === uuid) history = [...projection.messages];
      if (decoded.entry.type === 'tombstone' && decoded.entry.uuids.includes(uuid)) history = undefined;
    }
    return history;
  } finally {
    file.close();
  }
}

function messageUuid(entry: Entry): string | undefined {
  return 'message' in entry && typeof entry.message === 'object' ? entry.message.uuid : undefined;
}
