/** Converts file system errors to messages that a model can act on. */
import { errorCode } from '@heddle/core';

/**
 * Formats a file name for a sentence. A name with control characters is quoted, so that it cannot look
 * like our own text.
 */
export function shownPath(file: string): string {
  // oxlint-disable-next-line no-control-regex -- controls are what is looked for
  return /[\u0000-\u001f\u007f\u2028\u2029]/.test(file) ? JSON.stringify(file) : file;
}

export function fileError(what: string, file: string, thrown: unknown): Error {
  if (thrown instanceof FileError) return thrown;
  return new FileError(`${shownPath(file)} ${what}: ${fileErrorReason(thrown)}.`, { cause: thrown });
}

/** An error whose message already names the file and the reason. */
export class FileError extends Error {
  override readonly name = 'FileError';
}

/** Returns the message about a file that is not text. All tools share it. */
export function binaryFileError(file: string, kind?: string): FileError {
  const about = kind === undefined ? '' : ` (${kind})`;
  return new FileError(
    `${shownPath(file)} is a binary file${about}, and this tool works on text. Use a command such as file or xxd.`,
  );
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or folder',
  EACCES: 'permission denied',
  EPERM: 'the system does not permit it',
  ELOOP: 'its symbolic links go in a circle',
  ENOTDIR: 'a part of its path is a file, not a folder',
  EISDIR: 'it is a folder',
  EEXIST: 'something with that name is in the way',
  ENAMETOOLONG: 'its name is too long',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EFBIG: 'it would be larger than this process may write',
  EROFS: 'the file system is read-only',
  EBUSY: 'it is in use, or a mount point',
  ETXTBSY: 'it is a program that is running',
  EMFILE: 'too many files are open',
  EIO: 'the disk reported an error',
  EAGAIN: 'it has nothing to give at the moment',
  ERR_INVALID_ARG_VALUE: 'its name contains a NUL character',
};

export function fileErrorReason(thrown: unknown): string {
  const code = errorCode(thrown);
  const known = typeof code === 'string' && Object.hasOwn(REASONS, code) ? REASONS[code] : undefined;
  return known ?? (thrown instanceof Error ? systemMessage(thrown) : String(thrown));
}

/** Omits the system call and the path, because the path may be that of a descriptor. */
function systemMessage(thrown: Error): string {
  return 'syscall' in thrown ? thrown.message.replace(/, \w+(?: '.*)?$/s, '') : thrown.message;
}
