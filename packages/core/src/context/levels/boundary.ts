/** Level 0: what stands before the last boundary was replaced and is never sent again. It stays on disk. */
import { History } from '../../messages/history.ts';
import type { Message } from '../../messages/message.ts';
import type { Outline } from '../reading/outline.ts';

/** The history from its last boundary on, the boundary included. Says nothing: no request is changed by it. */
export function sinceBoundary(messages: History<Message>, { boundary }: Outline): History<Message> {
  return boundary > 0 ? History.of(messages.since(boundary)) : messages;
}
