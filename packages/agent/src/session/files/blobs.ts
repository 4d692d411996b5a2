/** Stores large texts outside of the log, under their hash, before the line that refers to them is written. */
import { createHash } from 'node:crypto';
import { readFileSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { pinFile, PinnedPlace, realTarget } from '@heddle/tools/files';
import { syncFolder, writeFileWhole } from './write.ts';

/** Long texts are moved out of lines that exceed this number of characters. */
export const LINE_LIMIT = 64 * 1024;

/** Shorter texts stay in the line, so that a line with a hundred small texts does not become a hundred files. */
const TEXT_LIMIT = 8 * 1024;

const KEY = '$blob';

/** The suffix of files that are set aside until it is certain that no session needs them. */
export const GONE = '.gone';

export interface Blobs {
  /** Stores all long texts. Returns the value with references instead. */
  store(value: object): object;
  /** Returns a referenced text. Undefined if its file is gone. */
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

  /** Writes to a draft first: a crash must not leave half a text under its hash. */
  function storeAt(place: PinnedPlace, text: string): void {
    place.makeFolders(0o700);
    const draft = place.at(`${place.name}.${process.pid}`);
    try {
      // The draft of a crashed process with the same id, or a link in its place. It is never written through.
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
    // User data may look like a reference. It is wrapped, so that it is restored unchanged.
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

/** Resolves links once: the folder that was found first is used from then on. */
export function realFolder(folder: string): () => string {
  let real: string | undefined;
  return () => (real ??= realTarget(folder));
}

function isThere(place: PinnedPlace): boolean {
  const pinned = place.pin();
  pinned?.close();
  return pinned !== undefined;
}

/** `file` is a real path. A link that replaced it is not followed. */
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

/** Restores the texts. A text with a missing file is replaced by a note, so that the session can continue. */
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
