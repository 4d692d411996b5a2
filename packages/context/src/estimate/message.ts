/** Estimates the tokens of a message in a request. Messages never change, so each is estimated once. */
import type { Attachment, ContentBlock, DocumentBlock, ImageBlock, MediaSource, Message } from '@heddle/core';
import { estimateText, MOST_PER_CHARACTER } from './text.ts';

/** Tokens around a message, and around a call or result with its name and id. */
const MESSAGE_FRAME = 4;
const CALL_FRAME = 24;
/** Tokens of the text around an attachment. */
const ATTACHMENT_FRAME = 40;

const known = new WeakMap<Message, number>();

/** Returns 0 for a message that is never sent. Total: an unreadable message counts as its JSON, or as nothing. */
export function estimateMessage(message: Message): number {
  // A log may contain values that are not messages.
  if (typeof message !== 'object' || message === null) return 0;
  const before = known.get(message);
  if (before !== undefined) return before;
  const tokens = measureSafely(message);
  known.set(message, tokens);
  return tokens;
}

/** Returns an upper limit from the number of characters, which is known without reading them. */
export function mostMessageTokens(message: Message): number {
  const text = plainTextOf(message);
  if (text !== undefined) return ATTACHMENT_FRAME + mostTextTokens(text);
  if (message?.type !== 'user' || !isBlockList(message.content)) return estimateMessage(message);
  let tokens = MESSAGE_FRAME;
  for (const block of message.content) tokens += mostBlockTokens(block);
  return tokens;
}

function mostBlockTokens(block: ContentBlock): number {
  return block?.type === 'tool_result' && typeof block.content === 'string'
    ? CALL_FRAME + mostTextTokens(block.content)
    : estimateBlock(block);
}

/** A log may contain anything in place of a list. */
function isBlockList(content: unknown): content is readonly ContentBlock[] {
  return Array.isArray(content);
}

function mostTextTokens(text: string): number {
  return Math.ceil(text.length * MOST_PER_CHARACTER);
}

/** Undefined for a message with other parts than text. */
function plainTextOf(message: Message): string | undefined {
  if (message?.type === 'user' && typeof message.content === 'string') return message.content;
  if (message?.type === 'attachment' && message.attachment.kind !== 'queued_command')
    return jsonOf(message.attachment);
  return undefined;
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

const knownBlocks = new WeakMap<ContentBlock, number>();

/** Blocks never change, so each is estimated once. The breakdown of a long conversation is then cheap after each turn. */
export function estimateBlock(block: ContentBlock): number {
  const before = knownBlocks.get(block);
  if (before !== undefined) return before;
  const tokens = measureBlock(block);
  // A log may contain values that are not blocks.
  if (typeof block === 'object' && block !== null) knownBlocks.set(block, tokens);
  return tokens;
}

function measureBlock(block: ContentBlock): number {
  switch (block.type) {
    case 'text':
      return estimateText(block.text);
    // The server does not count the signature, which is the encrypted thinking.
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

// Images cost by their area after the server has scaled them down; the size is read from the first bytes of the data.
// Documents cost by their pages, because the server reads each page as text and as an image.

/** Pixels of a token, the longest edge and the area that the server leaves. */
const PIXELS_PER_TOKEN = 750;
const LONGEST_EDGE = 1_568;
const LARGEST_IMAGE = 1_600;

/** Bytes of a page in a file that is mostly text, tokens of a page, and the pages that the API takes. */
const PAGE_BYTES = 30_000;
const PAGE_TOKENS = 3_000;
const MOST_PAGES = 100;
/** Assumed pages of a document that only the server can read. */
const UNSEEN_PAGES = 10;

function estimateImage({ source }: ImageBlock): number {
  const size = source.type === 'base64' ? sizeOf(source.data) : undefined;
  if (size === undefined) return LARGEST_IMAGE;
  const scale = Math.min(1, LONGEST_EDGE / Math.max(size.width, size.height, 1));
  const tokens = Math.ceil((size.width * scale * size.height * scale) / PIXELS_PER_TOKEN);
  return Math.max(1, Math.min(LARGEST_IMAGE, tokens));
}

function estimateDocument({ source, title }: DocumentBlock): number {
  return (title === undefined ? 0 : estimateText(title)) + sourceTokens(source);
}

function sourceTokens(source: MediaSource): number {
  if (source.type === 'base64') {
    const pages = Math.ceil((source.data.length * 3) / 4 / PAGE_BYTES);
    return Math.min(MOST_PAGES, Math.max(1, pages)) * PAGE_TOKENS;
  }
  if (source.type === 'url' || source.type === 'file') return UNSEEN_PAGES * PAGE_TOKENS;
  // Two other kinds of source contain their text.
  return estimateText(JSON.stringify(source));
}

interface Size {
  readonly width: number;
  readonly height: number;
}

/** Reads the size of a PNG, GIF or JPEG image. Returns undefined if the beginning does not contain it. */
function sizeOf(data: string): Size | undefined {
  if (data.startsWith('iVBORw0KGgo')) {
    const bytes = decode(data, 0, 24);
    return {
      width: wide(bytes, 16) * 65_536 + wide(bytes, 18),
      height: wide(bytes, 20) * 65_536 + wide(bytes, 22),
    };
  }
  if (data.startsWith('R0lGOD')) {
    const bytes = decode(data, 0, 10);
    return { width: at(bytes, 6) + at(bytes, 7) * 256, height: at(bytes, 8) + at(bytes, 9) * 256 };
  }
  return data.startsWith('/9j/') ? jpegSize(data) : undefined;
}

/** Skips segments, each with its length, up to the one that begins a frame. */
function jpegSize(data: string): Size | undefined {
  let offset = 2;
  for (let segments = 0; segments < 50; segments++) {
    const bytes = decode(data, offset, 9);
    if (at(bytes, 0) !== 0xff) return undefined;
    const marker = at(bytes, 1);
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
    if (isFrame) return { width: wide(bytes, 7), height: wide(bytes, 5) };
    offset += 2 + wide(bytes, 2);
  }
  return undefined;
}

function at(bytes: readonly number[], index: number): number {
  return bytes[index] ?? 0;
}

function wide(bytes: readonly number[], index: number): number {
  return at(bytes, index) * 256 + at(bytes, index + 1);
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** Decodes a few bytes in the middle of base64 data. */
function decode(data: string, offset: number, count: number): number[] {
  const bytes: number[] = [];
  const group = Math.floor(offset / 3);
  for (let index = group * 4; bytes.length < offset - group * 3 + count && index < data.length; index += 4) {
    let bits = 0;
    for (let place = 0; place < 4; place++)
      bits = bits * 64 + Math.max(0, ALPHABET.indexOf(data.charAt(index + place)));
    bytes.push((bits >> 16) & 255, (bits >> 8) & 255, bits & 255);
  }
  return bytes.slice(offset - group * 3, offset - group * 3 + count);
}
