/** A file of lines, read from its end: however long it is, only what is wanted is read. */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

const CHUNK = 1024 * 1024;
const NEW_LINE = 0x0a;

export class LineFile {
  /** In bytes, when it was opened. */
  readonly size: number;
  readonly #descriptor: number;

  constructor(file: string) {
    this.#descriptor = openSync(file, 'r');
    this.size = fstatSync(this.#descriptor).size;
  }

  close(): void {
    closeSync(this.#descriptor);
  }

  read(start: number, end: number): Buffer {
    const bytes = Buffer.allocUnsafe(Math.max(0, end - start));
    let filled = 0;
    while (filled < bytes.length) {
      const count = readSync(this.#descriptor, bytes, filled, bytes.length - filled, start + filled);
      // Somebody cut the file while it was read.
      if (count === 0) break;
      filled += count;
    }
    return bytes.subarray(0, filled);
  }

  /** Where the last line before `end` starts that begins like this. The beginning must be ASCII. */
  findLast(beginning: string, end: number): number | undefined {
    const wanted = Buffer.from(`\n${beginning}`);
    for (let stop = end; stop > 0; ) {
      const start = Math.max(0, stop - CHUNK);
      // A match may begin in this chunk and end in the one behind it.
      const at = this.read(start, Math.min(end, stop + wanted.length - 1)).lastIndexOf(wanted);
      if (at >= 0) return start + at + 1;
      stop = start;
    }
    return this.read(0, beginning.length).equals(wanted.subarray(1)) && end > 0 ? 0 : undefined;
  }

  /** The whole line that starts here, without its end. */
  lineAt(start: number): string {
    let size = CHUNK;
    while (true) {
      const bytes = this.read(start, Math.min(this.size, start + size));
      const end = bytes.indexOf(NEW_LINE);
      if (end >= 0) return bytes.toString('utf8', 0, end);
      if (start + size >= this.size) return bytes.toString('utf8');
      size *= 2;
    }
  }
}

/** The whole lines in some bytes that begin with one. Empty ones are left out. */
export function* wholeLines(bytes: Buffer): Generator<string> {
  let start = 0;
  for (let end = bytes.indexOf(NEW_LINE); end >= 0; end = bytes.indexOf(NEW_LINE, start)) {
    if (end > start) yield bytes.toString('utf8', start, end);
    start = end + 1;
  }
}

/** How many bytes belong to whole lines. */
export function wholeLength(bytes: Buffer): number {
  return bytes.lastIndexOf(NEW_LINE) + 1;
}
