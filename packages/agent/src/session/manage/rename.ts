/** Gives a session a name: a line more, in the form that other tools read, too. */
import { appendFileSync, statSync, utimesSync } from 'node:fs';
import { Bill } from '../bill.ts';
import { encode } from '../codec/encode.ts';
import { createBlobs } from '../files/blobs.ts';
import { blobsBeside, folderBeside, idOf } from '../files/session-files.ts';
import { loadSession } from '../open/load.ts';
import { mendTornEnd } from '../open/mend.ts';
import { type Changed, whileLocked } from './change.ts';

/** For sessions that are not open; an open one is renamed by an entry in its journal. An empty name takes it back. */
export function renameSession(file: string, title: string): Changed {
  return whileLocked(file, () => {
    const { atime, mtime } = statSync(file);
    mendTornEnd(file, folderBeside(file), loadSession(file, createBlobs(blobsBeside(file), false)));
    const frame = { sessionId: idOf(file), cwd: '', version: '' };
    const line = encode({ type: 'title', title, at: Date.now() }, frame, {
      parentUuid: null,
      bill: new Bill(),
    });
    appendFileSync(file, `${JSON.stringify(line)}\n`);
    // A name is no activity: the newest session stays the one that was last worked in.
    utimesSync(file, atime, mtime);
  });
}
