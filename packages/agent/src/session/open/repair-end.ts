/** What is done about the end of a file that a crash left behind. */
import { appendFileSync, mkdirSync, truncateSync } from 'node:fs';
import path from 'node:path';
import type { LoadedSession } from './load.ts';

export interface RepairedEnd {
  /** Bytes of the file, all of them whole lines. */
  readonly length: number;
  readonly notices: readonly string[];
}

/** A torn last line is set aside and cut off; nothing else of the file is ever changed. */
export function repairTornEnd(file: string, aside: string, loaded: LoadedSession): RepairedEnd {
  const { torn, goodLength, lacksLineEnd } = loaded;
  if (torn.length === 0) return { length: goodLength, notices: [] };
  if (lacksLineEnd) {
    appendFileSync(file, '\n');
    return { length: goodLength + torn.length + 1, notices: [] };
  }
  mkdirSync(aside, { recursive: true, mode: 0o700 });
  appendFileSync(path.join(aside, 'torn'), Buffer.concat([torn, Buffer.from('\n')]), { mode: 0o600 });
  truncateSync(file, goodLength);
  return {
    length: goodLength,
    notices: ['The last line of the session was never finished; it was set aside.'],
  };
}
