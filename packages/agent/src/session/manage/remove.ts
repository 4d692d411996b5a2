/** Removes sessions with all that is theirs. What another session still needs stays: texts are shared, and forks name outputs. */
import { lstatSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { fileHistoryFolder, SPILLS } from '../files/paths.ts';
import { blobsBeside, folderBeside, idOf } from '../files/session-files.ts';
import { openCache } from '../listing/cache.ts';
import { type Changed, whileLocked } from './change.ts';
import { removeSpills } from './spills.ts';
import { removeTexts, textsOf } from './texts.ts';

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
      removeFiles(configDir, file);
    });
    return { path: file, outcome };
  });
  const gone = removed.flatMap((one) => (one.outcome.ok ? one.path : []));
  for (const [folder, hashes] of texts) removeTexts(folder, hashes);
  for (const folder of new Set(gone.map((file) => path.dirname(file)))) removeSpills(folder);
  const cache = openCache(configDir);
  cache.write([], gone);
  cache.close();
  return removed;
}

/** The log goes first: without it there is no session, whatever else a crash leaves. */
function removeFiles(configDir: string, file: string): void {
  rmSync(file);
  rmSync(fileHistoryFolder(configDir, idOf(file)), { recursive: true, force: true });
  const beside = folderBeside(file);
  const names = readdirSync(beside);
  if (!names.includes(SPILLS)) return rmSync(beside, { recursive: true, force: true });
  for (const name of names)
    if (name !== SPILLS) rmSync(path.join(beside, name), { recursive: true, force: true });
}

/** What a session takes on the disk; texts that it may share are not counted. */
export function sizeOfSession(configDir: string, file: string): number {
  const id = idOf(file);
  return sizeOf(file) + sizeOf(folderBeside(file)) + sizeOf(fileHistoryFolder(configDir, id));
}

function sizeOf(place: string): number {
  try {
    const about = lstatSync(place);
    if (!about.isDirectory()) return about.size;
    return readdirSync(place).reduce((sum, name) => sum + sizeOf(path.join(place, name)), 0);
  } catch {
    // Not there, or no longer: somebody else may tidy up, too.
    return 0;
  }
}
