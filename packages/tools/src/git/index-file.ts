/** Reads git's index, the list of tracked files. Formats 2 to 4, without git. */
import { readBoundedFile, stampOfFile } from './bounded-file.ts';

export interface GitIndex {
  /** Git's own paths, relative to the top of the working tree. */
  readonly paths: readonly string[];
  /** Tracked repositories inside this one. */
  readonly gitlinks: readonly string[];
}

export type HashLength = 20 | 32;

const EMPTY: GitIndex = { paths: [], gitlinks: [] };

/** About a million files. */
const MOST_BYTES = 128 * 1024 * 1024;
/** Time stamps are coarse: a younger file may change again with the same stamp. */
const YOUNG_MS = 50;
const MOST_REMEMBERED = 2;

const remembered = new Map<
  string,
  { readonly stamp: string; readonly hash: HashLength; readonly index: GitIndex }
>();

/**
 * Returns undefined if it cannot be read, or is only a part of the index. Without a file nothing is
 * tracked.
 */
export function readGitIndex(file: string, hash: HashLength): GitIndex | undefined {
  const known = remembered.get(file);
  if (known?.hash === hash && known.stamp === stampOfFile(file)?.text) return known.index;
  remembered.delete(file);
  const read = readBoundedFile(file, MOST_BYTES);
  if (read.kind === 'absent') return EMPTY;
  if (read.kind === 'unreadable') return undefined;
  const index = parseGitIndex(read.bytes, hash);
  if (index && Date.now() - read.stamp.changedAtMs > YOUNG_MS) {
    for (const oldest of remembered.keys()) {
      if (remembered.size < MOST_REMEMBERED) break;
      remembered.delete(oldest);
    }
    remembered.set(file, { stamp: read.stamp.text, hash, index });
  }
  return index;
}

const HEADER_BYTES = 12;
/** Times, device, inode, mode, owner, group and size. */
const STAT_BYTES = 40;
const MODE_AT = 24;
const GITLINK = 0o16;
const SPARSE_FOLDER = 0o04;
const EXTENDED = 0x4000;
const EXTENSION_HEADER_BYTES = 8;

function parseGitIndex(bytes: Buffer, hash: HashLength): GitIndex | undefined {
  if (bytes.length < HEADER_BYTES + hash || bytes.toString('latin1', 0, 4) !== 'DIRC') return undefined;
  const version = bytes.readUInt32BE(4);
  const count = bytes.readUInt32BE(8);
  const end = bytes.length - hash;
  if (version < 2 || version > 4) return undefined;
  const paths: string[] = [];
  const gitlinks: string[] = [];
  let before: Buffer = Buffer.alloc(0);
  let at = HEADER_BYTES;
  for (let entry = 0; entry < count; entry++) {
    const flagsAt = at + STAT_BYTES + hash;
    if (flagsAt + 4 > end) return undefined;
    const kind = bytes.readUInt32BE(at + MODE_AT) >>> 12;
    const isExtended = (bytes.readUInt16BE(flagsAt) & EXTENDED) !== 0;
    if (isExtended && version < 3) return undefined;
    let nameAt = flagsAt + (isExtended ? 4 : 2);
    let shared = 0;
    if (version === 4) {
      const stripped = readOffset(bytes, nameAt, end);
      if (stripped === undefined || stripped.value > before.length) return undefined;
      shared = before.length - stripped.value;
      nameAt = stripped.end;
    }
    const nameEnd = bytes.indexOf(0, nameAt);
    if (nameEnd < 0 || nameEnd >= end) return undefined;
    const own = bytes.subarray(nameAt, nameEnd);
    const name = shared === 0 ? own : Buffer.concat([before.subarray(0, shared), own]);
    before = name;
    // Entries before format 4 are padded with 1 to 8 NUL bytes.
    at = version === 4 ? nameEnd + 1 : at + ((nameEnd - at + 8) & ~7);
    // A whole folder represents files that are not listed.
    if (kind === SPARSE_FOLDER) return undefined;
    const path = name.toString('utf8');
    paths.push(path);
    if (kind === GITLINK) gitlinks.push(path);
  }
  return hasOnlyOptionalExtensions(bytes, at, end) ? { paths, gitlinks } : undefined;
}

/** Git's variable-length number, most significant part first. */
function readOffset(
  bytes: Buffer,
  start: number,
  end: number,
): { readonly value: number; readonly end: number } | undefined {
  let value = 0;
  for (let at = start; at < end && at < start + 5; at++) {
    const byte = bytes.readUInt8(at);
    value = at === start ? byte & 0x7f : (value + 1) * 128 + (byte & 0x7f);
    if ((byte & 0x80) === 0) return { value, end: at + 1 };
  }
  return undefined;
}

/**
 * An extension with a lowercase name is required: a split index, a sparse one, or one of a future version.
 */
function hasOnlyOptionalExtensions(bytes: Buffer, start: number, end: number): boolean {
  let at = start;
  while (at + EXTENSION_HEADER_BYTES <= end) {
    if (!/^[A-Z]/.test(bytes.toString('latin1', at, at + 4))) return false;
    at += EXTENSION_HEADER_BYTES + bytes.readUInt32BE(at + 4);
  }
  return at === end;
}
