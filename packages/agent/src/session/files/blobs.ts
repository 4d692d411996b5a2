/** Large texts leave the log: they are stored under their hash, before the line that names them is written. */
import { createHash } from 'node:crypto';
import { readFileSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { pinFile, PinnedPlace, realTarget } from '@heddle/tools/files';
import { syncFolder, writeFileWhole } from './write.ts';

/** Lines longer than this, in characters, give up their long texts. */
export const LINE_LIMIT = 64 * 1024;

/** Texts shorter than this stay: a line with a hundred small texts must not become a hundred files. */
const TEXT_LIMIT = 8 * 1024;

const KEY = '$blob';

/** What is to be removed is put aside under this ending until it is certain that nobody needs it. */
export const GONE = '.gone';

export interface Blobs {
  /** The value with its long texts replaced by references, all of them stored. */
  store(value: object): object;
  /** A referenced text; undefined when its file is gone. */
  read(hash: string): string | undefined;
}

export function createBlobs(folder: string, durable: boolean): Blobs {
  const real = realFolder(folder);

  function keep(text: string): object {
    const hash = createHash('sha256').update(text).digest('hex');
    const place = PinnedPlace.open(path.join(real(), hash));
    try {
      if (!isThere(place)) storeAt(place, text);
    } finally {
      place.close();
    }
    return { [KEY]: hash, length: text.length };
  }

  /** Under another name first: a crash must not leave half a text under a hash that promises all of it. */
  function storeAt(place: PinnedPlace, text: string): void {
    place.makeFolders(0o700);
    const draft = place.at(`${place.name}.${process.pid}`);
    try {
      // A draft of a process with the same number that crashed, or a link in its place: never written through.
      rmSync(draft, { force: true });
      writeFileWhole(draft, Buffer.from(text), durable);
      renameSync(draft, place.at());
      if (durable) syncFolder(place.at('.'));
    } catch (thrown) {
      rmSync(draft, { force: true });
      throw thrown;
    }
  }

  function shrink(value: unknown): unknown {
    if (typeof value === 'string') return value.length > TEXT_LIMIT ? keep(value) : value;
    if (Array.isArray(value)) return value.map(shrink);
    if (typeof value !== 'object' || value === null) return value;
    const shrunk = shrinkFields(value);
    // Somebody's own data may look like a reference; it is wrapped, so that it comes back as it was.
    return KEY in value ? { [KEY]: null, value: shrunk } : shrunk;
  }

  function shrinkFields(value: object): object {
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shrink(inner)]));
  }

  return {
    store: shrinkFields,
    read(hash) {
      const file = path.join(real(), path.basename(hash));
      return textIn(file) ?? textIn(`${file}${GONE}`);
    },
  };
}

/** Links are followed once: the folder that was found first is the one that is used. */
export function realFolder(folder: string): () => string {
  let real: string | undefined;
  return () => (real ??= realTarget(folder));
}

function isThere(place: PinnedPlace): boolean {
  const pinned = place.pin();
  pinned?.close();
  return pinned !== undefined;
}

/** `file` is a real path: a link that stands in it now is not followed. */
function textIn(file: string): string | undefined {
  try {
    const pinned = pinFile(file);
    try {
      return pinned.about.isFile() ? readFileSync(pinned.path, 'utf8') : undefined;
    } finally {
      pinned.close();
    }
  } catch {
    return undefined;
  }
}

const TEXT_IS_GONE = '[This text was stored outside the log, and its file is gone.]';

/** Puts the texts back. One whose file is gone is replaced by a note, so that the session can go on. */
export function restoreTexts(value: unknown, blobs: Blobs): unknown {
  if (Array.isArray(value)) return value.map((inner) => restoreTexts(inner, blobs));
  if (typeof value !== 'object' || value === null) return value;
  if (KEY in value) {
    if (value[KEY] === null && 'value' in value) return restoreFields(value.value, blobs);
    return (typeof value[KEY] === 'string' && blobs.read(value[KEY])) || TEXT_IS_GONE;
  }
  return restoreFields(value, blobs);
}

function restoreFields(value: unknown, blobs: Blobs): unknown {
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, restoreTexts(inner, blobs)]));
}
