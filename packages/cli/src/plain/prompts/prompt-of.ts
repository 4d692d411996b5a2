/** What the user asked in this message; undefined for results, reminders, interruptions and commands of the user's own. */
import { isInterruption, type Message, textOf } from '@heddle/core';
import { SHELL_MARK } from '../turn/shell-command.ts';

export function promptOf(message: Message): string | undefined {
  if (message.type !== 'user' || message.isMeta) return undefined;
  const text = textOf(message.content).trim();
  return text === '' || isInterruption(text) || text.startsWith(SHELL_MARK) ? undefined : text;
}
