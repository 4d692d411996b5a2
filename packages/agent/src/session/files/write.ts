/** Writing to the end. The system may take fewer bytes than it was offered: a disk that is nearly full, a signal. */
import { closeSync, fdatasyncSync, fsyncSync, openSync, writeSync } from 'node:fs';

export function writeAll(descriptor: number, bytes: Uint8Array): void {
  let written = 0;
  while (written < bytes.length) written += writeSync(descriptor, bytes, written);
}

/**
 * A new file that only its owner can read; a link in its place is not followed. Throws, and may leave a part of it, when the
 * disk is full.
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

/** A file's name is kept by its folder: without this, a new file could be there and not be found. */
export function syncFolder(folder: string): void {
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
