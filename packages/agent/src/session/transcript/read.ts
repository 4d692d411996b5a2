/** The whole conversation of a session as it stands, what compactions replaced included. */
import type { Entry, Message } from '@heddle/core';
import { decode } from '../codec/decode.ts';
import { createBlobs } from '../files/blobs.ts';
import { LineFile, wholeLines } from '../files/lines.ts';
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
  const blobs = createBlobs(blobsBeside(path), false);
  const file = new LineFile(path);
  try {
    const reader = new Reader();
    for (const line of wholeLines(file.read(0, file.size))) {
      const decoded = decode(line, blobs);
      if (decoded.kind === 'entry') reader.take(decoded.entry);
      if (decoded.kind === 'damaged') reader.damagedLines++;
    }
    return { items: reader.items, damagedLines: reader.damagedLines };
  } finally {
    file.close();
  }
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
}
