/** Is something of the shape that the rest of the program relies on? A file that people can edit may hold anything. */
import {
  type AssistantMessage,
  type AttachmentMessage,
  type ContentBlock,
  isRecord,
  type SystemMessage,
  type UserMessage,
} from '@heddle/core';

export type LogLine = Readonly<Record<string, unknown>>;

export function isStringValue(value: unknown): value is string {
  return typeof value === 'string';
}

export function texts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every(isStringValue);
}

/** A message's content, without the blocks that are none. What the others hold is the request builder's business. */
export function contentOf(value: unknown): string | readonly ContentBlock[] | undefined {
  if (isStringValue(value)) return value;
  if (!Array.isArray(value)) return undefined;
  const blocks: readonly unknown[] = value;
  return blocks.every(isBlock) ? blocks : blocks.filter(isBlock);
}

function isBlock(value: unknown): value is ContentBlock {
  return isRecord(value) && isStringValue(value['type']);
}

/** Messages as a boundary holds them; or nothing at all. */
export function isHistoryOrNone(value: unknown): boolean {
  return value === undefined || (Array.isArray(value) && value.every(isStoredMessage));
}

/** Of the kinds that have lines of their own. */
export type StoredMessage = UserMessage | AssistantMessage | SystemMessage | AttachmentMessage;

export function isStoredMessage(value: unknown): value is StoredMessage {
  if (!isRecord(value) || !isStringValue(value['uuid'])) return false;
  const { type, content } = value;
  if (type === 'user') return isStringValue(content) || isBlocks(content);
  if (type === 'assistant') return isBlocks(content);
  return isStringValue(type);
}

function isBlocks(value: unknown): boolean {
  return Array.isArray(value) && value.every(isBlock);
}
