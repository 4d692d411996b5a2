/** A file's whole content, read without waiting for ever: only regular files, up to a size that fits in memory. */
import { createHash } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { stopIfAborted } from './abort.ts';
import { codeOf, FileError, fileError, shownPath } from './errors.ts';

/** Beyond this a file is only read page by page, and not edited: its hash and its text would cost too much. */
export const MAX_WHOLE_BYTES = 32 * 1024 * 1024;

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

/** Runs `use` on the open file. A pipe or device is refused before it is opened, and cannot block the opening either. */
export async function withFile<T>(
  file: string,
  use: (handle: FileHandle, about: Stats) => Promise<T>,
): Promise<T> {
  try {
    refuseSpecial(file, await stat(file));
    const handle = await open(file, constants.O_RDONLY | NONBLOCK);
    try {
      const about = await handle.stat();
      refuseSpecial(file, about);
      return await use(handle, about);
    } finally {
      await handle.close();
    }
  } catch (thrown) {
    throw codeOf(thrown) === undefined ? thrown : fileError('cannot be read', file, thrown);
  }
}

/** Not defined on every platform. */
const NONBLOCK = constants.O_NONBLOCK ?? 0;

function refuseSpecial(file: string, about: Stats): void {
  if (about.isFile()) return;
  const name = shownPath(file);
  if (about.isDirectory()) throw new FileError(`${name} is a directory, not a file.`);
  const kind = about.isFIFO() ? 'a pipe' : about.isSocket() ? 'a socket' : 'a device';
  throw new FileError(`${name} is ${kind}, not a regular file: reading it could wait for ever.`);
}

export async function contentOf(handle: FileHandle, about: Stats, signal: AbortSignal): Promise<Content> {
  const bytes = await readAll(handle, signal);
  const { mode, uid, gid, mtimeMs } = about;
  return { bytes, hash: hashOf(bytes), mode, uid, gid, mtimeMs };
}

async function readAll(handle: FileHandle, signal: AbortSignal): Promise<Buffer> {
  stopIfAborted(signal);
  try {
    return await handle.readFile({ signal });
  } catch (thrown) {
    stopIfAborted(signal);
    throw thrown;
  }
}

/** Undefined where there is no file. For files that are about to be changed. */
export async function readContent(file: string, signal: AbortSignal): Promise<Content | undefined> {
  try {
    return await withFile(file, (handle, about) => {
      if (about.size > MAX_WHOLE_BYTES) {
        throw new FileError(
          `${shownPath(file)} has ${about.size} bytes, more than this tool changes. Use a shell command.`,
        );
      }
      return contentOf(handle, about, signal);
    });
  } catch (thrown) {
    if (thrown instanceof FileError && codeOf(thrown.cause) === 'ENOENT') return undefined;
    throw thrown;
  }
}

/** Null where there is no file. */
export async function hashOfFile(file: string, signal: AbortSignal): Promise<string | null> {
  return (await readContent(file, signal))?.hash ?? null;
}
