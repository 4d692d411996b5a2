/** All that a session's file holds, line by line. Resuming does without: it reads from the last boundary on (`open/load.ts`). */
import type { Blobs } from '../files/blobs.ts';
import { LineFile, wholeLength, wholeLines } from '../files/lines.ts';
import { objectsIn, withoutOldBranches } from './branches.ts';
import { type Decoded, decode, parseLine } from './decode.ts';
import { SESSION_START } from './encode.ts';

/** A last line that was never finished is a damaged one. Throws where the file cannot be read at all. */
export function* decodedLines(path: string, blobs?: Blobs): Generator<Decoded> {
  const file = new LineFile(path);
  try {
    const bytes = file.read(0, file.size);
    const lines = isFromAnotherTool(bytes) ? conversationLines([...wholeLines(bytes)]) : wholeLines(bytes);
    for (const line of lines) yield* decodeLine(line, blobs);
    const torn = bytes.subarray(wholeLength(bytes));
    if (torn.length > 0) yield decode(torn.toString('utf8'), blobs);
  } finally {
    file.close();
  }
}

/** Heddle begins every file of its own with the state of the session. */
export function isFromAnotherTool(bytes: Buffer): boolean {
  return bytes.toString('latin1', 0, SESSION_START.length) !== SESSION_START;
}

/** The lines of another tool's file without the branches that its user left. */
export function conversationLines(lines: readonly string[]): readonly string[] {
  const objects = lines.flatMap((line) => (parseLine(line) ? [line] : objectsIn(line)));
  return withoutOldBranches(objects, parseLine);
}

/** A line, or each of the objects that two processes put on it. */
export function decodeLine(line: string, blobs?: Blobs): readonly Decoded[] {
  const decoded = decode(line, blobs);
  if (decoded.kind !== 'damaged') return [decoded];
  const objects = objectsIn(line).map((object) => decode(object, blobs));
  return objects.length > 1 && objects.every(({ kind }) => kind !== 'damaged') ? objects : [decoded];
}
