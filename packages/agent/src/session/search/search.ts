/** Searches sessions, newest first, and tells each hit as it is found. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { decode } from '../codec/decode.ts';
import { createBlobs } from '../files/blobs.ts';
import { blobsBeside, type SessionFile, sessionFilesOf } from '../files/session-files.ts';
import type { ListChoice } from '../listing/list.ts';
import { type Role, type TranscriptPart, transcriptPartsOf } from '../transcript/transcript.ts';
import type { TextMatcher } from './matcher.ts';
import { likelyLines, STORED_APART } from './sieve.ts';

export interface SessionHit {
  readonly session: SessionFile;
  readonly uuid: string;
  readonly at: number;
  readonly role: Role;
  /** The first line of what was said there that matches, and where. */
  readonly line: string;
  readonly start: number;
  readonly end: number;
  /** Further lines of the same that match. */
  readonly more: number;
}

interface SearchChoice extends ListChoice {
  readonly matcher: TextMatcher;
  /** Searches faster than we do. */
  readonly ripgrep?: Ripgrep | undefined;
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
      const decoded = decode(line, blobs);
      if (decoded.kind !== 'entry' || !('message' in decoded.entry)) continue;
      const { message } = decoded.entry;
      if (message === undefined || typeof message === 'string') continue;
      for (const piece of transcriptPartsOf(message)) {
        const hit = hitIn(piece, matcher);
        if (hit) yield { session, uuid: message.uuid, at: message.at, role: piece.role, ...hit };
      }
    }
  } catch {
    // It was removed while others were read.
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

export interface Ripgrep {
  readonly program: string;
}

/** Few files at first, so that something is told soon; a command line has its limits. */
const FIRST_BATCH = 128;
const LARGEST_BATCH = 1_024;

async function* candidates(
  files: readonly SessionFile[],
  matcher: TextMatcher,
  ripgrep: Ripgrep | undefined,
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

/** All of them where ripgrep cannot be started or cannot read one. */
async function withMatches(
  program: string,
  files: readonly SessionFile[],
  needle: string,
  ignoresCase: boolean,
): Promise<readonly SessionFile[]> {
  // Relative names hold nothing but letters, digits and dashes, so that a line is a name.
  const root = path.dirname(path.dirname(files[0]?.path ?? ''));
  const names = files.map((file) => path.relative(root, file.path));
  const flags = [...FLAGS, ...(ignoresCase ? ['--ignore-case'] : []), '-e', STORED_APART, '-e', needle];
  const child = spawn(program, [...flags, '--', ...names], {
    cwd: root,
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
