/** The journal as a file of JSON lines. Writes are synchronous: they are complete before the generator takes its next step. */
import { closeSync, fdatasyncSync, ftruncateSync, writeSync } from 'node:fs';
import type { EntryBody } from '@heddle/core';
import { type Blobs, LINE_LIMIT } from './blobs.ts';
import { conversationUuid, encode, type Frame } from './codec.ts';
import { type Journal, JournalError } from './journal.ts';

/** `process`: survives the death of the process. `power`: what must not be lost also survives the machine's. */
export type Durability = 'process' | 'power';

export interface FileJournalSetup {
  readonly path: string;
  readonly descriptor: number;
  /** Bytes already in the file. */
  readonly length: number;
  readonly frame: Frame;
  readonly blobs: Blobs;
  readonly durability: Durability;
  /** The last message of the conversation so far. */
  readonly parentUuid: string | null;
  readonly now: () => number;
  readonly release: () => void;
}

export function fileJournal(setup: FileJournalSetup): Journal {
  const { descriptor, frame, blobs } = setup;
  const chain = new Chain(setup.parentUuid);
  let length = setup.length;
  let closed = false;

  return {
    sessionId: frame.sessionId,
    path: setup.path,
    append(body) {
      const entry = { ...body, at: setup.now() };
      try {
        const bytes = Buffer.from(`${lineOf(encode(entry, frame, chain.parent), blobs)}\n`);
        writeAll(descriptor, bytes);
        if (setup.durability === 'power' && mustSurvivePower(body)) fdatasyncSync(descriptor);
        length += bytes.length;
      } catch (thrown) {
        // Whatever part of the line was written must not stand before the next one.
        cutBack(descriptor, length);
        throw new JournalError(
          `The session could not be stored: ${thrown instanceof Error ? thrown.message : String(thrown)}`,
        );
      }
      chain.follow(body, conversationUuid(entry));
    },
    close() {
      if (closed) return;
      closed = true;
      closeSync(descriptor);
      setup.release();
    },
  };
}

/** The chain leaves out what was taken back, so that following parents gives the conversation. */
class Chain {
  #uuids: string[];

  constructor(parent: string | null) {
    this.#uuids = parent === null ? [] : [parent];
  }

  get parent(): string | null {
    return this.#uuids.at(-1) ?? null;
  }

  follow(body: EntryBody, uuid: string | undefined): void {
    if (uuid !== undefined) this.#uuids.push(uuid);
    if (body.type === 'tombstone') {
      const gone = new Set(body.uuids);
      this.#uuids = this.#uuids.filter((known) => !gone.has(known));
    }
  }
}

function lineOf(line: object, blobs: Blobs): string {
  const text = JSON.stringify(line);
  return text.length <= LINE_LIMIT ? text : JSON.stringify(blobs.store(line));
}

/** User input, effects and their outcomes, approvals and the end: what nobody can work out again. */
function mustSurvivePower(body: EntryBody): boolean {
  switch (body.type) {
    case 'user':
    case 'ask_answer':
    case 'end':
      return true;
    case 'intent':
      return body.effect !== 'read_only';
    default:
      return false;
  }
}

function writeAll(descriptor: number, bytes: Buffer): void {
  let written = 0;
  while (written < bytes.length) written += writeSync(descriptor, bytes, written);
}

function cutBack(descriptor: number, length: number): void {
  try {
    ftruncateSync(descriptor, length);
  } catch {
    // The torn line is cut off when the session is next read.
  }
}
