/** The model that a session was held with last: where nobody names another, it goes on with that one. */
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
