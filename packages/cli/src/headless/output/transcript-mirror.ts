/** `--session-mirror`: the stored lines of a session and of its subagents, for a host that keeps a copy of its own. */
import { closeSync, fstatSync, openSync, readdirSync, readSync, statSync } from 'node:fs';
import path from 'node:path';
import { parseHostLine } from '../host/json.ts';
import type { HeadlessOutput } from './output.ts';

const LINE_FEED = 0x0a;

export class TranscriptMirror {
  readonly #file: string;
  /** The open file of the session, which grows with almost every call. Undefined while it does not exist. */
  #opened: number | undefined;
  /** The number of bytes that were read, by file. */
  readonly #offsets = new Map<string, number>();

  constructor(file: string) {
    this.#file = file;
  }

  /** Writes the lines that were added since the last call. Waits for a slow reader. */
  async copyTo(output: Pick<HeadlessOutput, 'writeControl'>): Promise<void> {
    for (const message of this.#next()) await output.writeControl(message);
  }

  /** Returns one message for each file with new lines. */
  #next(): readonly object[] {
    return [this.#file, ...subagentFiles(this.#file)].flatMap((filePath) => {
      const entries = this.#read(filePath)
        .split('\n')
        .flatMap((line) => parseHostLine(line) ?? []);
      return entries.length === 0 ? [] : [{ type: 'transcript_mirror', filePath, entries }];
    });
  }

  /** An incomplete line stays for the next call. A file that does not exist yet is empty. */
  #read(file: string): string {
    const isMain = file === this.#file;
    const offset = this.#offsets.get(file) ?? 0;
    // Most files of subagents have no new lines.
    if (!isMain && (statSync(file, { throwIfNoEntry: false })?.size ?? 0) <= offset) return '';
    try {
      const descriptor = isMain ? this.#openedMain() : openSync(file, 'r');
      try {
        const bytes = Buffer.alloc(fstatSync(descriptor).size - offset);
        readSync(descriptor, bytes, 0, bytes.length, offset);
        const whole = bytes.subarray(0, bytes.lastIndexOf(LINE_FEED) + 1);
        this.#offsets.set(file, offset + whole.length);
        return whole.toString('utf8');
      } finally {
        if (!isMain) closeSync(descriptor);
      }
    } catch {
      return '';
    }
  }

  /** Throws if the file does not exist. A file that was replaced is opened again. */
  #openedMain(): number {
    if (this.#opened !== undefined && fstatSync(this.#opened).nlink === 0) this.close();
    this.#opened ??= openSync(this.#file, 'r');
    return this.#opened;
  }

  /** A later call of `copyTo` opens the file again. */
  close(): void {
    if (this.#opened !== undefined) closeSync(this.#opened);
    this.#opened = undefined;
  }
}

function subagentFiles(file: string): readonly string[] {
  const folder = path.join(file.slice(0, -path.extname(file).length), 'subagents');
  try {
    const names = readdirSync(folder).filter((name) => name.endsWith('.jsonl'));
    return names.toSorted().map((name) => path.join(folder, name));
  } catch {
    return [];
  }
}
