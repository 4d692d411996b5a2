/**
 * Content blocks in the format of the Messages API. Heddle uses this format everywhere. Adapters translate the formats
 * of other providers.
 */
import type { JsonObject } from '../json.ts';

export interface TextBlock {
  readonly type: 'text';
  readonly text: string;
}

export interface ThinkingBlock {
  readonly type: 'thinking';
  readonly thinking: string;
  /** Valid only for the model that wrote the block. Another model refuses it. */
  readonly signature: string;
}

export interface RedactedThinkingBlock {
  readonly type: 'redacted_thinking';
  readonly data: string;
}

export interface ToolUseBlock {
  readonly type: 'tool_use';
  readonly id: string;
  readonly name: string;
  readonly input: JsonObject;
}

export interface ToolResultBlock {
  readonly type: 'tool_result';
  readonly tool_use_id: string;
  readonly content: string | readonly ResultContent[];
  readonly is_error?: boolean;
}

export type MediaSource =
  | { readonly type: 'base64'; readonly media_type: string; readonly data: string }
  | { readonly type: 'url'; readonly url: string }
  | { readonly type: 'file'; readonly file_id: string };

export interface ImageBlock {
  readonly type: 'image';
  readonly source: MediaSource;
}

export interface DocumentBlock {
  readonly type: 'document';
  readonly source: MediaSource;
  readonly title?: string;
}

declare const unknownKind: unique symbol;

/** The `type` of a value of an unknown kind. No literal has this type, so a switch excludes it. */
export type UnknownKind = typeof unknownKind;

/** A block of an unknown kind. It is stored and sent without changes. */
export interface ForeignBlock {
  readonly type: UnknownKind;
}

/**
 * A tool that a search has loaded. The log stores the definition with it, so that later requests contain the same one, also
 * if the tool's server is gone.
 */
export interface ToolReferenceBlock {
  readonly type: 'tool_reference';
  readonly tool_name: string;
  /** Not sent with the block. Undefined in sessions of other programs. */
  readonly definition?: { readonly description: string; readonly input_schema: JsonObject };
}

export type ResultContent = TextBlock | ImageBlock | DocumentBlock | ToolReferenceBlock | ForeignBlock;

export type ContentBlock =
  | TextBlock
  | ThinkingBlock
  | RedactedThinkingBlock
  | ToolUseBlock
  | ToolResultBlock
  | ImageBlock
  | DocumentBlock
  | ToolReferenceBlock
  | ForeignBlock;

export function isToolUse(block: ContentBlock): block is ToolUseBlock {
  return block.type === 'tool_use';
}

export function isToolResult(block: ContentBlock): block is ToolResultBlock {
  return block.type === 'tool_result';
}

/** The thinking of a model, readable or not. It is signed for that model and never the last block of an answer. */
export function isThinking(block: ContentBlock): block is ThinkingBlock | RedactedThinkingBlock {
  return block.type === 'thinking' || block.type === 'redacted_thinking';
}

/** Returns the visible text of blocks, without thinking, calls and media. */
export function textOf(content: string | readonly ContentBlock[]): string {
  if (typeof content === 'string') return content;
  let text = '';
  for (const block of content) if (block.type === 'text') text += block.text;
  return text;
}

export function text(value: string): TextBlock {
  return { type: 'text', text: value };
}
