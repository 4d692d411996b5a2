/** Task ids stand in results, so a session that is played again must have the same ones: they are made of the call's own id. */
import { createHash, randomUUID } from 'node:crypto';

/** `isTaken`: calls may share an id, in a script or after a rewind. */
export function taskId(callId: string | undefined, isTaken: (id: string) => boolean): string {
  const seed = callId ?? randomUUID();
  for (let nth = 1; ; nth += 1) {
    const id = shortId(nth === 1 ? seed : `${seed} ${nth}`);
    if (!isTaken(id)) return id;
  }
}

function shortId(seed: string): string {
  return `b${createHash('sha256').update(seed).digest('hex').slice(0, 8)}`;
}
