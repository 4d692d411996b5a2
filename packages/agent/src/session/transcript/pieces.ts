/**
 * A message as people read it: who said what, piece by piece. Pure, and total: other tools write such files, too, and people
 * edit them, so what a block holds is looked at before it is believed.
 */
import type { Attachment, ContentBlock, MediaSource, Message } from '@heddle/core';
import { contentOf, isRecord, isText } from '../codec/shapes.ts';

export type Role = 'user' | 'assistant' | 'tool' | 'system';

export type Piece =
  | { readonly kind: 'text' | 'thinking' | 'note'; readonly role: Role; readonly text: string }
  | { readonly kind: 'call'; readonly role: 'assistant'; readonly tool: string; readonly text: string }
  | { readonly kind: 'result'; readonly role: 'tool'; readonly text: string; readonly isError: boolean }
  | { readonly kind: 'media'; readonly role: Role; readonly text: string; readonly source: MediaSource };

/** What the loop wrote for the model alone is left out. */
export function piecesOf(message: Message): Piece[] {
  switch (message.type) {
    case 'user':
      return message.isMeta === true ? [] : contentPieces(message.content, 'user');
    case 'assistant':
      return contentPieces(message.content, 'assistant');
    case 'system':
      return note(message.content);
    case 'attachment':
      return attachmentPieces(message.attachment);
    case 'tool_use_summary':
      return note(message.summary);
    case 'progress':
    case 'tombstone':
      return [];
  }
}

function contentPieces(value: unknown, role: Role): Piece[] {
  const content = contentOf(value) ?? [];
  if (isText(content)) return said(content, role);
  return content.flatMap((block) => blockPieces(block, role));
}

function blockPieces(block: ContentBlock, role: Role): Piece[] {
  switch (block.type) {
    case 'text':
      return said(block.text, role);
    case 'thinking':
      return said(block.thinking, role, 'thinking');
    case 'tool_use':
      return [{ kind: 'call', role: 'assistant', tool: textIn(block.name), text: inputText(block.input) }];
    case 'tool_result':
      return resultPieces(block.content, block.is_error === true);
    case 'image':
    case 'document':
      return mediaPieces(block.type, block.source, role);
    default:
      return [];
  }
}

/** The mark of an error is for models. */
function forPeople(text: string): string {
  return text.replace(/^<tool_use_error>([^]*)<\/tool_use_error>$/, '$1');
}

function resultPieces(value: unknown, isError: boolean): Piece[] {
  const content = contentOf(value) ?? '';
  if (isText(content)) return [{ kind: 'result', role: 'tool', text: forPeople(content), isError }];
  const text = content
    .map((part) => (part.type === 'text' ? textIn(part.text) : ''))
    .filter(Boolean)
    .join('\n');
  const media = content.flatMap((part) => (part.type === 'text' ? [] : blockPieces(part, 'tool')));
  return [{ kind: 'result', role: 'tool', text, isError }, ...media];
}

function attachmentPieces(attachment: Attachment): Piece[] {
  switch (attachment.kind) {
    case 'queued_command':
      return contentPieces(attachment.prompt, 'user');
    case 'changed_file':
      return note(`${attachment.path}: ${attachment.note}`);
    case 'max_turns_reached':
      return note(`Stopped after ${attachment.maxTurns} rounds of tools.`);
    case 'hook_stopped_continuation':
      return note(`${attachment.hook}: ${attachment.reason}`);
    // Reminders and memories are for the model.
    default:
      return [];
  }
}

function said(value: unknown, role: Role, kind: 'text' | 'thinking' | 'note' = 'text'): Piece[] {
  const text = textIn(value);
  return text.trim() === '' ? [] : [{ kind, role, text }];
}

function note(value: unknown): Piece[] {
  return said(value, 'system', 'note');
}

/** One line a field; texts as they are, so that a command reads as it was run. */
function inputText(input: unknown): string {
  if (!isRecord(input)) return '';
  return Object.entries(input)
    .map(([key, value]) => `${key}: ${isText(value) ? value : JSON.stringify(value)}`)
    .join('\n');
}

function mediaPieces(type: string, source: MediaSource, role: Role): Piece[] {
  return isRecord(source) ? [{ kind: 'media', role, text: mediaText(type, source), source }] : [];
}

function mediaText(type: string, source: MediaSource): string {
  if (source.type === 'url') return `[${type}: ${source.url}]`;
  return source.type === 'base64' ? `[${type}: ${source.media_type}]` : `[${type}]`;
}

function textIn(value: unknown): string {
  return isText(value) ? value : '';
}
