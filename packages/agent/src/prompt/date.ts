/** The date: fixed where the session began, and told again when another day has come. */
import type { Attachment, History, Message } from '@heddle/core';

export const DATE = "Today's date";

/** Of the place where the user is. */
export function dateOf(now: number): string {
  const date = new Date(now);
  const two = (value: number): string => String(value).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

const NOW = 'The date is now ';

/** Nothing where the model has not been told any date, or knows the right one. */
export function dateNote(
  began: string | undefined,
  messages: History<Message>,
  now: number,
): readonly Attachment[] {
  if (began === undefined) return [];
  const today = dateOf(now);
  if ((lastTold(messages) ?? began) === today) return [];
  return [{ kind: 'reminder', about: 'other', text: `${NOW}${today}.` }];
}

function lastTold(messages: History<Message>): string | undefined {
  for (let index = messages.length - 1; index >= 0; index--) {
    const message = messages.at(index);
    const attachment = message?.type === 'attachment' ? message.attachment : undefined;
    if (attachment?.kind === 'reminder' && attachment.text.startsWith(NOW))
      return attachment.text.slice(NOW.length, -1);
  }
  return undefined;
}
