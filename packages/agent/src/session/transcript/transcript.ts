/** The whole conversation of a session, including messages that compactions replaced. */
import {
  type Attachment,
  bareToolError,
  type ContentBlock,
  type Entry,
  isRecord,
  type MediaSource,
  type Message,
} from '@heddle/core';
import { decodedLines } from '../codec/read-lines.ts';
import { contentOf, isStringValue } from '../codec/shapes.ts';
import { createBlobs } from '../files/blobs.ts';
import { blobsBeside } from '../files/session-files.ts';

export type TranscriptItem =
  | { readonly kind: 'message'; readonly message: Message }
  /** From here on, the model saw a summary instead of the earlier messages. */
  | { readonly kind: 'compaction'; readonly at: number; readonly handoff: readonly Message[] };

export interface Transcript {
  readonly items: readonly TranscriptItem[];
  /** The number of lines that could not be read. */
  readonly damagedLines: number;
}

/** Throws if the file cannot be read at all. */
export function readTranscript(path: string): Transcript {
  const reader = new Reader();
  for (const decoded of decodedLines(path, createBlobs(blobsBeside(path), false))) {
    if (decoded.kind === 'entry') reader.take(decoded.entry);
    if (decoded.kind === 'damaged') reader.damagedLines++;
  }
  return { items: reader.items, damagedLines: reader.damagedLines };
}

class Reader {
  items: TranscriptItem[] = [];
  damagedLines = 0;

  take(entry: Entry): void {
    switch (entry.type) {
      case 'user':
      case 'assistant':
      case 'system':
      case 'attachment':
        this.items.push({ kind: 'message', message: entry.message });
        return;
      case 'tombstone': {
        const gone = new Set(entry.uuids);
        this.items = this.items.filter((item) => item.kind !== 'message' || !gone.has(item.message.uuid));
        return;
      }
      case 'rewind': {
        const to = this.items.findLastIndex(
          (item) => item.kind === 'message' && item.message.uuid === entry.to,
        );
        if (to >= 0) this.items.length = to + 1;
        if (entry.messages) this.#forgetCompactions(entry.messages);
        return;
      }
      case 'context': {
        if (!entry.messages) return;
        const known = new Set(this.items.map((item) => (item.kind === 'message' ? item.message.uuid : '')));
        const handoff = entry.messages.filter(({ uuid }) => !known.has(uuid));
        this.items.push({ kind: 'compaction', at: entry.at, handoff });
        return;
      }
      default:
        return;
    }
  }

  /** Removes compactions whose summary is not in the restored history. */
  #forgetCompactions(history: readonly Message[]): void {
    const kept = new Set(history.map(({ uuid }) => uuid));
    this.items = this.items.filter(
      (item) => item.kind === 'message' || item.handoff.some(({ uuid }) => kept.has(uuid)),
    );
  }
}

// A message for display, split by role and kind. Pure, and never throws. Other tools and users write such files, so
// each block is checked.

export type Role = 'user' | 'assistant' | 'tool' | 'system';

export type TranscriptPart =
  | { readonly kind: 'text' | 'thinking' | 'note'; readonly role: Role; readonly text: string }
  | TranscriptCall
  | {
      readonly kind: 'result';
      readonly role: 'tool';
      /** The id of the call that it answers. */
      readonly callId: string;
      readonly text: string;
      readonly isError: boolean;
    }
  | { readonly kind: 'media'; readonly role: Role; readonly text: string; readonly source: MediaSource };

export interface TranscriptCall {
  readonly kind: 'call';
  readonly role: 'assistant';
  readonly id: string;
  readonly tool: string;
  /** One line that distinguishes the call from other calls of the tool. */
  readonly about: string;
  readonly text: string;
}

