/** Makes messages smaller without a model. Pure. */
import {
  History,
  mapMedia,
  MEDIA_REFUSED,
  mediaNote,
  type Message,
  text,
  type UserMessage,
} from '@heddle/core';
import { estimateMessage, estimateMessages } from '../estimate/message.ts';
import { decodeMessage, resultText, withResults } from '../history/decode-message.ts';
import { beginning, isRemoved, isSpilled, spilledResult } from '../history/result-notes.ts';

/** Replaces media by notes. Returns the same message if it has none. */
export function withoutMedia(message: Message, why: string = MEDIA_REFUSED): Message {
  if ((message?.type !== 'user' && message?.type !== 'assistant') || typeof message.content === 'string')
    return message;
  let changed = false;
  const content = decodeMessage(message).blocks.map((block) => {
    const mapped = mapMedia(block, (media) => text(mediaNote(media.type, why)));
    changed ||= mapped !== block;
    return mapped;
  });
  return changed ? { ...message, content } : message;
}

/** Returns the history without media, or undefined if it has none. */
export function stripMedia(messages: History<Message>): History<Message> | undefined {
  let changed = false;
  const stripped = [...messages].map((message) => {
    const next = withoutMedia(message);
    changed ||= next !== message;
    return next;
  });
  return changed ? History.of(stripped) : undefined;
}

/** Returns the message with each long output cut to its beginning. */
export function shortResults(
  message: Message,
  preview: number,
  pathOf: (toolUseId: string) => string | undefined,
): Message {
  const short = withResults(message, (result) => {
    const words = resultText(result);
    if (words.length <= 2 * preview + 400 || isSpilled(words, preview) || isRemoved(words)) return result;
    return spilledResult(result, pathOf(result.tool_use_id), preview);
  });
  return estimateMessage(short) < estimateMessage(message) ? short : message;
}

const FIRST_PREVIEW = 2_000;
const LAST_PREVIEW = 200;

/** Reduces messages to a size that the summarizer can read. Total: the last resort is one text with their beginning. */
export function squeeze(messages: readonly Message[], tokens: number): readonly Message[] {
  if (estimateMessages(messages) <= tokens) return messages;
  let squeezed: readonly Message[] = messages.map((message) => withoutMedia(message, 'to save space'));
  for (const preview of [FIRST_PREVIEW, LAST_PREVIEW]) {
    squeezed = squeezed.map((message) => shortResults(message, preview, () => undefined));
    if (estimateMessages(squeezed) <= tokens) return squeezed;
  }
  // Two characters per token are enough for all scripts but the rarest.
  const json = beginning(
    JSON.stringify(squeezed.map((message) => decodeMessage(message).blocks)),
    Math.max(0, Math.floor(tokens)),
  );
  const note: UserMessage = {
    type: 'user',
    uuid: `squeezed:${messages[0]?.uuid ?? ''}`,
    at: messages[0]?.at ?? 0,
    content: `[A part of the conversation that is too long to be shown whole. It begins:]\n${json}`,
    isMeta: true,
  };
  return [note];
}
