/**
 * Writes the file of a recording. A crash leaves whole lines, except perhaps the last. A failure is
 * reported once and ends the recording, but never the session.
 */
import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  openSync,
  readSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { errorCode, errorMessage } from '@heddle/core';
import type { RecordingLine } from '../format.ts';

export type OpenedFile =
  | { readonly ok: true; readonly file: RecordingFile }
  | { readonly ok: false; readonly message: string };

/** Replaces an older recording. A file that is not a recording is not changed. */
export function openLineFile(path: string, onTrouble: (message: string) => void): OpenedFile {
  try {
    // Opens without blocking: a pipe without a reader would block the whole program.
    const descriptor = openSync(path, constants.O_RDWR | constants.O_CREAT | constants.O_NONBLOCK, 0o600);
    const refusal = refusalOf(descriptor);
    if (refusal === undefined)
      return { ok: true, file: new RecordingFile(path, emptied(path, descriptor), onTrouble) };
    closeSync(descriptor);
    return { ok: false, message: `${path} ${refusal}` };
  } catch (thrown) {
    // A mistyped path must not create folders.
    const isGone = errorCode(thrown) === 'ENOENT';
    const why = isGone ? `there is no folder ${dirname(path)}` : errorMessage(thrown);
    return { ok: false, message: `${path} cannot be written: ${why}` };
  }
}

/** Uses a new file, because another process may still write to the old one, and both outputs would mix. */
function emptied(path: string, descriptor: number): number {
  if (fstatSync(descriptor).size === 0) return descriptor;
  try {
    unlinkSync(path);
  } catch {
    // The folder cannot be written to, but the file can.
    ftruncateSync(descriptor);
    return descriptor;
  }
  closeSync(descriptor);
  return openSync(path, constants.O_RDWR | constants.O_CREAT | constants.O_EXCL, 0o600);
}

const BEGINNING = '{"type":"heddle_recording"';

function refusalOf(descriptor: number): string | undefined {
  const about = fstatSync(descriptor);
  if (!about.isFile()) return 'is not a file';
  if (about.size === 0) return undefined;
  const bytes = Buffer.alloc(BEGINNING.length);
  readSync(descriptor, bytes, 0, bytes.length, 0);
  return bytes.toString('latin1') === BEGINNING ? undefined : 'is not a recording, so it is not replaced';
}

export class RecordingFile {
  readonly #path: string;
  readonly #onTrouble: (message: string) => void;
  #descriptor: number | undefined;
  #waiting = '';
  /** The time of the first waiting line. */
  #since = 0;
  #position = 0;

  constructor(path: string, descriptor: number, onTrouble: (message: string) => void) {
    this.#path = path;
    this.#descriptor = descriptor;
    this.#onTrouble = onTrouble;
    process.once('exit', this.close);
  }

  /** Deltas are frequent and may wait briefly. Every other line is written at once. */
  add(line: RecordingLine): void {
    if (this.#descriptor === undefined) return;
    if (this.#waiting === '') {
      this.#since = performance.now();
      setImmediate(this.#write);
    }
    this.#waiting += `${JSON.stringify(line)}\n`;
    const isDelta = line.type === 'event' && line.record.type === 'content_block_delta';
    if (!isDelta || performance.now() - this.#since > LONGEST_WAIT_MS) this.#write();
  }

  readonly close = (): void => {
    process.off('exit', this.close);
    this.#write();
    this.#release();
  };

  /** An error of the recorder must not become an error of the session. */
  guard(work: () => void): void {
    if (this.#descriptor === undefined) return;
    try {
      work();
    } catch (thrown) {
      this.#giveUp(thrown);
    }
  }

  /** Reports the reason and stops recording. */
  #giveUp(thrown: unknown): void {
    if (this.#descriptor === undefined) return;
    this.#waiting = '';
    this.#release();
    this.#onTrouble(
      `The recording ${this.#path} ends here: ${errorMessage(thrown)}. The session continues without it.`,
    );
  }

  readonly #write = (): void => {
    if (this.#descriptor === undefined || this.#waiting === '') return;
    const bytes = Buffer.from(this.#waiting);
    this.#waiting = '';
    try {
      for (let written = 0; written < bytes.length; ) {
        written += writeSync(
          this.#descriptor,
          bytes,
          written,
          bytes.length - written,
          this.#position + written,
        );
      }
      this.#position += bytes.length;
    } catch (thrown) {
      this.#giveUp(thrown);
    }
  };

  #release(): void {
    if (this.#descriptor === undefined) return;
    closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }
}

/** One turn of the event loop may be long. */
const LONGEST_WAIT_MS = 20;
