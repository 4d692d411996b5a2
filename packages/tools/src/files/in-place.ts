/** Writes a file that cannot be replaced through its open descriptor. */
import { constants, type FileHandle, open } from 'node:fs/promises';
import { errorCode } from '@heddle/core';
import { FileError, fileErrorReason, shownPath } from './errors.ts';
import { requireSame } from './pinned.ts';
import type { PinnedPlace } from './pinned-place.ts';

/** The file before the change. */
export interface OldFile {
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  /** Without the bytes the file is never written in place. */
  readonly bytes?: Uint8Array;
}

/**
 * - EACCES, EPERM, EROFS: the folder accepts no new file, or a sticky one protects the files of others.
 * - EBUSY, EXDEV: the file is a mount point.
 */
const CANNOT_REPLACE: ReadonlySet<unknown> = new Set(['EACCES', 'EPERM', 'EROFS', 'EBUSY', 'EXDEV']);

export function cannotReplace(thrown: unknown): boolean {
  return CANNOT_REPLACE.has(errorCode(thrown));
}

/** Another name may be outside of the working directories, and the permission is for this one. */
function hasOtherNames(file: string): FileError {
  return new FileError(
    `${shownPath(file)} has another name on the disk (a hard link), and cannot be replaced in its folder. Nothing was written, because the other file would change, too.`,
  );
}

/**
 * Not atomic: the caller has stored the old content. If the write fails midway, the old content is
 * restored. If that fails, too, the error reports it.
 */
export async function writeInPlace(
  place: PinnedPlace,
  bytes: Uint8Array,
  old: Uint8Array,
  sync: boolean,
): Promise<void> {
  const pinned = place.pin();
  if (pinned === undefined) throw new FileError(`${shownPath(place.file)} is gone, so nothing was written.`);
  try {
    // Not truncated on opening: until the first byte is written, the file is unchanged.
    const handle = await open(pinned.path, constants.O_WRONLY | (constants.O_NONBLOCK ?? 0) | pinned.flags);
    try {
      const opened = await handle.stat();
      requireSame(pinned, opened);
      if (opened.nlink > 1) throw hasOtherNames(place.file);
      await overwrite(handle, bytes, old, place.file);
      if (sync) await handle.sync();
    } finally {
      await handle.close();
    }
  } finally {
    pinned.close();
  }
}

async function overwrite(
  handle: FileHandle,
  bytes: Uint8Array,
  old: Uint8Array,
  file: string,
): Promise<void> {
  try {
    await writeWhole(handle, bytes);
  } catch (thrown) {
    try {
      await writeWhole(handle, old);
    } catch (again) {
      throw new FileError(
        `${shownPath(file)} was written only in part (${fileErrorReason(thrown)}), and its old content could not be put back (${fileErrorReason(again)}). Restore it with /rewind.`,
      );
    }
    throw thrown;
  }
}

async function writeWhole(handle: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length; ) {
    const { bytesWritten } = await handle.write(bytes, at, bytes.length - at, at);
    at += bytesWritten;
  }
  await handle.truncate(bytes.length);
}
