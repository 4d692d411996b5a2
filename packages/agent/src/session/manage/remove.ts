/** Removes sessions with all that is theirs. What another session still needs stays: texts are shared, and forks name outputs. */
import { existsSync, lstatSync, readdirSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { GONE } from '../files/blobs.ts';
import { overlappingChunks } from '../files/lines.ts';
import { fileHistoryFolder, SPILLS } from '../files/paths.ts';
import { blobsBeside, folderBeside, idOf, sessionFilesIn } from '../files/session-files.ts';
import { openCache } from '../listing/cache.ts';
import type { SessionSummary } from '../listing/summary.ts';
import { type Changed, whileLocked } from './rename.ts';

interface Removed {
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

// Outputs that a session keeps in files of their own. The conversation names them by their path, and a fork has the
// conversation: they go with the last session that names them.

/** `project`: the folder of a project's sessions. */
function removeSpills(project: string): void {
  for (const id of leftBehind(project))
    if (!isNamed(project, id)) rmSync(path.join(project, id), { recursive: true, force: true });
}

/** Nothing else is left of their session. */
function leftBehind(project: string): string[] {
  return readdirSync(project, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !existsSync(path.join(project, `${entry.name}.jsonl`)))
    .filter(({ name }) => readdirSync(path.join(project, name)).join() === SPILLS)
    .map(({ name }) => name);
}

function isNamed(project: string, id: string): boolean {
  const name = Buffer.from(`${id}/${SPILLS}/`);
  return sessionFilesIn(project).some(({ path: file }) => {
    try {
      for (const bytes of overlappingChunks(file, name.length)) if (bytes.includes(name)) return true;
      return false;
    } catch {
      // It cannot be read: it may name anything.
      return existsSync(file);
    }
  });
}

const REFERENCE = '"$blob":"';
const HASH_LENGTH = 64;

function textsOf(file: string): Set<string> {
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
function removeTexts(folder: string, hashes: ReadonlySet<string>): void {
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

export interface PruneChoice {
  readonly olderThanMs?: number | undefined;
  readonly largerThanBytes?: number | undefined;
  /** So many of the newest stay, whatever else is asked. */
  readonly keep?: number | undefined;
}

export interface Weighed extends SessionSummary {
  /** All that it takes on the disk. */
  readonly totalBytes: number;
}

/** Those to which everything that was asked applies. Asked nothing, none. */
export function toPrune(
  sessions: readonly Weighed[],
  { olderThanMs, largerThanBytes, keep }: PruneChoice,
  now: number,
): Weighed[] {
  if (olderThanMs === undefined && largerThanBytes === undefined && keep === undefined) return [];
  return [...sessions]
    .sort((left, right) => right.lastAt - left.lastAt)
    .slice(keep ?? 0)
    .filter(({ lastAt }) => olderThanMs === undefined || now - lastAt > olderThanMs)
    .filter(({ totalBytes }) => largerThanBytes === undefined || totalBytes > largerThanBytes);
}
