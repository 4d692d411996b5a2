/** `heddle sessions rename`. */
import { renameSession } from '@heddle/agent/sessions';
import { say } from '../terminal/say.ts';
import { pick, refused } from './pick.ts';
import { oneLine } from './text/columns.ts';
import type { SessionsCommand } from './words.ts';

export function rename({ session: word, title }: Extract<SessionsCommand, { name: 'rename' }>): number {
  const picked = pick(word);
  if (!picked.ok) return refused(picked.message);
  const { path, id } = picked.session;
  const renamed = renameSession(path, title);
  if (!renamed.ok) return refused(renamed.message);
  say(title === '' ? `${id} has no name any more\n` : `${id} is called: ${oneLine(title)}\n`);
  return 0;
}
