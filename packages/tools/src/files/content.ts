/** Reads a file's whole content without blocking: only regular files, up to a size that fits in memory. */
import { createHash } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { errorCode } from '@heddle/core';
import { stopIfAborted } from './abort.ts';
import { FileError, fileError, shownPath } from './errors.ts';
import { pinFile, type PinnedFile, requireSame } from './pinned.ts';
import type { PinnedPlace } from './pinned-place.ts';

/**
 * A larger file is only read page by page and not edited, because its hash and its text would cost too
 * much.
 */
const MAX_WHOLE_BYTES = 32 * 1024 * 1024;

export interface Content {
  readonly bytes: Buffer;
  readonly hash: string;
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  readonly mtimeMs: number;
}

export function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/**
 * Most files are small. For those, a round trip to the thread pool per step costs ten times the read.
 * Files with size 0 use the pool, because some of them, like those of /proc, may be slow.
 */
const AT_ONCE_BYTES = 256 * 1024;
/** The part of a larger file that is read between two checks of the signal. */
const CHUNK_BYTES = 1024 * 1024;

/**
 * Runs `use` on the content, or `useLarge` on the open file if it is too large. `file` is a real path. A
 * link that is in it now is not followed.
 */
export async function withContent<T>(
  file: string,
  signal: AbortSignal,
  use: (content: Content) => Promise<T> | T,
  useLarge: (handle: FileHandle, about: Stats) => Promise<T> | T,
): Promise<T> {
  return reading(file, async () => {
    stopIfAborted(signal);
    const pinned = pinFile(file);
    try {
      const content = await contentOrHandle(file, pinned, signal, useLarge);
      return 'content' in content ? await use(content.content) : content.used;
    } finally {
      pinned.close();
    }
  });
}

async function reading<T>(file: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (thrown) {
    throw errorCode(thrown) === undefined ? thrown : fileError('cannot be read', file, thrown);
  }
}

async function contentOrHandle<T>(
  file: string,
  pinned: PinnedFile,
  signal: AbortSignal,
  useLarge: (handle: FileHandle, about: Stats) => Promise<T> | T,
): Promise<{ readonly content: Content } | { readonly used: T }> {
  const { about } = pinned;
  // A pipe or device is rejected before it is opened.
  refuseSpecial(file, about);
  const isSmall = about.size > 0 && about.size <= AT_ONCE_BYTES;
  const content = isSmall ? contentAtOnce(pinned) : undefined;
  if (content) return { content };
  return withOpenFile(pinned, async (handle, now) =>
    now.size > MAX_WHOLE_BYTES
      ? { used: await useLarge(handle, now) }
      : { content: contentOf(await readAll(file, handle, signal), now) },
  );
}

/** Returns undefined if the file has grown in the meantime. */
function contentAtOnce(pinned: PinnedFile): Content | undefined {
  const descriptor = openSync(pinned.path, OPEN_FOR_READING | pinned.flags);
  try {
    const about = fstatSync(descriptor);
    requireSame(pinned, about);
    return about.size > AT_ONCE_BYTES ? undefined : contentOf(readFileSync(descriptor), about);
  } finally {
    closeSync(descriptor);
  }
}

async function withOpenFile<T>(
  pinned: PinnedFile,
  use: (handle: FileHandle, about: Stats) => Promise<T>,
): Promise<T> {
  const handle = await open(pinned.path, OPEN_FOR_READING | pinned.flags);
  try {
    const about = await handle.stat();
    requireSame(pinned, about);
    return await use(handle, about);
  } finally {
    await handle.close();
  }
}

/**
 * A pipe that replaced the file since the check cannot block the opening. Not defined on every platform.
 */
export const OPEN_FOR_READING = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

function refuseSpecial(file: string, about: Stats): void {
  if (about.isFile()) return;
  const name = shownPath(file);
  if (about.isDirectory()) throw new FileError(`${name} is a directory, not a file.`);
  const kind = about.isFIFO() ? 'a pipe' : about.isSocket() ? 'a socket' : 'a device';
  throw new FileError(`${name} is ${kind}, not a regular file: reading it could wait for ever.`);
}

function contentOf(bytes: Buffer, { mode, uid, gid, mtimeMs }: Stats): Content {
  return { bytes, hash: hashOf(bytes), mode, uid, gid, mtimeMs };
}

/**
 * Limited by the bytes read, not by the reported size: some files of /proc report 0 and contain gigabytes.
 */
async function readAll(file: string, handle: FileHandle, signal: AbortSignal): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  const chunks: Buffer[] = [];
  for (let total = 0; total <= MAX_WHOLE_BYTES; ) {
    stopIfAborted(signal);
    const { bytesRead } = await handle.read(buffer);
    if (bytesRead === 0) return Buffer.concat(chunks);
    chunks.push(Buffer.from(buffer.subarray(0, bytesRead)));
    total += bytesRead;
  }
  throw new FileError(
    `${shownPath(file)} gives more than it says it has, without an end. Use a shell command.`,
  );
}

/** Returns undefined if there is no file. For files that are about to be changed. */
export async function readContent(place: PinnedPlace, signal: AbortSignal): Promise<Content | undefined> {
  const { file } = place;
  return reading(file, async () => {
    stopIfAborted(signal);
    const pinned = place.pin();
    if (pinned === undefined) return undefined;
    try {
      const read = await contentOrHandle(file, pinned, signal, (_handle, { size }): never => {
        throw new FileError(
          `${shownPath(file)} has ${size} bytes, more than this tool changes. Use a shell command.`,
        );
      });
      return 'content' in read ? read.content : undefined;
    } finally {
      pinned.close();
    }
  });
}

/** Returns null if there is no file. */
export async function hashOfFile(place: PinnedPlace, signal: AbortSignal): Promise<string | null> {
  return (await readContent(place, signal))?.hash ?? null;
}
