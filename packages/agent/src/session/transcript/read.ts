/** The whole conversation of a session as it stands, what compactions replaced included. */
import type { Entry, Message } from '@heddle/core';
import { decodedLines } from '../codec/read.ts';
import { createBlobs } from '../files/blobs.ts';
import { blobsBeside } from '../files/session-files.ts';

export type TranscriptItem =
  | { readonly kind: 'message'; readonly message: Message }
  /** From here on the model saw a hand-over in place of what came before. */
  | { readonly kind: 'compaction'; readonly at: number; readonly handOver: readonly Message[] };

export interface Transcript {
  readonly items: readonly TranscriptItem[];
  /** Lines that could not be read. */
  readonly damagedLines: number;
}

/** Throws where the file cannot be read at all. */
export function readTranscript(path: string): Transcript {
  const reader = new Reader();
  for (const decoded of decodedLines(path, createBlobs(blobsBeside(path), false))) {
    if (decoded.kind === 'entry') reader.take(decoded.entry);
    if (decoded.kind === 'damaged') reader.damagedLines++;
  }
  return { items: reader.items, damagedLines: reader.damagedLines };
}

class Reader {
  items: TranscriptItem[] = [];
  damagedLines = 0;

  take(entry: Entry): void {
    switch (entry.type) {
      case 'user':
      case 'assistant':
      case 'system':
      case 'attachment':
        this.items.push({ kind: 'message', message: entry.message });
        return;
      case 'tombstone': {
        const gone = new Set(entry.uuids);
        this.items = this.items.filter((item) => item.kind !== 'message' || !gone.has(item.message.uuid));
        return;
      }
      case 'rewind': {
        const to = this.items.findLastIndex(
          (item) => item.kind === 'message' && item.message.uuid === entry.to,
        );
        if (to >= 0) this.items.length = to + 1;
        if (entry.messages) this.#forgetCompactions(entry.messages);
        return;
      }
      case 'context': {
        if (!entry.messages) return;
        const known = new Set(this.items.map((item) => (item.kind === 'message' ? item.message.uuid : '')));
        const handOver = entry.messages.filter(({ uuid }) => !known.has(uuid));
        this.items.push({ kind: 'compaction', at: entry.at, handOver });
        return;
      }
      default:
        return;
    }
  }

  /** A compaction whose hand-over is not in the history that was put back has been taken back with it. */
  #forgetCompactions(history: readonly Message[]): void {
    const kept = new Set(history.map(({ uuid }) => uuid));
    this.items = this.items.filter(
      (item) => item.kind === 'message' || item.handOver.some(({ uuid }) => kept.has(uuid)),
    );
  }
}
