/** What the user asked in this message; undefined for results, reminders and commands of the user's own. */
import { type Message, textOf } from '@heddle/core';
import { SHELL_MARK } from '../shell-command.ts';

export function promptOf(message: Message): string | undefined {
  if (message.type !== 'user' || message.isMeta) return undefined;
  const text = textOf(message.content).trim();
  return text === '' || text.startsWith(SHELL_MARK) ? undefined : text;
}
