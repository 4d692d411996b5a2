/** `--session-mirror`: the stored lines of a session, for a host that keeps a copy of its own. */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { parseHostLine } from '../host/json.ts';

const LINE_FEED = 0x0a;

/** Reads the lines that were added to a file since the last call. */
export class TranscriptMirror {
  readonly #file: string;
  #offset = 0;

  constructor(file: string) {
    this.#file = file;
  }

  /** Returns the message with all new lines. Undefined if there are none, or the file does not exist yet. */
  next(): object | undefined {
    const entries = this.#read()
      .split('\n')
      .flatMap((line) => parseHostLine(line) ?? []);
    return entries.length === 0 ? undefined : { type: 'transcript_mirror', filePath: this.#file, entries };
  }

  /** An incomplete line stays for the next call. */
  #read(): string {
    try {
      const descriptor = openSync(this.#file, 'r');
      try {
        const bytes = Buffer.alloc(fstatSync(descriptor).size - this.#offset);
        readSync(descriptor, bytes, 0, bytes.length, this.#offset);
        const whole = bytes.subarray(0, bytes.lastIndexOf(LINE_FEED) + 1);
        this.#offset += whole.length;
        return whole.toString('utf8');
      } finally {
        closeSync(descriptor);
      }
    } catch {
      return '';
    }
  }
}
