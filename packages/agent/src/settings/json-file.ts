/** JSON files of settings, jobs, schedules and teams. A write is complete or has no effect, so that a reader never sees a part. */
import {
  closeSync,
  constants,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readlinkSync,
  readSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { randomUUID } from 'node:crypto';
import type * as z from 'zod';

/** Returns undefined if the file does not exist, or does not have this shape. */
export function readJson<Value>(file: string, schema: z.ZodType<Value>): Value | undefined {
  try {
    const value: unknown = JSON.parse(readRegularFile(file));
    return schema.safeParse(value).data;
  } catch {
    return undefined;
  }
}

const MEGABYTE = 1024 * 1024;
/** In bytes: more than any file of settings, records or servers needs. */
const LARGEST_FILE = 16 * MEGABYTE;
/** In bytes: a clone decides about the files of its project. */
export const LARGEST_PROJECT_FILE = MEGABYTE;

/**
 * Throws if the file cannot be read, is too large, or is not a regular file: a pipe or a device would block, or fill the memory. The opened
 * file is examined, so it does not matter what its path becomes.
 */
export function readRegularFile(file: string, mostBytes = LARGEST_FILE): string {
  const tooLarge = `it is larger than ${mostBytes / MEGABYTE} MB`;
  const descriptor = openSync(file, READ);
  try {
    const about = fstatSync(descriptor);
    if (!about.isFile()) throw new Error('it is not a regular file');
    if (about.size > mostBytes) throw new Error(tooLarge);
    // A file of `/proc` has the size 0, and a file may grow.
    const chunks: Buffer[] = [];
    for (let size = 0; ; ) {
      const chunk = Buffer.alloc(Math.max(about.size - size, 0) + SPARE_BYTES);
      const count = readSync(descriptor, chunk);
      if (count === 0) return Buffer.concat(chunks).toString('utf8');
      size += count;
      if (size > mostBytes) throw new Error(tooLarge);
      chunks.push(chunk.subarray(0, count));
    }
  } finally {
    closeSync(descriptor);
  }
}

const SPARE_BYTES = 4_096;

/** More than any settings need. Each level takes a call of the functions that compare and merge them. */
const MOST_LEVELS = 200;

export const TOO_DEEP = `it has more than ${MOST_LEVELS} levels`;

/** Whether a JSON text contains more levels of lists and objects than settings need. Never throws. */
export function isTooDeep(json: string): boolean {
  let [level, isInString] = [0, false];
  for (let at = 0; at < json.length; at++) {
    const sign = json[at];
    if (sign === '"') isInString = !isInString;
    else if (isInString) at += sign === '\\' ? 1 : 0;
    else if (sign === '[' || sign === '{') level++;
    else if (sign === ']' || sign === '}') level--;
    if (level > MOST_LEVELS) return true;
  }
  return false;
}

/** Without `O_NONBLOCK`, opening a pipe blocks until another program writes to it. Not defined on every platform. */
const READ = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/** A program that writes to a named pipe may start later than the reader. */
const WRITER_DEADLINE_MS = 3_000;
/** The writer may ask the user for a password. */
const PIPE_DEADLINE_MS = 60_000;
const PIPE_PAUSE_MS = 10;
const LARGEST_PIPE_BYTES = 16 * 1024 * 1024;

/** Reads a file or a pipe. Throws if it cannot be read, or if a pipe has no writer, or one that does not end in time. */
export function readFileOrPipe(file: string): string {
  if (!statSync(file).isFIFO()) return readFileSync(file, 'utf8');
  const descriptor = openSync(file, READ);
  try {
    return readPipe(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function readPipe(descriptor: number): string {
  const started = performance.now();
  const pause = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const buffer = Buffer.alloc(65_536);
  const chunks: Buffer[] = [];
  let [size, hasWriter] = [0, false];
  for (;;) {
    const count = readAvailable(descriptor, buffer);
    hasWriter ||= count !== 0;
    if (count === 0 && hasWriter) return Buffer.concat(chunks).toString('utf8');
    size += count ?? 0;
    if (size > LARGEST_PIPE_BYTES) throw new Error('the pipe contains too much text');
    chunks.push(Buffer.from(buffer.subarray(0, count ?? 0)));
    if (performance.now() - started > (hasWriter ? PIPE_DEADLINE_MS : WRITER_DEADLINE_MS))
      throw new Error(hasWriter ? 'the text of the pipe does not end' : 'no program writes to the pipe');
    if (!count) Atomics.wait(pause, 0, 0, PIPE_PAUSE_MS);
  }
}

/** Returns the number of bytes. It is 0 if the pipe has no writer, and undefined if its writer has not written yet. */
function readAvailable(descriptor: number, buffer: Buffer): number | undefined {
  try {
    return readSync(descriptor, buffer);
  } catch (thrown) {
    if (thrown instanceof Error && 'code' in thrown && thrown.code === 'EAGAIN') return undefined;
    throw thrown;
  }
}

/** `mode`: the mode of a new file. */
export function writeJson(file: string, value: object, mode = 0o644): void {
  mkdirSync(path.dirname(file), { recursive: true });
  // Writes through a link, so that a settings file elsewhere stays there.
  const target = linkTarget(file);
  const draft = `${target}.${randomUUID()}.tmp`;
  try {
    writeFileSync(draft, `${JSON.stringify(value, undefined, 2)}\n`, { mode: modeOf(target) ?? mode });
    renameSync(draft, target);
  } finally {
    rmSync(draft, { force: true });
  }
}

/** Returns the file that a write to this path would change, existing or not. Follows links in all its folders. */
export function linkTarget(file: string, hops = MOST_LINKS): string {
  try {
    return realpathSync.native(file);
  } catch {
    // It does not exist yet: a broken link, or a new name in a folder.
  }
  const link = hops > 0 ? linkedTo(file) : undefined;
  if (link !== undefined) return linkTarget(link, hops - 1);
  const parent = path.dirname(file);
  return parent === file ? file : path.join(linkTarget(parent, hops), path.basename(file));
}

/** The limit of Linux. */
const MOST_LINKS = 40;

function linkedTo(file: string): string | undefined {
  try {
    return path.resolve(path.dirname(file), readlinkSync(file));
  } catch {
    return undefined;
  }
}

function modeOf(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.mode;
}
