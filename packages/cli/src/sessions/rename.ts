/** `heddle sessions rename`. */
import { renameSession } from '@heddle/agent/sessions';
import { jsonText } from '../terminal/json-text.ts';
import { say } from '../terminal/say.ts';
import { ownPlace, pick, refused } from './pick.ts';
import { oneLine } from './text/columns.ts';
import type { SessionsCommand } from './words.ts';

export function rename({ session: word, title, json }: Extract<SessionsCommand, { name: 'rename' }>): number {
  const picked = pick(word, ownPlace());
  if (!picked.ok) return refused(picked.message);
  const { path, id } = picked.session;
  const renamed = renameSession(path, title);
  if (!renamed.ok) return refused(renamed.message);
  if (json) say(`${jsonText({ id, path, title })}\n`);
  else say(title === '' ? `${id} has no name any more\n` : `${id} is called: ${oneLine(title)}\n`);
  return 0;
}
