/** Loads a session. Only lines after the last boundary are read, so a compacted history does not make it slower. */
import { type Entry, LastRun, type Message, Projection, type SessionSnapshot } from '@heddle/core';
import { appendFileSync, existsSync, mkdirSync, truncateSync } from 'node:fs';
import path from 'node:path';
import { StoredCosts } from '../../cost/stored-costs.ts';
import { decodeEntry, type Decoded } from '../codec/decode.ts';
import { BOUNDARY_START, END_START, SESSION_START } from '../codec/encode.ts';
import { conversationLines, decodedLines, decodeLine, isFromAnotherTool } from '../codec/read-lines.ts';
import { type Blobs, createBlobs } from '../files/blobs.ts';
import { LineFile, type Unwanted, wholeLength, wholeLines } from '../files/lines.ts';
import { blobsBeside } from '../files/session-files.ts';
import { EntryChain } from '../journal/journal.ts';

interface LoadedSession {
  readonly projection: Projection;
  readonly snapshot: SessionSnapshot | undefined;
  /** The costs of the whole session, including those before the boundary. */
  readonly bill: StoredCosts;
  readonly chain: EntryChain;
  /** The number of bytes up to the end of the last whole line. */
  readonly goodLength: number;
  /** The bytes after it: an unfinished line. */
  readonly torn: Buffer;
  /** The unfinished line lacks only its line end. */
  readonly lacksLineEnd: boolean;
  /** The number of damaged lines since the boundary. */
  readonly damagedLines: number;
  /** The last prompt has no end. Undefined: the prompt or its end is before the boundary. */
  readonly isLastPromptOpen: boolean | undefined;
}

export function loadSession(path: string, blobs: Blobs): LoadedSession {
  const file = new LineFile(path);
  try {
    const isReadable = (line: string): boolean => decodeEntry(line, blobs).kind !== 'damaged';
    const { start, bytes } = file.readSince(BOUNDARY_START, isReadable);
    const length = wholeLength(bytes);
    const torn = bytes.subarray(length);
    const reader = new SessionReader(blobs);
    const isTree = start === 0 && isFromAnotherTool(bytes);
    const lines = isTree ? conversationLines([...wholeLines(bytes)]) : wholeLines(bytes, tellsNothing(bytes));
    for (const line of lines) reader.take(line);
    const lacksLineEnd = torn.length > 0 && reader.takeIfWhole(torn.toString('utf8'));
    const { projection, bill, chain, damagedLines } = reader;
    return {
      projection,
      bill,
      chain,
      damagedLines,
      isLastPromptOpen: reader.run.isOpen,
      snapshot: reader.snapshot ?? earlierSnapshot(file, start, blobs),
      goodLength: start + length,
      torn,
      lacksLineEnd,
    };
  } finally {
    file.close();
  }
}

/**
 * Skips lines that loading does not need, without parsing them. Outcomes and transitions are never needed. Intents and
 * costs are not needed before the last end line, which completes them.
 */
function tellsNothing(whole: Buffer): Unwanted {
  const end = whole.lastIndexOf(`\n${END_START}`) + 1;
  const settles = end > 0 && isSettled(whole.toString('utf8', end, whole.indexOf(0x0a, end)));
  // Its usage is the first token count of the resumed conversation.
  const lastAnswer = whole.lastIndexOf(`\n${ANSWER_START}`) + 1;
  return (bytes, start, stop) => {
    if (bytes === whole && start === lastAnswer) return false;
    const kinds = settles && start < end ? SETTLED : NEVER_NEEDED;
    if (!kinds.test(bytes.toString('latin1', start, start + KIND_LENGTH))) return false;
    // A partial line that was joined with the next one must be detected.
    const another = bytes.indexOf('{"type":"', start + 1);
    return another < 0 || another > stop;
  };
}

