/** Distinguishes the prompts of a user from the other messages with the role `user`. Pure. */
import { isInterruption, type Message, textOf } from '@heddle/core';

/** The message that reports a shell command of the user starts with this mark. */
export const SHELL_MARK = '<bash-input>';

/** The text of a prompt. Undefined for results, reminders, interruptions and shell commands of the user. */
export function promptFromText(message: Message): string | undefined {
  if (message.type !== 'user' || message.isMeta) return undefined;
  const text = textOf(message.content).trim();
  return text === '' || isInterruption(text) || text.startsWith(SHELL_MARK) ? undefined : text;
}
