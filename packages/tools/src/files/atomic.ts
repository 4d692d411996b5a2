/** Writes a file as a whole or not at all: writes a draft beside it, then renames it. */
import { randomBytes } from 'node:crypto';
import { type FileHandle, lstat, open, readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { errorCode } from '@heddle/core';
import { stopIfAborted } from './abort.ts';
import { fileError } from './errors.ts';
import { cannotReplace, type OldFile, writeInPlace } from './in-place.ts';
import type { PinnedPlace } from './pinned-place.ts';

interface AtomicWrite {
  /** Its folder is held open. Everything happens there, even if its path changes. */
  readonly place: PinnedPlace;
  readonly bytes: Uint8Array;
  /** The replaced file. A new file gets the defaults of the process. */
  readonly old?: OldFile;
  /** Called before a file is written in place. Throws to stop it. */
  readonly keepCopy?: () => Promise<void>;
  /** Called last, before the rename. Throws to stop it. */
  readonly confirm?: () => Promise<void>;
  /** Waits until the data is on disk. */
  readonly sync?: boolean;
  /** The mode of created folders. */
  readonly folderMode?: number;
  readonly signal: AbortSignal;
}

/**
 * Creates missing folders. Contract:
 * - If it throws, nothing is left behind and the file is unchanged.
 * - A hard link is replaced, not written through: package managers link files of a project to one shared
 *   copy.
 * - A file that cannot be replaced is written in place: a mount point, or a file in a folder without write
 *   permission.
 */
export async function writeAtomically(write: AtomicWrite): Promise<void> {
  const { place, old } = write;
  try {
    try {
      place.makeFolders(write.folderMode);
      await replace(write);
    } catch (thrown) {
      place.removeMade();
      if (old?.bytes === undefined || !cannotReplace(thrown)) throw thrown;
      await write.keepCopy?.();
      await write.confirm?.();
      stopIfAborted(write.signal);
      await writeInPlace(place, write.bytes, old.bytes, write.sync === true);
    }
  } catch (thrown) {
    throw errorCode(thrown) === undefined
      ? thrown
      : fileError('could not be written, and is as it was', place.file, thrown);
  }
}

async function replace(write: AtomicWrite): Promise<void> {
  const { place } = write;
  const draft = place.at(draftName());
  try {
    await writeDraft(draft, write);
    await write.confirm?.();
    stopIfAborted(write.signal);
    await rename(draft, place.at());
  } catch (thrown) {
    await rm(draft, { force: true }).catch(ignore);
    throw thrown;
  }
  await sweepDrafts(place);
}

async function writeDraft(draft: string, { bytes, old, sync, signal }: AtomicWrite): Promise<void> {
  stopIfAborted(signal);
  const handle = await open(draft, 'wx', old === undefined ? 0o666 : 0o600);
  try {
    await handle.writeFile(bytes);
    if (old !== undefined) await keepOwnership(handle, old);
    if (sync === true) await handle.sync();
  } finally {
    await handle.close();
  }
}

async function keepOwnership(handle: FileHandle, old: OldFile): Promise<void> {
  const { uid, gid } = await handle.stat();
  // Only root may change the owner. Other users get a file of their own.
  if (uid !== old.uid || gid !== old.gid) await handle.chown(old.uid, old.gid).catch(ignore);
  // After the owner, because a change of owner clears the set-user-id bit.
  await handle.chmod(old.mode & 0o7777);
}

function ignore(): void {
  // The error that led here is the one to report.
}

const DRAFT = /^\.heddle-[0-9a-f]{12}\.tmp$/;

function draftName(): string {
  return `.heddle-${randomBytes(6).toString('hex')}.tmp`;
}

/** A draft exists for less than a second. An older one was left by a crash. */
const LEFT_BEHIND_MS = 60 * 60 * 1_000;

const swept = new Set<string>();

/**
 * Removes drafts of crashed runs beside a file. Runs once per folder, after a write there. Never throws.
 */
async function sweepDrafts(place: PinnedPlace, now = Date.now()): Promise<void> {
  const folder = path.dirname(place.file);
  if (swept.has(folder)) return;
  swept.add(folder);
  try {
    for (const name of await readdir(place.at('.'))) {
      if (!DRAFT.test(name)) continue;
      const draft = place.at(name);
      const about = await lstat(draft);
      const isOurs = about.isFile() && about.uid === (process.getuid?.() ?? about.uid);
      if (isOurs && now - about.mtimeMs > LEFT_BEHIND_MS) await rm(draft);
    }
  } catch {
    // Already removed, or not accessible. A remaining draft does no harm.
  }
}
