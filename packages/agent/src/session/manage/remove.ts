/** Removes sessions with all that is theirs. Stored texts are shared by a folder: those that another session needs stay. */
import { existsSync, lstatSync, readdirSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { LineFile } from '../files/lines.ts';
import { fileHistoryFolder } from '../files/paths.ts';
import { blobsBeside, folderBeside, idOf, sessionFilesIn } from '../files/session-files.ts';
import { openCache } from '../listing/cache.ts';
import { type Changed, whileLocked } from './change.ts';

export interface Removed {
  readonly path: string;
  readonly outcome: Changed;
}

/** One that another process writes to is left as it is, and said so. */
export function removeSessions(configDir: string, files: readonly string[]): Removed[] {
  const texts = new Map<string, Set<string>>();
  const removed = files.map((file) => {
    const outcome = whileLocked(file, () => {
      const blobs = blobsBeside(file);
      texts.set(blobs, new Set([...(texts.get(blobs) ?? []), ...textsOf(file)]));
      // The log goes first: without it there is no session, whatever else a crash leaves.
      rmSync(file);
      rmSync(fileHistoryFolder(configDir, idOf(file)), { recursive: true, force: true });
      rmSync(folderBeside(file), { recursive: true, force: true });
    });
    return { path: file, outcome };
  });
  for (const [folder, hashes] of texts) removeTexts(folder, hashes);
  const cache = openCache(configDir);
  cache.write(
    [],
    removed.flatMap((one) => (one.outcome.ok ? one.path : [])),
  );
  cache.close();
  return removed;
}

/** What a session takes on the disk; texts that it may share are not counted. */
export function sizeOfSession(configDir: string, file: string): number {
  const id = idOf(file);
  return sizeOf(file) + sizeOf(folderBeside(file)) + sizeOf(fileHistoryFolder(configDir, id));
}

const REFERENCE = '"$blob":"';
const HASH_LENGTH = 64;
const CHUNK = 8 * 1024 * 1024;

function textsOf(path: string): Set<string> {
  const hashes = new Set<string>();
  const file = new LineFile(path);
  try {
    for (let start = 0; start < file.size; start += CHUNK) {
      // A reference may begin here and end in the next piece.
      const bytes = file.read(start, Math.min(file.size, start + CHUNK + REFERENCE.length + HASH_LENGTH));
      for (let at = bytes.indexOf(REFERENCE); at >= 0; at = bytes.indexOf(REFERENCE, at + 1)) {
        const from = at + REFERENCE.length;
        const hash = bytes.toString('latin1', from, from + HASH_LENGTH);
        if (/^[0-9a-f]{64}$/.test(hash)) hashes.add(hash);
      }
    }
  } finally {
    file.close();
  }
  return hashes;
}

/**
 * Another session of the folder may come to need a text just now. So it is put aside first, and who has grown since is
 * asked again: what is needed by then goes back.
 */
function removeTexts(folder: string, hashes: ReadonlySet<string>): void {
  const here = [...hashes].filter((hash) => existsSync(path.join(folder, hash)));
  if (here.length === 0) return;
  const sizes = new Map<string, number>();
  const unneeded = here.filter(notIn(needed(folder, sizes)));
  const aside = (hash: string): string => path.join(folder, `${hash}.gone`);
  for (const hash of unneeded) renameSync(path.join(folder, hash), aside(hash));
  const neededNow = needed(folder, sizes);
  for (const hash of unneeded) {
    if (neededNow.has(hash)) renameSync(aside(hash), path.join(folder, hash));
    else rmSync(aside(hash), { force: true });
  }
}

/** The texts that the folder's sessions name, of those that are not of the size that is known. */
function needed(blobs: string, sizes: Map<string, number>): Set<string> {
  const hashes = new Set<string>();
  for (const { path: file, size } of sessionFilesIn(path.dirname(blobs))) {
    if (sizes.get(file) === size) continue;
    sizes.set(file, size);
    for (const hash of textsOf(file)) hashes.add(hash);
  }
  return hashes;
}

function notIn(set: ReadonlySet<string>): (hash: string) => boolean {
  return (hash) => !set.has(hash);
}

function sizeOf(place: string): number {
  const about = lstatSync(place, { throwIfNoEntry: false });
  if (!about) return 0;
  if (!about.isDirectory()) return about.size;
  return readdirSync(place).reduce((sum, name) => sum + sizeOf(path.join(place, name)), 0);
}
