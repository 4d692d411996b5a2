/**
 * Removes old file contents: first those of sessions unused for long, then the oldest until the rest is
 * small enough. Sessions used within a day stay, because they may be running.
 */
import type { Stats } from 'node:fs';
import { lstat, readdir, rename, rm, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';

export interface CleanUp {
  /** The folder that contains one folder per session. */
  readonly root: string;
  /** The folder of the running session. */
  readonly keep: string;
  readonly limits: HistoryLimits;
  readonly now: () => number;
}

export interface HistoryLimits {
  readonly maxAgeMs: number;
  readonly maxBytes: number;
}

const DAY_MS = 24 * 60 * 60 * 1_000;

/** `HEDDLE_FILE_HISTORY_DAYS` (default 30) and `HEDDLE_FILE_HISTORY_MB` (default 2000). */
export function historyLimits(environment: Readonly<Record<string, string | undefined>>): HistoryLimits {
  const given = (name: string, otherwise: number): number => {
    const value = Number(environment[name]?.trim() || Number.NaN);
    return value >= 0 ? value : otherwise;
  };
  return {
    maxAgeMs: given('HEDDLE_FILE_HISTORY_DAYS', 30) * DAY_MS,
    maxBytes: given('HEDDLE_FILE_HISTORY_MB', 2_000) * 1_000_000,
  };
}

/** Runs once a day, however many sessions end. Returns the removed sessions. Never throws. */
export async function cleanFileHistory({ root, keep, limits, now }: CleanUp): Promise<readonly string[]> {
  try {
    if (!(await isDue(path.join(root, '.cleaned'), now()))) return [];
    const kept: Kept[] = [];
    for (const name of await readdir(root)) {
      if (name !== keep) kept.push(...(await lookAt(path.join(root, name)).catch(passOver)));
    }
    const gone: string[] = [];
    let bytes = kept.reduce((sum, history) => sum + history.bytes, 0);
    for (const history of kept.sort((left, right) => left.touchedAt - right.touchedAt)) {
      const age = now() - history.touchedAt;
      if (age < DAY_MS || (age <= limits.maxAgeMs && bytes <= limits.maxBytes)) break;
      if (!(await remove(path.join(root, history.name)))) continue;
      bytes -= history.bytes;
      gone.push(history.name);
    }
    return gone;
  } catch {
    // No caller depends on this, and the next run tries again.
    return [];
  }
}

const GONE = '.gone';

interface Kept {
  readonly name: string;
  readonly touchedAt: number;
  readonly bytes: number;
}

async function isDue(marker: string, now: number): Promise<boolean> {
  const last = await lstat(marker).catch(() => undefined);
  if (last && now - last.mtimeMs < DAY_MS) return false;
  await writeFile(marker, '', { mode: 0o600 });
  await utimes(marker, now / 1_000, now / 1_000);
  return true;
}

async function lookAt(folder: string): Promise<Kept[]> {
  const about = await lstat(folder);
  // A crashed run left it half removed.
  if (folder.endsWith(GONE)) await rm(folder, { recursive: true, force: true });
  else if (about.isDirectory()) return [{ name: path.basename(folder), ...(await measure(folder, about)) }];
  return [];
}

/** Another run was faster, or another user owns it. The rest is still checked. */
function passOver(): [] {
  return [];
}

/**
 * Renames it first, because half a history would be worse than none. Returns false if that is not
 * possible.
 */
async function remove(folder: string): Promise<boolean> {
  const aside = `${folder}${GONE}`;
  try {
    await rename(folder, aside);
    await rm(aside, { recursive: true, force: true });
    return true;
  } catch {
    return false;
  }
}

async function measure(folder: string, own: Stats): Promise<Pick<Kept, 'touchedAt' | 'bytes'>> {
  let bytes = 0;
  let touchedAt = own.mtimeMs;
  for (const entry of await readdir(folder, { recursive: true })) {
    const about = await lstat(path.join(folder, entry));
    if (about.isFile()) bytes += about.size;
    touchedAt = Math.max(touchedAt, about.mtimeMs);
  }
  return { touchedAt, bytes };
}
