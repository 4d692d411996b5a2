/** Finds the model that a session used last. The session continues with it if the user does not name another. */
import { newestSession } from '@heddle/agent';
import { findSession } from '@heddle/agent/sessions';
import type { SessionChoice } from '../arguments/arguments.ts';
import { sessionPlace } from '../config-dir.ts';

/** Undefined for a session that begins, and for one that is not found: that is told when it is opened. */
export function sessionModel({ from }: SessionChoice): string | undefined {
  const place = sessionPlace(process.env, process.cwd());
  const word = from.kind === 'resume' ? from.id : from.kind === 'continue' ? newestSession(place) : undefined;
  const found = word === undefined ? undefined : findSession(word, place, 'here');
  return found?.kind === 'one' ? found.session.model : undefined;
}
