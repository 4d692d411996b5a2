/** All that a session's file holds, line by line. Resuming does without: it reads from the last boundary on (`open/load.ts`). */
import type { Blobs } from '../files/blobs.ts';
import { LineFile, wholeLength, wholeLines } from '../files/lines.ts';
import { type Decoded, decode } from './decode.ts';

/** A last line that was never finished is a damaged one. Throws where the file cannot be read at all. */
export function* decodedLines(path: string, blobs?: Blobs): Generator<Decoded> {
  const file = new LineFile(path);
  try {
    const bytes = file.read(0, file.size);
    for (const line of wholeLines(bytes)) yield decode(line, blobs);
    const torn = bytes.subarray(wholeLength(bytes));
    if (torn.length > 0) yield decode(torn.toString('utf8'), blobs);
  } finally {
    file.close();
  }
}
