/** Reads git's index, the list of tracked files. Formats 2 to 4, without git. */
import path from 'node:path';
import { readBoundedFile, stampOfFile } from './bounded-file.ts';
import { readGitConfigFile } from './config-files.ts';
import type { GitRepository } from './repository.ts';

export interface GitIndex {
  /** Git's own paths, relative to the top of the working tree. */
  readonly paths: readonly string[];
  /** Tracked repositories inside this one. */
  readonly gitlinks: readonly string[];
  /** For each path, the times and the size that its file had: `STAMP_NUMBERS` numbers. */
  readonly stamps: Uint32Array;
}

/** Seconds and nanoseconds of the change of status, the same for the content, and the size. */
export const STAMP_NUMBERS = 5;

export type HashLength = 20 | 32;

const EMPTY: GitIndex = { paths: [], gitlinks: [], stamps: new Uint32Array(0) };

/** About a million files. */
const MOST_BYTES = 128 * 1024 * 1024;
/** Time stamps are coarse: a younger file may change again with the same stamp. */
const YOUNG_MS = 50;
const MOST_REMEMBERED = 2;

const remembered = new Map<
  string,
  { readonly stamp: string; readonly hash: HashLength; readonly index: GitIndex }
>();

/** Returns undefined if it cannot be read as git reads it. */
export function indexOf({ commonDir, gitDir }: GitRepository): GitIndex | undefined {
  const hash = hashLength(path.join(commonDir, 'config'));
  return hash === undefined ? undefined : readGitIndex(path.join(gitDir, 'index'), hash);
}

/** Git takes the format of a repository only from this file, without its includes, and only if its version is 1. */
function hashLength(config: string): HashLength | undefined {
  const settings = readGitConfigFile(config);
  if (settings === undefined || settings === 'absent') return undefined;
  const valuesOf = (name: string): readonly (string | undefined)[] =>
    settings.filter(({ key }) => key === name).map(({ value }) => value);
  const [format, ...others] = valuesOf('extensions.objectformat');
  if (format === undefined && others.length === 0) return 20;
  if (others.length > 0 || valuesOf('core.repositoryformatversion').join() !== '1') return undefined;
  return format === 'sha256' ? 32 : format === 'sha1' ? 20 : undefined;
}

/**
 * Returns undefined if it cannot be read as git reads it, or is only a part of the index. Without a file nothing is
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
/** The places of the numbers of a stamp. */
const STAMP_AT = [0, 4, 8, 12, 36];
const GITLINK = 0o160000;
/** Files, links and tracked repositories. A whole folder represents files that are not listed. */
const MODES: ReadonlySet<number> = new Set([0o100644, 0o100755, 0o120000, GITLINK]);
const EXTENDED = 0x4000;
/** The length of the name, or this number for a longer one. */
const LENGTH_MASK = 0xfff;
const EXTENSION_HEADER_BYTES = 8;

function parseGitIndex(bytes: Buffer, hash: HashLength): GitIndex | undefined {
  if (bytes.length < HEADER_BYTES + hash || bytes.toString('latin1', 0, 4) !== 'DIRC') return undefined;
  const version = bytes.readUInt32BE(4);
  const count = bytes.readUInt32BE(8);
  const end = bytes.length - hash;
  if (version < 2 || version > 4) return undefined;
  const paths: string[] = [];
  const gitlinks: string[] = [];
  const stamps: number[] = [];
  let before: Buffer = Buffer.alloc(0);
  let at = HEADER_BYTES;
  for (let entry = 0; entry < count; entry++) {
    const entryAt = at;
    const flagsAt = at + STAT_BYTES + hash;
    if (flagsAt + 4 > end) return undefined;
    const mode = bytes.readUInt32BE(at + MODE_AT);
    if (!MODES.has(mode)) return undefined;
    const flags = bytes.readUInt16BE(flagsAt);
    const isExtended = (flags & EXTENDED) !== 0;
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
    // Git takes the length from the flags, so the next entry may start elsewhere.
    if ((flags & LENGTH_MASK) !== Math.min(name.length, LENGTH_MASK)) return undefined;
    // Entries before format 4 are padded with 1 to 8 NUL bytes.
    at = version === 4 ? nameEnd + 1 : at + ((nameEnd - at + 8) & ~7);
    const file = name.toString('utf8');
    if (STRANGE_NAME.test(file)) return undefined;
    paths.push(file);
    for (const place of STAMP_AT) stamps.push(bytes.readUInt32BE(entryAt + place));
    if (mode === GITLINK) gitlinks.push(file);
  }
  return hasOnlyKnownExtensions(bytes, at, end)
    ? { paths, gitlinks, stamps: Uint32Array.from(stamps) }
    : undefined;
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

/** Git stores no such name. A file could be outside the working tree. */
const STRANGE_NAME = /(^|\/)(\.{0,2}|\.git)(\/|$)/i;

/** Extensions that change nothing about the entries. Others are a split or sparse index, or offsets at which git reads entries. */
const KNOWN_EXTENSIONS = /^(TREE|REUC|UNTR|FSMN)$/;

function hasOnlyKnownExtensions(bytes: Buffer, start: number, end: number): boolean {
  let at = start;
  while (at + EXTENSION_HEADER_BYTES <= end) {
    if (!KNOWN_EXTENSIONS.test(bytes.toString('latin1', at, at + 4))) return false;
    at += EXTENSION_HEADER_BYTES + bytes.readUInt32BE(at + 4);
  }
  return at === end;
}
