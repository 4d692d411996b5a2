/**
 * Reads a small regular file. A project controls its files: a pipe would block, a device could have any
 * effect, and a huge file would take long. All of these are `unreadable`, and so is a path that means another file for git.
 */
import { type BigIntStats, closeSync, constants, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { errorCode } from '@heddle/core';
import { dependsOnProcess } from './git-path.ts';

export type BoundedFile =
  | { readonly kind: 'read'; readonly bytes: Buffer; readonly stamp: FileStamp }
  | { readonly kind: 'absent' }
  | { readonly kind: 'unreadable' };

/** Equal stamps mean equal content, unless the file was young at the first stamp. */
export interface FileStamp {
  readonly text: string;
  readonly changedAtMs: number;
}

const ABSENT: BoundedFile = { kind: 'absent' };
const UNREADABLE: BoundedFile = { kind: 'unreadable' };

export function readBoundedFile(file: string, mostBytes: number): BoundedFile {
  if (dependsOnProcess(file)) return UNREADABLE;
  try {
    // Opening some devices has an effect, so the kind is checked before.
    if (!statSync(file).isFile()) return UNREADABLE;
  } catch (thrown) {
    return isMissing(thrown) ? ABSENT : UNREADABLE;
  }
  let descriptor: number | undefined;
  try {
    // Without O_NONBLOCK, a pipe that replaced the file in the meantime would block.
    descriptor = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    const before = stamped(fstatSync(descriptor, { bigint: true }));
    if (before === undefined || before.size > mostBytes) return UNREADABLE;
    const bytes = Buffer.alloc(before.size);
    let length = 0;
    while (length < bytes.length) {
      const read = readSync(descriptor, bytes, length, bytes.length - length, length);
      if (read === 0) break;
      length += read;
    }
    const after = stamped(fstatSync(descriptor, { bigint: true }));
    const isSame = after?.stamp.text === before.stamp.text && length === before.size;
    return isSame ? { kind: 'read', bytes, stamp: before.stamp } : UNREADABLE;
  } catch (thrown) {
    return isMissing(thrown) ? ABSENT : UNREADABLE;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/** Returns UTF-8 text without NUL. Undefined for anything else. */
export function decodePlainText(bytes: Buffer): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return text.includes('\0') ? undefined : text;
  } catch {
    return undefined;
  }
}

/** Returns undefined if it is missing or not a regular file, or if its path depends on the process. */
export function stampOfFile(file: string): FileStamp | undefined {
  if (dependsOnProcess(file)) return undefined;
  try {
    return stamped(statSync(file, { bigint: true }))?.stamp;
  } catch {
    return undefined;
  }
}

function stamped(about: BigIntStats): { readonly size: number; readonly stamp: FileStamp } | undefined {
  if (!about.isFile()) return undefined;
  const { dev, ino, size, mtimeNs, ctimeNs, ctimeMs } = about;
  return {
    size: Number(size),
    stamp: { text: [dev, ino, size, mtimeNs, ctimeNs].join(' '), changedAtMs: Number(ctimeMs) },
  };
}

/** A part of the path is a file, so nothing can be there. */
function isMissing(thrown: unknown): boolean {
  return /^(ENOENT|ENOTDIR)$/.test(String(errorCode(thrown)));
}
