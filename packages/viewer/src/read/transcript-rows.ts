/** Converts lines of a log to rows of the transcript, and searches them. Long texts are cut, and the page asks for the rest. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Decoded, type Piece, textMatcherOf, transcriptPartsOf } from '@heddle/agent/sessions';
import { type ContentBlock, type Entry, isRecord, type Message } from '@heddle/core';
import type { FileChange, RowPart, SearchHit, SearchPage, TranscriptRow } from '../model/api.ts';
import type { SessionIndex } from './session-index.ts';

/** A picture is shown only if it has one of these types. */
const PICTURES: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

interface Row {
  readonly at: number;
  readonly uuid: string;
  readonly role: TranscriptRow['role'];
  readonly parts: readonly RowPart[];
}

/** Returns undefined for a line that the transcript does not show. `limit` is the maximum length of a text. */
export function rowOf(decoded: Decoded, line: number, limit: number): TranscriptRow | undefined {
  const row = decoded.kind === 'entry' ? entryRow(decoded.entry) : undefined;
  return row && { line, ...row, parts: row.parts.map((part) => cut(part, limit)) };
}

function entryRow(entry: Entry): Row | undefined {
  switch (entry.type) {
    case 'user':
    case 'assistant':
    case 'system':
    case 'attachment': {
      const parts = messageParts(entry.message);
      if (parts.length === 0) return undefined;
      return { at: entry.at, uuid: entry.message.uuid, role: roleOf(entry.message, parts), parts };
    }
    case 'context': {
      const parts = (entry.messages ?? entry.replaced ?? []).flatMap(messageParts);
      return { at: entry.at, uuid: '', role: 'system', parts };
    }
    default:
      return undefined;
  }
}

function roleOf(message: Message, parts: readonly RowPart[]): Row['role'] {
  if (parts.some(({ kind }) => kind === 'result')) return 'tool';
  if (message.type === 'assistant') return 'assistant';
  const isPrompt =
    (message.type === 'user' && message.isMeta !== true) ||
    (message.type === 'attachment' && message.attachment.kind === 'queued_command');
  return isPrompt ? 'user' : 'system';
}

function messageParts(message: Message): RowPart[] {
  if (message.type === 'user' && message.isMeta) {
    const { isMeta: _hidden, ...shown } = message;
    return transcriptPartsOf(shown).map((piece) => note(piece.text));
  }
  const pieces = transcriptPartsOf(message);
  if (message.type === 'attachment' && pieces.length === 0) {
    const { attachment } = message;
    return 'text' in attachment && typeof attachment.text === 'string' ? [note(attachment.text)] : [];
  }
  const inputs = message.type === 'assistant' ? inputsOf(message.content) : new Map<string, unknown>();
  return pieces.map((piece) => partOf(piece, inputs));
}

function note(text: string): RowPart {
  return { kind: 'note', text, size: text.length };
}

function partOf(piece: Piece, inputs: ReadonlyMap<string, unknown>): RowPart {
  const { text } = piece;
  const size = text.length;
  switch (piece.kind) {
    case 'text':
    case 'thinking':
    case 'note':
      return { kind: piece.kind, text, size };
    case 'call': {
      const { id, tool, about } = piece;
      const change = changeOf(inputs.get(id));
      return { kind: 'call', text, size, id, tool, about, ...(change ? { change } : {}) };
    }
    case 'result':
      return { kind: 'result', text, size, callId: piece.callId, isError: piece.isError };
    case 'media': {
      const { source } = piece;
      const isPicture = source.type === 'base64' && PICTURES.has(source.media_type);
      if (!isPicture || !/^[A-Za-z0-9+/]+=*$/.test(source.data)) return note(text);
      return { kind: 'media', text: source.data, size: source.data.length, mediaType: source.media_type };
    }
  }
}

function inputsOf(content: readonly ContentBlock[]): ReadonlyMap<string, unknown> {
  return new Map(content.flatMap((block) => (block.type === 'tool_use' ? [[block.id, block.input]] : [])));
}

/** Recognizes the inputs of tools that change a file. */
function changeOf(input: unknown): FileChange | undefined {
  if (!isRecord(input) || typeof input['file_path'] !== 'string') return undefined;
  const { file_path: path, old_string: before, new_string: after, content, edits } = input;
  if (typeof before === 'string' && typeof after === 'string') return { path, before, after };
  if (typeof content === 'string') return { path, before: '', after: content };
  if (!Array.isArray(edits)) return undefined;
  const list = edits.filter(isRecord);
  const join = (name: string): string =>
    list.map((edit) => (typeof edit[name] === 'string' ? edit[name] : '')).join('\n');
  return { path, before: join('old_string'), after: join('new_string') };
}

function cut(part: RowPart, limit: number): RowPart {
  // A part of a picture cannot be shown.
  if (part.kind === 'media') return part.size > limit * 10 ? { ...part, text: '' } : part;
  if (part.kind === 'call' && part.change) {
    const { path, before, after } = part.change;
    const change = { path, before: cutText(before, limit), after: cutText(after, limit) };
    return { ...part, text: cutText(part.text, limit), change };
  }
  return { ...part, text: cutText(part.text, limit) };
}

function cutText(text: string, limit: number): string {
  return text.length <= limit ? text : text.slice(0, limit).toWellFormed();
}

const MAX_HITS = 200;
const SLICE_LINES = 200;
const EXCERPT_BEFORE = 60;
const EXCERPT_LENGTH = 200;

/** Searches the rows of a whole log. Words without a capital letter match in any case. */
export async function searchLines(
  index: SessionIndex,
  words: string,
  isCancelled: () => boolean,
): Promise<SearchPage> {
  const matched = textMatcherOf(words, false);
  if (!matched.ok) return { hits: [], more: false };
  const { matcher } = matched;
  const hits: SearchHit[] = [];
  let count = 0;
  for (const { line, decoded } of index.lines(0)) {
    if (++count % SLICE_LINES === 0) {
      await nextTurn();
      if (isCancelled()) break;
    }
    const row = rowOf(decoded, line, Number.POSITIVE_INFINITY);
    for (const part of row?.parts ?? []) {
      const found = part.kind === 'media' ? undefined : matcher.find(part.text);
      if (!row || !found) continue;
      if (hits.length >= MAX_HITS) return { hits, more: true };
      hits.push({ line, at: row.at, role: row.role, ...excerptOf(part.text, found) });
      break;
    }
  }
  return { hits, more: false };
}

function excerptOf(
  text: string,
  { start, end }: { readonly start: number; readonly end: number },
): Pick<SearchHit, 'excerpt' | 'start' | 'end'> {
  const from = Math.max(0, start - EXCERPT_BEFORE);
  const excerpt = text
    .slice(from, from + EXCERPT_LENGTH)
    .replaceAll(/\s/g, ' ')
    .toWellFormed();
  return { excerpt, start: start - from, end: Math.min(end - from, excerpt.length) };
}
