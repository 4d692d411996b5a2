/**
 * Stores the output of a command: its beginning and end in memory, and the whole in a file if it is
 * larger.
 */
import { type FileHandle, open, rm } from 'node:fs/promises';
import { errorMessage } from '@heddle/core';

export interface OutputView {
  readonly head: string;
  /** Empty if the head is everything. */
  readonly tail: string;
  /** Bytes between the two. */
  readonly omitted: number;
  readonly bytes: number;
  /** The file with the whole output, if it is not all shown. */
  readonly file: string | undefined;
  /** The reason why the file is incomplete. */
  readonly fileProblem: string | undefined;
}

export class TaskOutputFile {
  readonly #path: string;
  readonly #keep: number;
  #head: Buffer = Buffer.alloc(0);
  readonly #tail: LastBytes;
  #bytes = 0;
  #file: FileHandle | undefined;
  /** The sequence of writes to the file. Undefined while everything fits into memory. */
  #writing: Promise<void> | undefined;
  #isClosed = false;
  #problem: string | undefined;
  /** The newest bytes, for progress reports. */
  readonly #unseen = new LastBytes(WATCHED_BYTES);

  /** `keep`: bytes of each end that stay in memory. */
  constructor(path: string, keep: number) {
    this.#path = path;
    this.#keep = keep;
    this.#tail = new LastBytes(keep);
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Contract: the chunk's memory may be reused after this has returned, or its promise has resolved. */
  add(chunk: Buffer): Promise<void> | undefined {
    if (this.#writing === undefined && this.#bytes + chunk.length > 2 * this.#keep) this.#spill();
    this.#bytes += chunk.length;
    const room = this.#keep - this.#head.length;
    const first = chunk.subarray(0, Math.max(room, 0));
    if (first.length > 0) this.#head = Buffer.concat([this.#head, first]);
    this.#tail.add(chunk.subarray(first.length));
    this.#unseen.add(chunk);
    this.#writing &&= this.#writing.then(() => this.#write(chunk));
    return this.#writing;
  }

  /**
   * From now on the file contains everything, even a small output. For output that is read while it grows.
   */
  async keepWhole(): Promise<string> {
    if (this.#writing === undefined) this.#spill();
    await this.#writing;
    return this.#path;
  }

  /** Returns the output since the last call, or its end. */
  takeNew(): string {
    const text = decode(this.#unseen.bytes);
    this.#unseen.clear();
    return text;
  }

  /** The unfinished line at the end. */
  get lastLine(): string {
    const text = decode(lastOf(Buffer.concat([this.#head, this.#tail.bytes]), WATCHED_BYTES));
    return text.slice(text.lastIndexOf('\n') + 1);
  }

  view(): OutputView {
    const tail = this.#tail.bytes;
    const omitted = this.#bytes - this.#head.length - tail.length;
    const shared = {
      bytes: this.#bytes,
      omitted,
      file: this.#writing && this.#path,
      fileProblem: this.#problem,
    };
    // Joined before decoding, so that a character at the boundary stays whole.
    if (omitted === 0) return { ...shared, head: decode(Buffer.concat([this.#head, tail])), tail: '' };
    return { ...shared, head: decode(this.#head), tail: decode(tail) };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#writing;
    await this.#closeFile();
  }

  async remove(): Promise<void> {
    await rm(this.#path, { force: true });
  }

  /** Everything so far is still in memory: head and tail are adjacent. */
  #spill(): void {
    this.#writing = this.#open(Buffer.concat([this.#head, this.#tail.bytes]));
  }

  async #open(kept: Buffer): Promise<void> {
    try {
      this.#file = await open(this.#path, 'w', 0o600);
    } catch (thrown) {
      this.#problem = errorMessage(thrown);
      return;
    }
    await this.#write(kept);
    // Requested after the end, so the file must be closed here.
    if (this.#isClosed) await this.#closeFile();
  }

  async #write(chunk: Buffer): Promise<void> {
    if (this.#problem !== undefined) return;
    try {
      await this.#file?.writeFile(chunk);
    } catch (thrown) {
      // A full disk must not end the command: its beginning and end are still in memory.
      this.#problem = errorMessage(thrown);
    }
  }

  async #closeFile(): Promise<void> {
    const file = this.#file;
    this.#file = undefined;
    await file?.close().catch(() => undefined);
  }
}

/** The most bytes of one progress report. */
const WATCHED_BYTES = 4_096;

/** Keeps the last bytes of a stream in one piece of memory, so that a long stream leaves nothing to collect. */
class LastBytes {
  readonly #count: number;
  #memory: Buffer = Buffer.alloc(0);
  #length = 0;

  constructor(count: number) {
    this.#count = count;
  }

  /** A view of the memory. The next chunk may change it. */
  get bytes(): Buffer {
    return lastOf(this.#memory.subarray(0, this.#length), this.#count);
  }

  add(chunk: Buffer): void {
    const last = lastOf(chunk, this.#count);
    if (this.#length + last.length > this.#memory.length) this.#makeSpace(last.length);
    this.#length += last.copy(this.#memory, this.#length);
  }

  clear(): void {
    this.#length = 0;
  }

  /** The memory is twice as large as its contents must be, so most chunks are only appended. */
  #makeSpace(added: number): void {
    const kept = this.bytes;
    const size = Math.min(2 * (kept.length + added), 2 * this.#count);
    if (size > this.#memory.length) this.#memory = Buffer.concat([kept], size);
    else kept.copy(this.#memory);
    this.#length = kept.length;
  }
}

function lastOf(buffer: Buffer, count: number): Buffer {
  return buffer.length > count ? buffer.subarray(buffer.length - count) : buffer;
}

/** Omits the partial characters that a cut leaves at both ends. */
function decode(bytes: Buffer): string {
  let start = 0;
  while (start < Math.min(3, bytes.length) && ((bytes[start] ?? 0) & 0xc0) === 0x80) start++;
  return dropPartialCharacter(bytes.subarray(start)).toString('utf8');
}

/** Omits a character whose end is missing. */
export function dropPartialCharacter(bytes: Buffer): Buffer {
  for (let back = 1; back <= Math.min(4, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if ((byte & 0xc0) === 0x80) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length > back ? bytes.subarray(0, -back) : bytes;
  }
  return bytes;
}
