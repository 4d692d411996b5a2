/**
 * Writes all bytes. The system may accept fewer bytes than offered, for example on a nearly full disk or after a
 * signal.
 */
import { closeSync, fdatasyncSync, fsyncSync, openSync, writeSync } from 'node:fs';

export function writeAll(descriptor: number, bytes: Uint8Array): void {
  let written = 0;
  while (written < bytes.length) written += writeSync(descriptor, bytes, written);
}

/**
 * Writes a new file that only its owner can read. Does not follow a link in its place. Throws on a full disk, and may
 * leave a partial file.
 */
export function writeFileWhole(file: string, bytes: Uint8Array, durable: boolean): void {
  const descriptor = openSync(file, 'wx', 0o600);
  try {
    writeAll(descriptor, bytes);
    if (durable) fdatasyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** The folder stores a file's name. Without this call, a new file could exist and not be found. */
export function syncFolder(folder: string): void {
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Explains why a file could not be read or stored, followed by the system's own message. */
const WORDS: Readonly<Record<string, string>> = {
  EACCES: 'permission is denied',
  EPERM: 'permission is denied',
  EROFS: 'the disk is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  ENOTDIR: 'a file stands where a folder is needed',
};

/** Messages for errors of the lock database. */
const LOCK_WORDS: Readonly<Record<number, string>> = {
  8: 'permission is denied',
  13: 'the disk is full',
  14: 'permission is denied',
};

export function storageErrorReason(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown);
  const words = wordsFor(thrown);
  return words === undefined ? thrown.message : `${words} (${thrown.message})`;
}

function wordsFor(error: Error): string | undefined {
  if ('errcode' in error && typeof error.errcode === 'number') return LOCK_WORDS[error.errcode & 0xff];
  return 'code' in error && typeof error.code === 'string' ? WORDS[error.code] : undefined;
}
