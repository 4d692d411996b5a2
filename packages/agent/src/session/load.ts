/**
 * Reads a session back. Only what came after the last boundary is read in full, so the time it takes does not grow with
 * what a compaction has replaced.
 */
import { readFileSync } from 'node:fs';
import { type Entry, Projection, type SessionSnapshot } from '@heddle/core';
import { type Blobs, restoreTexts } from './blobs.ts';
import { BOUNDARY_START, conversationUuid, decode } from './codec.ts';

export interface LoadedSession {
  readonly projection: Projection;
  readonly snapshot: SessionSnapshot | undefined;
  /** Usage by model, over the whole session, for the bill. */
  readonly spent: readonly Extract<Entry, { type: 'answer' | 'spent' }>[];
  /** The last message, which the next one names as its parent. */
  readonly parentUuid: string | null;
  /** Bytes up to the end of the last whole line. */
  readonly goodLength: number;
  /** What stands behind it: the beginning of a line that was never finished. */
  readonly torn: Buffer;
  /** Lines before the last that could not be read. */
  readonly damagedLines: number;
}

export function loadSession(file: string, blobs: Blobs): LoadedSession {
  const bytes = readFileSync(file);
  const goodLength = bytes.lastIndexOf(0x0a) + 1;
  const whole = bytes.subarray(0, goodLength);
  const projection = new Projection();
  const spent: Extract<Entry, { type: 'answer' | 'spent' }>[] = [];
  let snapshot: SessionSnapshot | undefined;
  let parentUuid: string | null = null;
  let damagedLines = 0;
  for (const line of linesSinceBoundary(whole)) {
    const decoded = decode(line);
    if (decoded.kind === 'damaged') damagedLines++;
    if (decoded.kind !== 'entry') continue;
    const entry = restored(decoded.entry, blobs);
    projection.apply(entry);
    if (entry.type === 'session') snapshot = entry.snapshot;
    if (entry.type === 'answer' || entry.type === 'spent') spent.push(entry);
    parentUuid = conversationUuid(entry) ?? parentUuid;
  }
  const last = projection.messages.last();
  return {
    projection,
    snapshot,
    spent,
    parentUuid: last?.uuid ?? parentUuid,
    goodLength,
    torn: bytes.subarray(goodLength),
    damagedLines,
  };
}

/** The first line, which holds the snapshot, and everything from the last boundary on. */
function* linesSinceBoundary(whole: Buffer): Generator<string> {
  const boundary = whole.lastIndexOf(`\n${BOUNDARY_START}`) + 1;
  if (boundary > 0) {
    const firstEnd = whole.indexOf(0x0a);
    if (firstEnd > 0 && firstEnd < boundary) yield whole.toString('utf8', 0, firstEnd);
  }
  let start = boundary;
  while (start < whole.length) {
    const end = whole.indexOf(0x0a, start);
    if (end < 0) return;
    if (end > start) yield whole.toString('utf8', start, end);
    start = end + 1;
  }
}

/** Texts that the model sees are put back; a tool's structured output stays a reference until somebody asks. */
function restored(entry: Entry, blobs: Blobs): Entry {
  switch (entry.type) {
    case 'user': {
      const content = restoreTexts(entry.message.content, blobs);
      return { ...entry, message: { ...entry.message, content } } as Entry;
    }
    case 'assistant': {
      const content = restoreTexts(entry.message.content, blobs);
      return { ...entry, message: { ...entry.message, content } } as Entry;
    }
    case 'attachment':
    case 'context':
    case 'session':
    case 'intent':
      return restoreTexts(entry, blobs) as Entry;
    default:
      return entry;
  }
}
