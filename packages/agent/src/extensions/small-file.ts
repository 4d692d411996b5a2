/** Reads a file without blocking on pipes, and no more of it than a limit. */
import { isUtf8 } from 'node:buffer';
import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  openSync,
  readSync,
  type Stats,
  statSync,
} from 'node:fs';
import { errorCode } from '@heddle/core';
import type { FileProblem } from './frontmatter.ts';

export interface SmallFile {
  readonly text: string;
  /** The size of the whole file in bytes. */
  readonly size: number;
  readonly stats: Stats;
  /** False if bytes were replaced because they are not UTF-8, or if the file has NUL characters. */
  readonly isText: boolean;
}

/** The first place in a file that is not text. The file still loads. */
export function unreadableText({ text, isText }: SmallFile): readonly FileProblem[] {
  if (isText) return [];
  const line = text.split(/[\uFFFD\0]/, 1)[0]?.split('\n').length ?? 1;
  return [{ line, message: 'The file is not UTF-8 text. Characters that cannot be read were replaced.' }];
}

/** A pipe under the name of a file must not block the program. Not defined on every platform. */
const READ = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);
const NO_FOLLOW = constants.O_NOFOLLOW ?? 0;

/** Returns whether the file is a regular one. It is not opened: opening takes data from a pipe, and starts some devices. */
export function isRegularFile(file: string): boolean {
  try {
    // Errors are slow to create, and most of the files that are looked for are absent.
    return statSync(file, { throwIfNoEntry: false })?.isFile() === true;
  } catch {
    return false;
  }
}

/** Undefined if the file is absent, unreadable or not a regular file. */
export function readSmallFile(file: string, maxBytes: number): SmallFile | undefined {
  if (!isRegularFile(file)) return undefined;
  try {
    return readOpened(openSync(file, READ), maxBytes);
  } catch {
    return undefined;
  }
}

/** Like `readSmallFile`, but does not follow a link in the last part of the path. Costs no further call for other files. */
export function readUnlinkedFile(file: string, maxBytes: number): SmallFile | 'link' | undefined {
  if (!existsSync(file)) return undefined;
  try {
    if (!NO_FOLLOW && lstatSync(file).isSymbolicLink()) return 'link';
    return readOpened(openSync(file, READ | NO_FOLLOW), maxBytes);
  } catch (thrown) {
    const code = errorCode(thrown);
    // FreeBSD reports a link with another code than Linux and macOS.
    return code === 'ELOOP' || code === 'EMLINK' ? 'link' : undefined;
  }
}

/** Closes the descriptor. */
function readOpened(descriptor: number, maxBytes: number): SmallFile | undefined {
  try {
    const about = fstatSync(descriptor);
    if (!about.isFile()) return undefined;
    // A file of `/proc` has the size 0, and its content may have no end.
    const bytes = Buffer.alloc(about.size === 0 ? maxBytes + 1 : Math.min(about.size, maxBytes));
    let length = 0;
    for (let read = -1; read !== 0 && length < bytes.length; length += read)
      read = readSync(descriptor, bytes, length, bytes.length - length, null);
    const isCut = about.size > maxBytes;
    return {
      isText: isCut || (isUtf8(bytes.subarray(0, length)) && !bytes.subarray(0, length).includes(0)),
      text: bytes.toString('utf8', 0, Math.min(length, maxBytes)),
      size: Math.max(about.size, length),
      stats: about,
    };
  } finally {
    closeSync(descriptor);
  }
}
