/** Writes a file as a whole or not at all: a draft beside it, then a rename over it. */
import { type FileHandle, mkdir, open, rename, rm, rmdir } from 'node:fs/promises';
import path from 'node:path';
import { stopIfAborted } from './abort.ts';
import { draftIn, sweepDrafts } from './drafts.ts';
import { codeOf, fileError } from './errors.ts';

export interface AtomicWrite {
  /** A real path: a rename would replace a symbolic link by a file. */
  readonly file: string;
  readonly bytes: Uint8Array;
  /** What the file had; a new file gets what the process gives. */
  readonly keep?: { readonly mode: number; readonly uid: number; readonly gid: number };
  /** Asked last, when only the rename is left to do. Throws to stop it. */
  readonly confirm?: () => Promise<void>;
  /** Wait until the disk has it. */
  readonly sync?: boolean;
  readonly signal: AbortSignal;
}

/**
 * Creates missing folders. Where it throws, nothing is left behind and the file is as it was. A hard link is taken apart, not
 * written through: package managers link files of a project to one shared copy.
 */
export async function writeAtomically(write: AtomicWrite): Promise<void> {
  const { file } = write;
  const folder = path.dirname(file);
  const draft = draftIn(folder);
  let made: string | undefined;
  try {
    made = await mkdir(folder, { recursive: true });
    await writeDraft(draft, write);
    await write.confirm?.();
    stopIfAborted(write.signal);
    await rename(draft, file);
    await sweepDrafts(folder);
  } catch (thrown) {
    await rm(draft, { force: true }).catch(ignore);
    if (made !== undefined) await removeEmpty(folder, made);
    throw codeOf(thrown) === undefined
      ? thrown
      : fileError('could not be written, and is as it was', file, thrown);
  }
}

async function writeDraft(draft: string, { bytes, keep, sync, signal }: AtomicWrite): Promise<void> {
  stopIfAborted(signal);
  const handle = await open(draft, 'wx', keep === undefined ? 0o666 : 0o600);
  try {
    await handle.writeFile(bytes);
    if (keep !== undefined) await keepOwnership(handle, keep);
    if (sync === true) await handle.sync();
  } finally {
    await handle.close();
  }
}

async function keepOwnership(handle: FileHandle, keep: NonNullable<AtomicWrite['keep']>): Promise<void> {
  const { uid, gid } = await handle.stat();
  // Only root may give a file away. For everyone else a file of one's own is the best there is.
  if (uid !== keep.uid || gid !== keep.gid) await handle.chown(keep.uid, keep.gid).catch(ignore);
  // After the owner: a change of owner drops the set-user-id bit.
  await handle.chmod(keep.mode & 0o7777);
}

/** Takes back the folders that were made, from the innermost out; one that is no longer empty stays. */
async function removeEmpty(innermost: string, outermost: string): Promise<void> {
  for (let folder = innermost; folder.startsWith(outermost); folder = path.dirname(folder)) {
    try {
      await rmdir(folder);
    } catch {
      return;
    }
  }
}

function ignore(): void {
  // The error that led here is the one to report.
}
