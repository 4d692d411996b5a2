/** The last steps of a conversation, which a compaction keeps as they are. */
import type { History } from '../../messages/history.ts';
import type { Message } from '../../messages/message.ts';
import { estimateMessage } from '../estimate/message.ts';
import type { Outline } from '../reading/outline.ts';

/** Where the longest end begins that fits; the end of the history if none does. */
export function tailFrom(messages: History<Message>, { cuts }: Outline, tokens: number): number {
  let start = messages.length;
  let [left, next] = [tokens, cuts.length - 1];
  for (let index = messages.length - 1; index > 0 && next >= 0; index--) {
    const message = messages.at(index);
    left -= message ? estimateMessage(message) : 0;
    if (left < 0) break;
    if (index !== cuts[next]) continue;
    start = index;
    next--;
  }
  return start;
}
