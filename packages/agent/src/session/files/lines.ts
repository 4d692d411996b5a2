/** Reads a file of lines from its end. Only the needed part is read, however long the file is. */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

const CHUNK = 1024 * 1024;
const NEW_LINE = 0x0a;

export class LineFile {
  /** The number of bytes when it was opened. */
  readonly size: number;
  readonly #descriptor: number;

  constructor(file: string) {
    this.#descriptor = openSync(file, 'r');
    this.size = fstatSync(this.#descriptor).size;
  }

  close(): void {
    closeSync(this.#descriptor);
  }

  /** `into`: memory for the bytes, if it is large enough. A long file is read in parts without new memory for each. */
  read(start: number, end: number, into?: Buffer): Buffer {
    const length = Math.max(0, end - start);
    const bytes = into && into.length >= length ? into.subarray(0, length) : Buffer.allocUnsafe(length);
    let filled = 0;
    while (filled < bytes.length) {
      const count = readSync(this.#descriptor, bytes, filled, bytes.length - filled, start + filled);
      // Another process truncated the file during the read.
      if (count === 0) break;
      filled += count;
    }
    return bytes.subarray(0, filled);
  }

  /**
   * Returns everything from the last accepted line with this beginning, or the whole file if there is none. Reads from
   * the end, and each byte once. The beginning must be ASCII.
   */
  readSince(beginning: string, accept: (line: string) => boolean): { start: number; bytes: Buffer } {
    const wanted = Buffer.from(`\n${beginning}`);
    const chunks: Buffer[] = [];
    for (let stop = this.size; stop > 0; ) {
      const start = Math.max(0, stop - CHUNK);
      const chunk = this.read(start, stop);
      const behind = chunks[0];
      chunks.unshift(chunk);
      for (const at of placesOf(wanted, chunk, behind)) {
        const bytes = Buffer.concat(chunks).subarray(at + 1);
        if (accept(firstLine(bytes))) return { start: start + at + 1, bytes };
      }
      stop = start;
    }
    return { start: 0, bytes: Buffer.concat(chunks) };
  }

  /** Returns the last line before `end` with this beginning. */
  findLast(beginning: string, end: number): string | undefined {
    const bytes = this.read(0, end);
    const at = bytes.lastIndexOf(`\n${beginning}`);
    if (at >= 0) return firstLine(bytes.subarray(at + 1));
    return bytes.toString('latin1', 0, beginning.length) === beginning ? firstLine(bytes) : undefined;
  }

  firstLine(): string {
    for (let size = CHUNK; ; size *= 2) {
      const bytes = this.read(0, Math.min(this.size, size));
      if (bytes.includes(NEW_LINE) || size >= this.size) return firstLine(bytes);
    }
  }
}

/** Yields the positions of a text in a chunk, last one first. Its end may be in the next chunk. */
function* placesOf(wanted: Buffer, chunk: Buffer, behind: Buffer | undefined): Generator<number> {
  const overhang = wanted.length - 1;
  if (behind) {
    const edge = Math.max(0, chunk.length - overhang);
    const seam = Buffer.concat([chunk.subarray(edge), behind.subarray(0, overhang)]);
    const at = seam.lastIndexOf(wanted);
    if (at >= 0) yield edge + at;
  }
  for (let at = chunk.lastIndexOf(wanted); at >= 0; at = at === 0 ? -1 : chunk.lastIndexOf(wanted, at - 1))
    yield at;
}

function firstLine(bytes: Buffer): string {
  const end = bytes.indexOf(NEW_LINE);
  return bytes.toString('utf8', 0, end < 0 ? bytes.length : end);
}

/** Yields the whole lines of some bytes that begin with a line. Leaves out empty and unwanted lines. */
export function* wholeLines(bytes: Buffer, isUnwanted?: Unwanted): Generator<string> {
  let start = 0;
  for (let end = bytes.indexOf(NEW_LINE); end >= 0; end = bytes.indexOf(NEW_LINE, start)) {
    if (end > start && !isUnwanted?.(bytes, start, end)) yield bytes.toString('utf8', start, end);
    start = end + 1;
  }
}

/** Checks the bytes of a line before they are decoded. */
export type Unwanted = (bytes: Buffer, start: number, end: number) => boolean;

/** Returns the number of bytes that belong to whole lines. */
export function wholeLength(bytes: Buffer): number {
  return bytes.lastIndexOf(NEW_LINE) + 1;
}

const LARGE_CHUNK = 8 * 1024 * 1024;

/** Yields a file in overlapping chunks. No text up to the overlap is split. */
export function* overlappingChunks(path: string, overlap: number): Generator<Buffer> {
  const file = new LineFile(path);
  try {
    for (let start = 0; start < file.size; start += LARGE_CHUNK)
      yield file.read(start, Math.min(file.size, start + LARGE_CHUNK + overlap));
  } finally {
    file.close();
  }
}
