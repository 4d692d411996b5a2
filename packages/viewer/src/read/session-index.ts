/**
 * Reads a session file from its beginning, in steps, and remembers where each line starts. It takes no lock and holds
 * no text: a fact is stored as JSON, and a line is read again when it is shown.
 */
import { statSync } from 'node:fs';
import { blobsBeside, createBlobs, decodeEntry, type Decoded, LineFile } from '@heddle/agent/sessions';
import type { FactPage } from '../model/facts.ts';
import { answerInMessage, factOf } from './fact-of.ts';
import { countRead } from './release-memory.ts';

/** The bytes that one step reads. */
const STEP_BYTES = 2 * 1024 * 1024;

/** A longer line is reported as damaged and never held in memory. */
const MAX_LINE_BYTES = 64 * 1024 * 1024;

const NEW_LINE = 0x0a;
const SIDECHAIN = '"isSidechain":true';

export class SessionIndex {
  readonly file: string;
  /** The size of the file when it was read last. */
  seenBytes = -1;
  /** Lines of a subagent are marked as another conversation. In its own file they are the conversation. */
  readonly #isSubagent: boolean;
  /** The start of each line. The start of the next line is the end of the one before. */
  #starts: number[] = [0];
  /** The facts of each line as JSON, separated by commas. Empty for a line without a fact. */
  #facts: string[] = [];
  #inode = 0;
  #version = 0;
  #torn = false;

  constructor(file: string, isSubagent = false) {
    this.file = file;
    this.#isSubagent = isSubagent;
  }

  /** The number of lines that were read. */
  get lineCount(): number {
    return this.#facts.length;
  }

  /** Changes if the file was replaced. */
  get version(): number {
    return this.#version;
  }

  /**
   * Returns facts from a line on. The page ends early if reading takes longer than `budgetMs`, so that other requests are
   * answered in between. Throws an error of the operating system if the file cannot be read.
   */
  page(from: number, limit: number, budgetMs = Number.POSITIVE_INFINITY): string {
    this.#restartIfReplaced();
    const deadline = performance.now() + budgetMs;
    let more = true;
    while (more && this.#facts.length < from + limit) {
      more = this.#readStep();
      if (performance.now() > deadline && this.#facts.length > from) break;
    }
    const facts = this.#facts.slice(from, from + limit).filter((fact) => fact !== '');
    const next = Math.min(from + limit, this.#facts.length);
    const rest: Omit<FactPage, 'facts'> = {
      next,
      more: more || next < this.#facts.length,
      torn: this.#torn,
      version: this.#version,
    };
    return `${JSON.stringify(rest).slice(0, -1)},"facts":[${facts.join(',')}]}`;
  }

  /** Yields the decoded lines of a range. Reads further lines of the file if the range needs them. */
  *lines(
    from: number,
    to = Number.POSITIVE_INFINITY,
  ): Generator<{ readonly line: number; readonly decoded: Decoded }> {
    while (this.#facts.length < to && this.#readStep());
    const end = Math.min(to, this.#facts.length);
    const file = new LineFile(this.file);
    const blobs = createBlobs(blobsBeside(this.file), false);
    try {
      for (let line = Math.max(0, from); line < end; line++) {
        const start = this.#starts[line] ?? 0;
        const stop = (this.#starts[line + 1] ?? start) - 1;
        if (stop <= start || stop - start > MAX_LINE_BYTES) continue;
        // The text is a copy, so the bytes of the next line may replace these.
        const bytes = file.read(start, stop, sharedBytes());
        countRead(bytes.length);
        yield { line, decoded: decodeEntry(this.#textOf(bytes), blobs) };
      }
    } finally {
      file.close();
    }
  }

  #readTo(): number {
    return this.#starts.at(-1) ?? 0;
  }

  #restartIfReplaced(): void {
    const { ino, size } = statSync(this.file);
    if (this.#inode !== 0 && (ino !== this.#inode || size < this.#readTo())) {
      this.#starts = [0];
      this.#facts = [];
      this.#version++;
    }
    this.#inode = ino;
  }

  /** Returns false at the end of the file. */
  #readStep(): boolean {
    const file = new LineFile(this.file);
    this.seenBytes = file.size;
    try {
      const from = this.#readTo();
      let end = Math.min(file.size, from + STEP_BYTES);
      let bytes = file.read(from, end, sharedBytes());
      while (!bytes.includes(NEW_LINE) && end < file.size) {
        if (end - from > MAX_LINE_BYTES) return this.#skipLine(file, end);
        end = Math.min(file.size, from + (end - from) * 2);
        bytes = file.read(from, end);
      }
      this.#takeLines(bytes, from);
      countRead(bytes.length);
      this.#torn = this.#readTo() < file.size && end === file.size;
      return end < file.size;
    } finally {
      file.close();
    }
  }

  #takeLines(bytes: Buffer, offset: number): void {
    const blobs = createBlobs(blobsBeside(this.file), false);
    let start = 0;
    for (let end = bytes.indexOf(NEW_LINE); end >= 0; end = bytes.indexOf(NEW_LINE, start)) {
      const line = this.#facts.length;
      this.#facts.push(end > start ? this.#factText(bytes.subarray(start, end), line, blobs) : '');
      start = end + 1;
      this.#starts.push(offset + start);
    }
  }

  #factText(bytes: Buffer, line: number, blobs: ReturnType<typeof createBlobs>): string {
    const decoded = decodeEntry(this.#textOf(bytes), blobs);
    if (decoded.kind !== 'entry')
      return JSON.stringify({ type: decoded.kind, line, at: 0, size: bytes.length });
    const facts = [factOf(decoded.entry, line), answerInMessage(decoded.entry, line)];
    return facts.flatMap((fact) => (fact === undefined ? [] : [JSON.stringify(fact)])).join(',');
  }

  /** Finds the end of a line that is too long to be read. */
  #skipLine(file: LineFile, from: number): boolean {
    for (let at = from; at < file.size; at += STEP_BYTES) {
      const found = file.read(at, Math.min(file.size, at + STEP_BYTES)).indexOf(NEW_LINE);
      if (found < 0) continue;
      const line = this.#facts.length;
      const size = at + found - this.#readTo();
      this.#facts.push(JSON.stringify({ type: 'damaged', line, at: 0, size }));
      this.#starts.push(at + found + 1);
      return at + found + 1 < file.size;
    }
    this.#torn = true;
    return false;
  }

  #textOf(bytes: Buffer): string {
    const text = bytes.toString('utf8');
    return this.#isSubagent ? text.replace(SIDECHAIN, '"isSidechain":false') : text;
  }
}

let shared: Buffer | undefined;

/** Memory for one step or one line. A buffer for each would wait for the garbage collector, outside of its count. */
function sharedBytes(): Buffer {
  shared ??= Buffer.allocUnsafeSlow(STEP_BYTES);
  return shared;
}
