/** The stored texts of removed sessions. A folder's sessions share them: those that another one needs stay. */
import { existsSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { GONE } from '../files/blobs.ts';
import { overlappingChunks } from '../files/lines.ts';
import { sessionFilesIn } from '../files/session-files.ts';

const REFERENCE = '"$blob":"';
const HASH_LENGTH = 64;

export function textsOf(file: string): Set<string> {
  const hashes = new Set<string>();
  for (const bytes of overlappingChunks(file, REFERENCE.length + HASH_LENGTH)) {
    for (let at = bytes.indexOf(REFERENCE); at >= 0; at = bytes.indexOf(REFERENCE, at + 1)) {
      const from = at + REFERENCE.length;
      const hash = bytes.toString('latin1', from, from + HASH_LENGTH);
      if (/^[0-9a-f]{64}$/.test(hash)) hashes.add(hash);
    }
  }
  return hashes;
}

/**
 * Another session of the folder may come to need a text just now. So it is put aside first, and who has grown since is
 * asked again: what is needed by then goes back.
 */
export function removeTexts(folder: string, hashes: ReadonlySet<string>): void {
  const here = [...hashes].filter((hash) => existsSync(path.join(folder, hash)));
  if (here.length === 0) return;
  const sizes = new Map<string, number>();
  const isNeeded = needed(folder, sizes);
  const put = here.filter((hash) => !isNeeded(hash) && moved(folder, hash, `${hash}${GONE}`));
  const isNeededNow = needed(folder, sizes);
  for (const hash of put) {
    if (isNeededNow(hash)) moved(folder, `${hash}${GONE}`, hash);
    else rmSync(path.join(folder, `${hash}${GONE}`), { force: true });
  }
}

/** By the folder's sessions, of those that are not of the size that is known. Where one cannot be read, anything may be. */
function needed(blobs: string, sizes: Map<string, number>): (hash: string) => boolean {
  const hashes = new Set<string>();
  for (const { path: file, size } of sessionFilesIn(path.dirname(blobs))) {
    if (sizes.get(file) === size) continue;
    sizes.set(file, size);
    try {
      for (const hash of textsOf(file)) hashes.add(hash);
    } catch {
      if (existsSync(file)) return () => true;
    }
  }
  return (hash) => hashes.has(hash);
}

/** False where somebody else was faster. */
function moved(folder: string, from: string, to: string): boolean {
  try {
    renameSync(path.join(folder, from), path.join(folder, to));
    return true;
  } catch {
    return false;
  }
}
