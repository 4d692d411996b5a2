/** The facts about a session's file: read anew, or read on from where they were left. */
import { LineFile, wholeLength } from '../files/lines.ts';
import { createBlobs } from '../files/blobs.ts';
import { blobsBeside, type SessionFile } from '../files/session-files.ts';
import { absorb } from './absorb.ts';
import { type Facts, NO_FACTS } from './summary.ts';

const CHUNK = 8 * 1024 * 1024;
const SEAM = 48;

/** Undefined where the file cannot be read. */
export function readFacts({ path, id }: SessionFile, earlier?: Facts): Facts | undefined {
  try {
    const file = new LineFile(path);
    try {
      const known = earlier && onlyGrew(file, earlier) ? earlier : NO_FACTS;
      const blobs = createBlobs(blobsBeside(path), false);
      return readOn(file, known, (facts, bytes) => absorb(facts, bytes, id, blobs));
    } finally {
      file.close();
    }
  } catch {
    return undefined;
  }
}

function readOn(file: LineFile, known: Facts, take: (facts: Facts, bytes: Buffer) => Facts): Facts {
  let facts = known;
  for (let size = CHUNK; facts.readTo < file.size; ) {
    const end = Math.min(file.size, facts.readTo + size);
    const bytes = file.read(facts.readTo, end);
    const whole = wholeLength(bytes);
    if (whole > 0) facts = take(facts, bytes.subarray(0, whole));
    // The rest is a line that is still being written; or one that is longer than what was read.
    else if (end === file.size || bytes.length === 0) break;
    else size *= 2;
  }
  return { ...facts, seam: seamOf(file, facts.readTo) };
}

function onlyGrew(file: LineFile, { readTo, seam }: Facts): boolean {
  return readTo <= file.size && seamOf(file, readTo) === seam;
}

function seamOf(file: LineFile, readTo: number): string {
  return file.read(Math.max(0, readTo - SEAM), readTo).toString('base64');
}
