/** Searches sessions, newest first, and tells each hit as it is found. */
import { decode } from '../codec/decode.ts';
import { createBlobs } from '../files/blobs.ts';
import { blobsBeside, type SessionFile, sessionFilesOf } from '../files/session-files.ts';
import type { ListChoice } from '../listing/list.ts';
import { type Piece, piecesOf, type Role } from '../transcript/pieces.ts';
import { candidates, type Ripgrep } from './candidates.ts';
import type { Matcher } from './matcher.ts';
import { likelyLines } from './sieve.ts';

export interface Hit {
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

export interface SearchChoice extends ListChoice {
  readonly matcher: Matcher;
  /** Searches faster than we do. */
  readonly ripgrep?: Ripgrep | undefined;
}

export async function* searchSessions({ matcher, ripgrep, ...place }: SearchChoice): AsyncGenerator<Hit> {
  const files = sessionFilesOf(place);
  files.sort((left, right) => right.mtimeMs - left.mtimeMs);
  for await (const file of candidates(files, matcher, ripgrep)) yield* hitsIn(file, matcher);
}

function* hitsIn(session: SessionFile, matcher: Matcher): Generator<Hit> {
  const blobs = createBlobs(blobsBeside(session.path), false);
  try {
    for (const line of likelyLines(session.path, matcher)) {
      const decoded = decode(line, blobs);
      if (decoded.kind !== 'entry' || !('message' in decoded.entry)) continue;
      const { message } = decoded.entry;
      if (message === undefined || typeof message === 'string') continue;
      for (const piece of piecesOf(message)) {
        const hit = hitIn(piece, matcher);
        if (hit) yield { session, uuid: message.uuid, at: message.at, role: piece.role, ...hit };
      }
    }
  } catch {
    // It was removed while others were read.
  }
}

function hitIn({ text }: Piece, matcher: Matcher): Pick<Hit, 'line' | 'start' | 'end' | 'more'> | undefined {
  let first: Pick<Hit, 'line' | 'start' | 'end'> | undefined;
  let lines = 0;
  for (const line of text.split('\n')) {
    const place = matcher.find(line);
    if (!place) continue;
    first ??= { line, ...place };
    lines++;
  }
  return first && { ...first, more: lines - 1 };
}
