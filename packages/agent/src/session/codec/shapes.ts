/** Type guards for stored data. Users can edit the files, so they may contain anything. */
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

export function isStringList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every(isStringValue);
}

/** Returns a message's content without invalid blocks. The request builder checks the content of the others. */
export function contentOf(value: unknown): string | readonly ContentBlock[] | undefined {
  if (isStringValue(value)) return value;
  if (!Array.isArray(value)) return undefined;
  const blocks: readonly unknown[] = value;
  return blocks.every(isBlock) ? blocks : blocks.filter(isBlock);
}

function isBlock(value: unknown): value is ContentBlock {
  return isRecord(value) && isStringValue(value['type']);
}

/** Accepts the messages of a boundary, or undefined. */
export function isHistoryOrNone(value: unknown): boolean {
  return value === undefined || (Array.isArray(value) && value.every(isStoredMessage));
}

/** The kinds of messages that have their own lines. */
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
