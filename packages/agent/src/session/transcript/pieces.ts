/** A message as people read it: who said what, piece by piece. Pure. */
import type { Attachment, ContentBlock, JsonObject, MediaSource, Message, ResultContent } from '@heddle/core';

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

function contentPieces(content: string | readonly ContentBlock[], role: Role): Piece[] {
  if (typeof content === 'string') return said(content, role);
  return content.flatMap((block) => blockPieces(block, role));
}

function blockPieces(block: ContentBlock, role: Role): Piece[] {
  switch (block.type) {
    case 'text':
      return said(block.text, role);
    case 'thinking':
      return block.thinking === '' ? [] : [{ kind: 'thinking', role, text: block.thinking }];
    case 'tool_use':
      return [{ kind: 'call', role: 'assistant', tool: block.name, text: inputText(block.input) }];
    case 'tool_result':
      return resultPieces(block.content, block.is_error === true);
    case 'image':
    case 'document':
      return [{ kind: 'media', role, text: mediaText(block.type, block.source), source: block.source }];
    default:
      return [];
  }
}

function resultPieces(content: string | readonly ResultContent[], isError: boolean): Piece[] {
  if (typeof content === 'string') return [{ kind: 'result', role: 'tool', text: content, isError }];
  const text = content
    .map((part) => (part.type === 'text' ? part.text : ''))
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

function said(text: string, role: Role): Piece[] {
  return text.trim() === '' ? [] : [{ kind: 'text', role, text }];
}

function note(text: string): Piece[] {
  return text.trim() === '' ? [] : [{ kind: 'note', role: 'system', text }];
}

/** One line a field; texts as they are, so that a command reads as it was run. */
function inputText(input: JsonObject): string {
  return Object.entries(input)
    .map(([key, value]) => `${key}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join('\n');
}

function mediaText(type: string, source: MediaSource): string {
  if (source.type === 'url') return `[${type}: ${source.url}]`;
  return source.type === 'base64' ? `[${type}: ${source.media_type}]` : `[${type}]`;
}