const ANSWER_START = '{"type":"answer",';
const NEVER_NEEDED = /^\{"type":"(?:outcome|transition)",/;
const SETTLED = /^\{"type":"(?:outcome|transition|answer|spent|intent)",/;
const KIND_LENGTH = 24;

function isSettled(end: string): boolean {
  const decoded = decodeEntry(end);
  return decoded.kind === 'entry' && decoded.before !== undefined;
}

/** Returns the snapshot at the start of a session file. Undefined if there is none. Reads one line. */
export function storedSnapshot(path: string): SessionSnapshot | undefined {
  if (!existsSync(path)) return undefined;
  const file = new LineFile(path);
  try {
    return snapshotIn(file.firstLine(), createBlobs(blobsBeside(path), false));
  } finally {
    file.close();
  }
}

/** It is the first line, except in a conversation that another tool began. */
function earlierSnapshot(file: LineFile, end: number, blobs: Blobs): SessionSnapshot | undefined {
  if (end === 0) return undefined;
  const first = snapshotIn(file.firstLine(), blobs);
  if (first) return first;
  const line = file.findLast(SESSION_START, end);
  return line === undefined ? undefined : snapshotIn(line, blobs);
}

function snapshotIn(line: string, blobs: Blobs): SessionSnapshot | undefined {
  const decoded = decodeEntry(line, blobs);
  return decoded.kind === 'entry' && decoded.entry.type === 'session' ? decoded.entry.snapshot : undefined;
}

/** Reads the lines of a session in order, and keeps the conversation up to date. */
export class SessionReader {
  readonly projection = new Projection();
  readonly #blobs: Blobs | undefined;
  snapshot: SessionSnapshot | undefined;
  bill = new StoredCosts();
  chain = new EntryChain();
  damagedLines = 0;
  readonly run = new LastRun();

  /** Without `blobs`, every line contains its texts. */
  constructor(blobs?: Blobs) {
    this.#blobs = blobs;
  }

  take(line: string): void {
    for (const decoded of decodeLine(line, this.#blobs)) this.#takeDecoded(decoded);
  }

  #takeDecoded(decoded: Decoded): void {
    if (decoded.kind === 'damaged') this.damagedLines++;
    if (decoded.kind !== 'entry') return;
    const { entry, before } = decoded;
    if (before) this.bill = before.bill;
    if (before?.parentUuid !== undefined) this.chain = new EntryChain(before.parentUuid);
    this.projection.apply(entry);
    const { sessionState: stance, refused, queued } = before?.standing ?? {};
    if (stance) this.projection.apply({ type: 'stance', stance });
    if (refused) this.projection.apply({ type: 'refused', blocks: [...refused] });
    for (const prompt of queued?.values() ?? []) this.projection.apply(prompt);
    this.chain.follow(entry);
    this.bill.note(entry);
    this.run.take(entry);
    if (entry.type === 'session') this.snapshot = entry.snapshot;
  }

  takeIfWhole(line: string): boolean {
    if (decodeEntry(line, this.#blobs).kind === 'damaged') return false;
    this.take(line);
    return true;
  }
}

/** Reads every entry of a session, also those before a boundary. */
export function* storedEntries(path: string, blobs: Blobs): Generator<Entry> {
  for (const decoded of decodedLines(path, blobs)) if (decoded.kind === 'entry') yield decoded.entry;
}

/**
 * Returns the conversation right after this message was stored, at any position of the file. Undefined if there is no
 * such message.
 */
export function historyUpTo(path: string, uuid: string, blobs: Blobs): readonly Message[] | undefined {
  const projection = new Projection();
  let history: readonly Message[] | undefined;
  for (const entry of storedEntries(path, blobs)) {
    projection.apply(entry);
    if (messageUuid(entry) === uuid) history = [...projection.messages];
    if (entry.type === 'tombstone' && entry.uuids.includes(uuid)) history = undefined;
  }
  return history;
}

function messageUuid(entry: Entry): string | undefined {
  return 'message' in entry && typeof entry.message === 'object' ? entry.message.uuid : undefined;
}

interface RepairedEnd {
  /** The number of bytes, all of them whole lines. */
  readonly length: number;
  readonly notices: readonly string[];
}

/** Moves a torn last line to another file. The rest of the file never changes. */
export function repairTornEnd(file: string, aside: string, loaded: LoadedSession): RepairedEnd {
  const { torn, goodLength, lacksLineEnd } = loaded;
  if (torn.length === 0) return { length: goodLength, notices: [] };
  if (lacksLineEnd) {
    appendFileSync(file, '\n');
    return { length: goodLength + torn.length + 1, notices: [] };
  }
  mkdirSync(aside, { recursive: true, mode: 0o700 });
  appendFileSync(path.join(aside, 'torn'), Buffer.concat([torn, Buffer.from('\n')]), { mode: 0o600 });
  truncateSync(file, goodLength);
  return {
    length: goodLength,
    notices: ['The last line of the session was never finished; it was set aside.'],
  };
}
