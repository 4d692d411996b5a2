/** Searches sessions, newest first, and yields each match as it is found. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { ownEnvironment } from '@heddle/tools';
import { decodeEntry } from '../codec/decode.ts';
import { createBlobs } from '../files/blobs.ts';
import { LineFile, wholeLength } from '../files/lines.ts';
import { blobsBeside, type SessionFile, sessionFilesOf } from '../files/session-files.ts';
import type { ListChoice } from '../listing/list.ts';
import { type Role, type TranscriptPart, transcriptPartsOf } from '../transcript/transcript.ts';
import { jsonEscaped, type TextMatcher } from './matcher.ts';

export interface SessionHit {
  readonly session: SessionFile;
  readonly uuid: string;
  readonly at: number;
  readonly role: Role;
  /** The first matching line of the message, and the position in it. */
  readonly line: string;
  readonly start: number;
  readonly end: number;
  /** The number of further matching lines of the message. */
  readonly more: number;
}

interface SearchChoice extends ListChoice {
  readonly matcher: TextMatcher;
  /** A faster search program. */
  readonly ripgrep?: SearchProgram | undefined;
}

export async function* searchSessions({
  matcher,
  ripgrep,
  ...place
}: SearchChoice): AsyncGenerator<SessionHit> {
  const files = sessionFilesOf(place);
  files.sort((left, right) => right.mtimeMs - left.mtimeMs);
  for await (const file of candidates(files, matcher, ripgrep)) yield* hitsIn(file, matcher);
}

function* hitsIn(session: SessionFile, matcher: TextMatcher): Generator<SessionHit> {
  const blobs = createBlobs(blobsBeside(session.path), false);
  try {
    for (const line of likelyLines(session.path, matcher)) {
      const decoded = decodeEntry(line, blobs);
      if (decoded.kind !== 'entry' || !('message' in decoded.entry)) continue;
      const { message } = decoded.entry;
      if (message === undefined || typeof message === 'string') continue;
      for (const piece of transcriptPartsOf(message)) {
        const hit = hitIn(piece, matcher);
        if (hit) yield { session, uuid: message.uuid, at: message.at, role: piece.role, ...hit };
      }
    }
  } catch {
    // The session was removed during the search.
  }
}

function hitIn(
  { text }: TranscriptPart,
  matcher: TextMatcher,
): Pick<SessionHit, 'line' | 'start' | 'end' | 'more'> | undefined {
  let first: Pick<SessionHit, 'line' | 'start' | 'end'> | undefined;
  let lines = 0;
  for (const line of text.split('\n')) {
    const place = matcher.find(line);
    if (!place) continue;
    first ??= { line, ...place };
    lines++;
  }
  return first && { ...first, more: lines - 1 };
}

export interface SearchProgram {
  readonly program: string;
}

/** Starts with few files, so that the first match is reported soon. The length of a command line is limited. */
const FIRST_BATCH = 128;
const LARGEST_BATCH = 1_024;

async function* candidates(
  files: readonly SessionFile[],
  matcher: TextMatcher,
  ripgrep: SearchProgram | undefined,
): AsyncGenerator<SessionFile> {
  const { needle } = matcher;
  if (!ripgrep || needle === undefined) return yield* files;
  for (let start = 0, size = FIRST_BATCH; start < files.length; ) {
    const batch = files.slice(start, start + size);
    yield* await withMatches(ripgrep.program, batch, needle, matcher.ignoresCase);
    start += size;
    size = LARGEST_BATCH;
  }
}

/** Returns all files if ripgrep cannot be started or cannot read one. */
async function withMatches(
  program: string,
  files: readonly SessionFile[],
  needle: string,
  ignoresCase: boolean,
): Promise<readonly SessionFile[]> {
  // Relative names contain only letters, digits and dashes, so each output line is a name.
  const root = path.dirname(path.dirname(files[0]?.path ?? ''));
  const names = files.map((file) => path.relative(root, file.path));
  const flags = [...FLAGS, ...(ignoresCase ? ['--ignore-case'] : []), '-e', STORED_APART, '-e', needle];
  const child = spawn(program, [...flags, '--', ...names], {
    cwd: root,
    env: ownEnvironment(),
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  if ((await exitCode(child)) > NOTHING_FOUND) return files;
  const found = new Set(output.split('\n'));
  return files.filter((_, index) => found.has(names[index] ?? ''));
}

const FLAGS = ['--no-config', '--no-ignore', '--hidden', '--text', '--files-with-matches', '--fixed-strings'];

const NOTHING_FOUND = 1;
const FAILED = 2;

async function exitCode(child: ChildProcess): Promise<number> {
  try {
    await once(child, 'close');
    return child.exitCode ?? FAILED;
  } catch {
    return FAILED;
  }
}

const CHUNK = 4 * 1024 * 1024;
const NEW_LINE = 0x0a;

/** The end of a line whose long texts are stored separately. They may contain a match, too. */
const STORED_APART = 'storedApart":true';

export function* likelyLines(path: string, matcher: TextMatcher): Generator<string> {
  const file = new LineFile(path);
  const wanted = bytePattern(matcher);
  try {
    let read = 0;
    for (let size = CHUNK; read < file.size; ) {
      const end = Math.min(file.size, read + size);
      const bytes = file.read(read, end);
      // The last line may lack its line end.
      const whole = end === file.size ? bytes.length : wholeLength(bytes);
      if (bytes.length === 0) return;
      if (whole > 0) yield* linesWith(wanted, bytes.subarray(0, whole));
      else size *= 2;
      read += whole;
    }
  } finally {
    file.close();
  }
}

/** Each byte is treated as a letter, so a match is a position in the bytes. */
function* linesWith(wanted: RegExp, bytes: Buffer): Generator<string> {
  const letters = bytes.toString('latin1');
  wanted.lastIndex = 0;
  for (let match = wanted.exec(letters); match; match = wanted.exec(letters)) {
    const start = bytes.lastIndexOf(NEW_LINE, match.index) + 1;
    const found = bytes.indexOf(NEW_LINE, match.index);
    const end = found < 0 ? bytes.length : found;
    if (end > start) yield bytes.toString('utf8', start, end);
    wanted.lastIndex = end + 1;
    if (end + 1 >= bytes.length) return;
  }
}

function bytePattern({ needle, ignoresCase }: TextMatcher): RegExp {
  const plain = needle === undefined || !ignoresCase ? needle : plainRun(needle);
  // Without a text, every line matches.
  if (plain === undefined || plain === '') return /[^\n]/g;
  const letters = Buffer.from(plain).toString('latin1');
  return new RegExp(`${jsonEscaped(letters)}|${jsonEscaped(STORED_APART)}`, ignoresCase ? 'gi' : 'g');
}

/** Returns the longest ASCII run. Only in ASCII is each letter one byte, also as a capital. */
function plainRun(needle: string): string {
  // oxlint-disable-next-line no-control-regex -- all of ASCII is meant
  const runs = needle.match(/[\u0000-\u007f]+/g) ?? [];
  return runs.reduce((best, run) => (run.length > best.length ? run : best), '');
}
