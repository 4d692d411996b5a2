/** The journal as a file of JSON lines. Writes are synchronous: they are complete before the generator continues. */
import { closeSync, fdatasyncSync, ftruncateSync } from 'node:fs';
import { StoredCosts } from '../../cost/stored-costs.ts';
import { type Blobs, LINE_LIMIT } from '../files/blobs.ts';
import { type Durability, type EntryChain, type Journal, JournalError, PowerPolicy } from './journal.ts';
import { encodeEntry, type EntryFrame, type BoundaryState } from '../codec/encode.ts';
import { storageErrorReason, writeAll } from '../files/write.ts';

export interface FileJournalSetup {
  readonly path: string;
  /** Opened for appending. */
  readonly descriptor: number;
  /** The number of bytes in the file, all of them whole lines. */
  readonly length: number;
  readonly frame: EntryFrame;
  readonly blobs: Blobs;
  readonly durability: Durability;
  readonly chain: EntryChain;
  readonly bill: StoredCosts;
  /** The current state of the conversation. The caller that appends keeps it up to date. */
  readonly standing: BoundaryState;
  readonly now: () => number;
  readonly release: () => void;
}

export function fileJournal(setup: FileJournalSetup): Journal {
  const { descriptor, frame, blobs, chain, durability } = setup;
  const bill = new StoredCosts(setup.bill);
  const power = new PowerPolicy();
  let length = setup.length;
  /** The end of the file may contain a partial line after a failed write. */
  let torn = false;
  let closed = false;

  return {
    sessionId: frame.sessionId,
    path: setup.path,
    append(body) {
      try {
        // A line after a partial line would be unreadable, so the partial line is removed first.
        if (torn) ftruncateSync(descriptor, length);
        const before = { parentUuid: chain.parent, bill, standing: setup.standing };
        const line = encodeEntry({ ...body, at: setup.now() }, frame, before);
        const bytes = Buffer.from(`${textOf(line, blobs)}\n`);
        torn = true;
        writeAll(descriptor, bytes);
        if (power.mustSync(body) && durability === 'power') fdatasyncSync(descriptor);
        torn = false;
        length += bytes.length;
      } catch (thrown) {
        if (torn) torn = !cutBack(descriptor, length);
        throw new JournalError(`The session could not be stored: ${storageErrorReason(thrown)}`);
      }
      chain.follow(body);
      bill.note(body);
    },
    close() {
      if (closed) return;
      closed = true;
      closeSync(descriptor);
      setup.release();
    },
  };
}

/** Moves long texts out of a line that is too long, and marks the line. */
function textOf(line: object, blobs: Blobs): string {
  const text = JSON.stringify(line);
  if (text.length <= LINE_LIMIT) return text;
  return JSON.stringify({ ...blobs.store(line), storedApart: true });
}

function cutBack(descriptor: number, length: number): boolean {
  try {
    ftruncateSync(descriptor, length);
    return true;
  } catch {
    // The truncation is retried before the next line. The next reader of the session also removes the partial line.
    return false;
  }
}
