/**
 * The trust boundary of this package. A log may contain anything: a message is decoded once, and every other file reads the
 * decoded value. Parts without the expected shape are left out.
 */
import {
  type ContentBlock,
  isRecord,
  isToolResult,
  isToolUse,
  type Message,
  text,
  textOf,
  type ToolResultBlock,
  type ToolUseBlock,
  type UserMessage,
} from '@heddle/core';

export interface DecodedMessage {
  /**
   * - `request`: written by the user.
   * - `reply`: sent by the loop or a tool, as a user message or an attachment.
   * - `answer`: part of an answer of the model that later requests contain.
   * - `boundary`: the start of the history after a compaction.
   * - `other`: never sent, empty, or not a message.
   */
  readonly kind: 'request' | 'reply' | 'answer' | 'boundary' | 'other';
  readonly blocks: readonly ContentBlock[];
  /** The calls of an assistant message and the results of a user message, also if they are never sent. */
  readonly calls: readonly ToolUseBlock[];
  readonly results: readonly ToolResultBlock[];
}

const NOTHING: DecodedMessage = { kind: 'other', blocks: [], calls: [], results: [] };

const decoded = new WeakMap<object, DecodedMessage>();

/** Messages never change, so each is decoded once. Total: returns an empty value for anything else. */
export function decodeMessage(message: Message): DecodedMessage {
  if (!isRecord(message)) return NOTHING;
  const known = decoded.get(message);
  if (known) return known;
  const fresh = decode(message);
  decoded.set(message, fresh);
  return fresh;
}

function decode(message: Message): DecodedMessage {
  switch (message.type) {
    case 'user': {
      const blocks = decodeContent(message.content);
      const isOwn = message.isMeta !== true && message.isVirtual !== true;
      const isRequest = isOwn && blocks.some((block) => block.type !== 'tool_result');
      const kind = isRequest ? 'request' : blocks.length > 0 ? 'reply' : 'other';
      return { ...NOTHING, kind, blocks, results: blocks.filter(isToolResult) };
    }
    case 'assistant': {
      const blocks = decodeContent(message.content);
      const isSent = message.apiError === undefined && message.isVirtual !== true && blocks.length > 0;
      return { ...NOTHING, kind: isSent ? 'answer' : 'other', blocks, calls: blocks.filter(isToolUse) };
    }
    case 'attachment':
      return { ...NOTHING, kind: 'reply' };
    case 'system':
      return message.subtype === 'compact_boundary' ? { ...NOTHING, kind: 'boundary' } : NOTHING;
    default:
      return NOTHING;
  }
}

function decodeContent(content: unknown): readonly ContentBlock[] {
  if (typeof content === 'string') return [text(content)];
  if (!Array.isArray(content)) return [];
  return content.every(isBlock) ? content : content.filter(isBlock);
}

function isBlock(value: unknown): value is ContentBlock {
  return isRecord(value) && 'type' in value;
}

/** Returns true for a message that the user wrote, not the loop or a tool. */
export function isRequest(message: Message): message is UserMessage {
  return decodeMessage(message).kind === 'request';
}

/** Returns the text of a request or a queued prompt, with notes in place of media. */
export function requestText(message: Message): string | undefined {
  if (message?.type === 'attachment' && message.attachment?.kind === 'queued_command')
    return textWithNotes(decodeContent(message.attachment.prompt));
  return isRequest(message) ? textWithNotes(decodeMessage(message).blocks) : undefined;
}

function textWithNotes(blocks: readonly ContentBlock[]): string {
  const parts: string[] = [];
  for (const block of blocks) {
    if (block.type === 'text') parts.push(block.text);
    else if (block.type === 'image' || block.type === 'document') parts.push(`[${block.type}]`);
  }
  return parts.join('\n');
}

/** Returns the text of a result without its media. */
export function resultText({ content }: ToolResultBlock): string {
  return typeof content === 'string' ? content : textOf(decodeContent(content));
}

/**
 * Returns the message with some of its results replaced, or the same message if none was. Its uuid stays, because it takes
 * the place of the old one.
 */
export function withResults(
  message: Message,
  replace: (result: ToolResultBlock) => ToolResultBlock,
): Message {
  if (decodeMessage(message).results.length === 0) return message;
  if (message.type !== 'user' || typeof message.content === 'string') return message;
  let changed = false;
  const content = message.content.map((block): ContentBlock => {
    if (!isBlock(block) || !isToolResult(block)) return block;
    const next = replace(block);
    changed ||= next !== block;
    return next;
  });
  if (!changed) return message;
  // The structured output beside the result is for displays. Kept, it would hold the replaced text in memory.
  const { toolUseResult: _, ...rest } = message;
  return { ...rest, content };
}
