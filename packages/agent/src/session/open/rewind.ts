/** Goes back to a message of a session that is being opened. */
import type { Blobs } from '../files/blobs.ts';
import { historyUpTo } from './load.ts';
import type { OpenedSession, Session } from './open.ts';

export interface RewindTarget {
  /** Undefined: nobody wants to go back. */
  readonly to: string | undefined;
  /** What the user calls the session. */
  readonly name: string;
  /** The log in which the message is looked for. */
  readonly file: string;
  readonly blobs: Blobs;
}

/** A message that a compaction has replaced is looked for in the whole file, and its history put back. */
export function rewindTo(session: Session, { to, name, file, blobs }: RewindTarget): OpenedSession {
  if (to === undefined) return { ok: true, session };
  const { projection, journal } = session;
  try {
    const isNear = [...projection.messages].some((message) => message.uuid === to);
    const messages = isNear ? undefined : historyUpTo(file, to, blobs);
    if (!isNear && !messages) {
      journal.close();
      return { ok: false, message: `The session ${name} has no message ${to}`, isUnknown: false };
    }
    const entry = { type: 'rewind' as const, to, ...(messages ? { messages } : {}) };
    journal.append(entry);
    projection.apply(entry);
    return { ok: true, session };
  } catch (thrown) {
    journal.close();
    throw thrown;
  }
}
