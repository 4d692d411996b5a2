/** The session that the command line continues: its id, and the choices that it keeps unless the user makes others. */
import { newestSession, snapshotOf } from '@heddle/agent';
import type { SessionPlace } from '@heddle/agent/sessions';
import type { SessionChoice } from '../arguments/arguments.ts';
import { sessionPlace } from '../config-dir.ts';

type ContinuedFrom = Exclude<SessionChoice['from'], { readonly kind: 'new' }>;

/** Returns the id, or the beginning of an id, or a title. Undefined if the folder has no session. */
export function continuedSession(from: ContinuedFrom, place: SessionPlace): string | undefined {
  return from.kind === 'resume' ? from.id : newestSession(place);
}

/**
 * Returns the model that the session used last. Undefined for a session that is not found: opening it reports that. A
 * session that the user picks from a list is not known yet, so the newest model of the list is returned.
 */
export async function storedModel({ from }: SessionChoice): Promise<string | undefined> {
  if (from.kind === 'new') return undefined;
  const place = sessionPlace(process.env, process.cwd());
  const { findSession, listSessions } = await import('@heddle/agent/sessions');
  if (from.kind === 'pick')
    return listSessions(place).find(({ model, team }) => model !== undefined && team === undefined)?.model;
  const word = continuedSession(from, place);
  if (word === undefined) return undefined;
  const found = findSession(word, place, 'here');
  return found.kind === 'one' ? found.session.model : undefined;
}

/** Returns the agent that the session runs as. */
export async function storedAgent({ from }: SessionChoice): Promise<string | undefined> {
  // A session that the user picks from a list is not known yet.
  if (from.kind === 'new' || from.kind === 'pick') return undefined;
  const place = sessionPlace(process.env, process.cwd());
  const word = continuedSession(from, place);
  if (word === undefined) return undefined;
  const snapshot = snapshotOf(place, word);
  if (snapshot) return snapshot.agent;
  const { meantSession } = await import('../sessions/pick.ts');
  const meant = meantSession(word, place);
  return meant.ok ? snapshotOf(place, meant.id)?.agent : undefined;
}

/**
 * Returns why a session that the user picks cannot be opened now, or undefined if it can. The limits of an agent apply from the
 * start of the program. `current`: the agent that the program runs as.
 */
export async function otherAgent(
  choice: SessionChoice,
  current: string | undefined,
): Promise<string | undefined> {
  const stored = await storedAgent(choice);
  if (stored === undefined || stored === current || choice.from.kind !== 'resume') return undefined;
  return `The session runs as the agent ${stored}. Continue it with: heddle --resume ${choice.from.id.slice(0, 8)}`;
}