/** Leaves out messages that the loop wrote only for the model. */
export function transcriptPartsOf(message: Message): TranscriptPart[] {
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

function contentPieces(value: unknown, role: Role): TranscriptPart[] {
  const content = contentOf(value) ?? [];
  if (isStringValue(content)) return partsOfText(content, role);
  return content.flatMap((block) => blockPieces(block, role));
}

function blockPieces(block: ContentBlock, role: Role): TranscriptPart[] {
  switch (block.type) {
    case 'text':
      return partsOfText(block.text, role);
    case 'thinking':
      return partsOfText(block.thinking, role, 'thinking');
    case 'tool_use':
      return [callPiece(block.id, block.name, block.input)];
    case 'tool_result':
      return resultPieces(block);
    case 'image':
    case 'document':
      return mediaPieces(block.type, block.source, role);
    default:
      return [];
  }
}

function resultPieces(block: Extract<ContentBlock, { type: 'tool_result' }>): TranscriptPart[] {
  const about = {
    kind: 'result',
    role: 'tool',
    callId: textIn(block.tool_use_id),
    isError: block.is_error === true,
  } as const;
  const content = contentOf(block.content) ?? '';
  if (isStringValue(content)) return [{ ...about, text: bareToolError(content) }];
  const text = content
    .map((part) => (part.type === 'text' ? textIn(part.text) : ''))
    .filter(Boolean)
    .join('\n');
  const media = content.flatMap((part) => (part.type === 'text' ? [] : blockPieces(part, 'tool')));
  return [{ ...about, text }, ...media];
}

function attachmentPieces(attachment: Attachment): TranscriptPart[] {
  switch (attachment.kind) {
    case 'queued_command':
      return contentPieces(attachment.prompt, 'user');
    case 'changed_file':
      return note(`${attachment.path}: ${attachment.note}`);
    case 'file':
    case 'image':
      return note(`Attached: ${attachment.path}`);
    case 'instructions':
      return note(`Instructions: ${attachment.path}`);
    case 'max_turns_reached':
      return note(`Stopped after ${attachment.maxTurns} rounds of tools.`);
    case 'hook_stopped_continuation':
      return note(`${attachment.hook}: ${attachment.reason}`);
    // Reminders and memories are for the model.
    default:
      return [];
  }
}

function partsOfText(
  value: unknown,
  role: Role,
  kind: 'text' | 'thinking' | 'note' = 'text',
): TranscriptPart[] {
  const text = textIn(value);
  return text.trim() === '' ? [] : [{ kind, role, text }];
}

function note(value: unknown): TranscriptPart[] {
  return partsOfText(value, 'system', 'note');
}

function callPiece(id: unknown, tool: unknown, input: unknown): TranscriptCall {
  return {
    kind: 'call',
    role: 'assistant',
    id: textIn(id),
    tool: textIn(tool),
    about: aboutOf(input),
    text: inputText(input),
  };
}

/** The most informative fields of common tools. Otherwise the first text is used. */
const TELLING = ['command', 'file_path', 'notebook_path', 'pattern', 'path', 'url', 'query', 'description'];

function aboutOf(input: unknown): string {
  if (!isRecord(input)) return '';
  const telling = [...TELLING.map((name) => input[name]), ...Object.values(input)].find(isStringValue) ?? '';
  const [line = ''] = telling.trim().split('\n');
  return line;
}

/** One line per field. Texts stay unchanged, so that a command is shown as it ran. */
function inputText(input: unknown): string {
  if (!isRecord(input)) return '';
  return Object.entries(input)
    .map(([key, value]) => `${key}: ${isStringValue(value) ? value : JSON.stringify(value)}`)
    .join('\n');
}

function mediaPieces(type: string, source: MediaSource, role: Role): TranscriptPart[] {
  return isRecord(source) ? [{ kind: 'media', role, text: mediaText(type, source), source }] : [];
}

function mediaText(type: string, source: MediaSource): string {
  if (source.type === 'url') return `[${type}: ${source.url}]`;
  return source.type === 'base64' ? `[${type}: ${source.media_type}]` : `[${type}]`;
}

function textIn(value: unknown): string {
  return isStringValue(value) ? value : '';
}
