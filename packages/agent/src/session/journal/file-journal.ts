/** The journal as a file of JSON lines. Writes are synchronous: they are complete before the generator takes its next step. */
import { closeSync, fdatasyncSync, ftruncateSync } from 'node:fs';
import { StoredCosts } from '../../cost/stored-costs.ts';
import { type Blobs, LINE_LIMIT } from '../files/blobs.ts';
import { type Durability, type EntryChain, type Journal, JournalError, PowerPolicy } from './journal.ts';
import { encode, type EntryFrame, type BoundaryState } from '../codec/encode.ts';
import { storageErrorReason, writeAll } from '../files/write.ts';

export interface FileJournalSetup {
  readonly path: string;
  /** Opened for appending. */
  readonly descriptor: number;
  /** Bytes already in the file, all of them whole lines. */
  readonly length: number;
  readonly frame: EntryFrame;
  readonly blobs: Blobs;
  readonly durability: Durability;
  readonly chain: EntryChain;
  readonly bill: StoredCosts;
  /** What is known of the conversation, kept up by whoever appends. */
  readonly standing: BoundaryState;
  readonly now: () => number;
  readonly release: () => void;
}

export function fileJournal(setup: FileJournalSetup): Journal {
  const { descriptor, frame, blobs, chain, durability } = setup;
  const bill = new StoredCosts(setup.bill);
  const power = new PowerPolicy();
  let length = setup.length;
  /** The beginning of a line that failed may stand at the end of the file. */
  let torn = false;
  let closed = false;

  return {
    sessionId: frame.sessionId,
    path: setup.path,
    append(body) {
      try {
        // Nothing may be written behind half a line: the two would be one line that nobody can read.
        if (torn) ftruncateSync(descriptor, length);
        const before = { parentUuid: chain.parent, bill, standing: setup.standing };
        const line = encode({ ...body, at: setup.now() }, frame, before);
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

/** A line that is too long gives up its long texts, and says so. */
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
    // Tried again before the next line; and whoever next reads the session cuts it off.
    return false;
  }
}
