/** Large texts leave the log: they are stored under their hash, before the line that names them is written. */
import { createHash } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fdatasyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  writeSync,
} from 'node:fs';
import path from 'node:path';

/** Lines longer than this, in characters, give up their long texts. */
export const LINE_LIMIT = 64 * 1024;

/** Texts shorter than this stay: a line with a hundred small texts must not become a hundred files. */
const TEXT_LIMIT = 8 * 1024;

const KEY = '$blob';

export interface Blobs {
  /** The value with its long texts replaced by references, all of them stored. */
  store(value: object): object;
  /** A referenced text; undefined when its file is gone. */
  read(hash: string): string | undefined;
}

export function createBlobs(folder: string, durable: boolean): Blobs {
  function keep(text: string): object {
    const hash = createHash('sha256').update(text).digest('hex');
    const file = path.join(folder, hash);
    if (!existsSync(file)) {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      // Under another name first: a crash must not leave half a text under a hash that promises all of it.
      const draft = `${file}.${process.pid}`;
      const descriptor = openSync(draft, 'w', 0o600);
      try {
        writeSync(descriptor, text);
        if (durable) fdatasyncSync(descriptor);
      } finally {
        closeSync(descriptor);
      }
      renameSync(draft, file);
    }
    return { [KEY]: hash, length: text.length };
  }

  function shrink(value: unknown): unknown {
    if (typeof value === 'string') return value.length > TEXT_LIMIT ? keep(value) : value;
    if (Array.isArray(value)) return value.map(shrink);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shrink(inner)]));
  }

  return {
    store: (value) => Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shrink(inner)])),
    read(hash) {
      try {
        return readFileSync(path.join(folder, path.basename(hash)), 'utf8');
      } catch {
        return undefined;
      }
    },
  };
}

/** Puts the texts back. One whose file is gone is replaced by a note, so that the session can go on. */
export function restoreTexts(value: unknown, blobs: Blobs): unknown {
  if (Array.isArray(value)) return value.map((inner) => restoreTexts(inner, blobs));
  if (typeof value !== 'object' || value === null) return value;
  if (KEY in value && typeof value[KEY] === 'string') {
    return blobs.read(value[KEY]) ?? '[This text was stored outside the log, and its file is gone.]';
  }
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, restoreTexts(inner, blobs)]));
}
