/**
 * Removes sessions with all their files. Files that another session needs stay: texts are shared, and forks refer to
 * outputs.
 */
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

/** Skips and reports a session that another process writes to. */
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

/** The log is removed first. Without it the session is gone, even if a crash leaves other files. */
function removeFiles(configDir: string, file: string): void {
  rmSync(file);
  rmSync(fileHistoryFolder(configDir, idOf(file)), { recursive: true, force: true });
  const beside = folderBeside(file);
  const names = readdirSync(beside);
  if (!names.includes(SPILLS)) return rmSync(beside, { recursive: true, force: true });
  for (const name of names)
    if (name !== SPILLS) rmSync(path.join(beside, name), { recursive: true, force: true });
}

/** Returns the size of a session on disk, without texts that it may share. */
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
    // The file does not exist, or another process removed it.
    return 0;
  }
}

// Outputs in separate files. The conversation contains their paths, and so does a fork. They are removed with the last
// session that refers to them.

/** `project` is the folder of a project's sessions. */
function removeSpills(project: string): void {
  for (const id of leftBehind(project))
    if (!isNamed(project, id)) rmSync(path.join(project, id), { recursive: true, force: true });
}

/** Returns folders whose session is gone. */
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
      // The file is unreadable, so it may refer to anything.
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
 * Another session of the folder may start to need a text at this moment. So the text is set aside first. Sessions that
 * grew since are checked again, and needed texts are restored.
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

/** Tests whether sessions of a changed size refer to a text. If one cannot be read, every text counts as needed. */
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

/** Returns false if another process was faster. */
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
  /** The number of newest sessions that always stay. */
  readonly keep?: number | undefined;
}

export interface Weighed extends SessionSummary {
  /** The total size on disk. */
  readonly totalBytes: number;
}

/** Returns the sessions that match all conditions. Without a condition, returns none. */
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
