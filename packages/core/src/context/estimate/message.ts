/** What a message will cost in a request. Messages never change, so each is estimated once. */
import type { ContentBlock } from '../../messages/blocks.ts';
import type { Attachment, Message } from '../../messages/message.ts';
import { estimateDocument, estimateImage } from './media.ts';
import { estimateText } from './text.ts';

/** What surrounds a message, and a call or result with its name and id. */
const MESSAGE_FRAME = 4;
const CALL_FRAME = 24;
/** The words around an attachment. */
const ATTACHMENT_FRAME = 40;

const known = new WeakMap<Message, number>();

/** 0 for what is never sent. Total: what cannot be read counts as its JSON, or as nothing. */
export function estimateMessage(message: Message): number {
  // A log may hold anything, also what is no message at all.
  if (typeof message !== 'object' || message === null) return 0;
  const before = known.get(message);
  if (before !== undefined) return before;
  const tokens = measureSafely(message);
  known.set(message, tokens);
  return tokens;
}

export function estimateMessages(messages: Iterable<Message>): number {
  let tokens = 0;
  for (const message of messages) tokens += estimateMessage(message);
  return tokens;
}

function measureSafely(message: Message): number {
  try {
    return measure(message);
  } catch {
    return estimateText(jsonOf(message));
  }
}

function measure(message: Message): number {
  switch (message.type) {
    case 'user':
      return message.isVirtual === true ? 0 : MESSAGE_FRAME + estimateContent(message.content);
    case 'assistant':
      if (message.isVirtual === true || message.apiError !== undefined) return 0;
      return MESSAGE_FRAME + estimateContent(message.content);
    case 'attachment':
      return ATTACHMENT_FRAME + attachmentTokens(message.attachment);
    case 'system':
      return message.subtype === 'local_command' ? MESSAGE_FRAME + estimateText(message.content) : 0;
    default:
      return 0;
  }
}

function estimateContent(content: string | readonly ContentBlock[]): number {
  if (typeof content === 'string') return estimateText(content);
  let tokens = 0;
  for (const block of content) tokens += estimateBlock(block);
  return tokens;
}

export function estimateBlock(block: ContentBlock): number {
  switch (block.type) {
    case 'text':
      return estimateText(block.text);
    // A signature is the thinking once more, sealed; the server does not count it.
    case 'thinking':
      return estimateText(block.thinking);
    case 'redacted_thinking':
      return Math.ceil(block.data.length / 4);
    case 'tool_use':
      return CALL_FRAME + estimateText(block.name) + estimateText(jsonOf(block.input));
    case 'tool_result':
      return CALL_FRAME + estimateContent(block.content);
    case 'image':
      return estimateImage(block);
    case 'document':
      return estimateDocument(block);
    default:
      return estimateText(jsonOf(block));
  }
}

function attachmentTokens(attachment: Attachment): number {
  if (attachment.kind === 'queued_command') return estimateContent(attachment.prompt);
  return estimateText(jsonOf(attachment));
}

function jsonOf(value: unknown): string {
  try {
    return JSON.stringify(value) ?? '';
  } catch {
    return '';
  }
}
