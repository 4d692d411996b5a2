/**
 * How entries look on disk: one JSON object a line, in the layout that people's tools already read. Conversation entries
 * carry `uuid` and `parentUuid` and form a chain; all other lines are bookkeeping and carry neither.
 */
import type { Entry, EntryBody, Message } from '@heddle/core';

export interface Frame {
  readonly sessionId: string;
  readonly cwd: string;
  readonly version: string;
}

type ConversationEntry = Extract<Entry, { type: 'user' | 'assistant' | 'system' | 'attachment' }>;

/** A context record that replaced the history begins a line like this, so that a reader can find the last one from the end. */
export const BOUNDARY_START = '{"type":"boundary"';

export function encode(entry: Entry, frame: Frame, parentUuid: string | null): object {
  const timestamp = new Date(entry.at).toISOString();
  if (isConversation(entry)) return conversationLine(entry, frame, parentUuid, timestamp);
  const { at: _at, type, ...rest } = entry;
  const boundary = entry.type === 'context' && entry.messages !== undefined;
  return { type: boundary ? 'boundary' : type, ...rest, sessionId: frame.sessionId, timestamp };
}

function conversationLine(
  entry: ConversationEntry,
  frame: Frame,
  parentUuid: string | null,
  timestamp: string,
): object {
  const { uuid, at: _at, type, ...message } = entry.message;
  const common = {
    uuid,
    parentUuid,
    sessionId: frame.sessionId,
    isSidechain: false,
    userType: 'external',
    cwd: frame.cwd,
    version: frame.version,
    timestamp,
  };
  if (entry.type === 'user') {
    const { content, ...marks } = entry.message;
    const { isMeta, isVirtual, toolUseResult } = marks;
    return {
      type,
      ...common,
      message: { role: 'user', content },
      ...given({ isMeta, isVirtual, toolUseResult }),
    };
  }
  if (entry.type === 'assistant') {
    const { responseId, model, content, usage, requestId, apiError, isVirtual } = entry.message;
    const body = {
      id: responseId,
      type: 'message',
      role: 'assistant',
      model,
      content,
      stop_reason: null,
      stop_sequence: null,
    };
    const marks = given({ requestId, apiError, isVirtual, isApiErrorMessage: apiError ? true : undefined });
    return { type, ...common, message: usage ? { ...body, usage } : body, ...marks };
  }
  return { type, ...common, ...message };
}

function given(fields: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

export function isConversation(entry: EntryBody & { readonly at: number }): entry is ConversationEntry {
  return (
    entry.type === 'user' ||
    entry.type === 'assistant' ||
    entry.type === 'system' ||
    entry.type === 'attachment'
  );
}

/** The message whose uuid the next conversation line names as its parent. */
export function conversationUuid(entry: Entry): string | undefined {
  return isConversation(entry) ? entry.message.uuid : undefined;
}

export type Decoded =
  | { readonly kind: 'entry'; readonly entry: Entry }
  /** Somebody else's bookkeeping: kept in the file, of no meaning here. */
  | { readonly kind: 'foreign' }
  | { readonly kind: 'damaged' };

/** Reads one line. Never throws: a line that cannot be read is damage, and the caller decides what that means. */
export function decode(line: string): Decoded {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return { kind: 'damaged' };
  }
  if (!isRecord(value) || typeof value['type'] !== 'string') return { kind: 'damaged' };
  const at = typeof value['timestamp'] === 'string' ? Date.parse(value['timestamp']) || 0 : 0;
  const message = decodeMessage(value, at);
  if (message === 'foreign') return { kind: 'foreign' };
  if (message) return { kind: 'entry', entry: { type: message.type, message, at } as Entry };
  const { sessionId: _s, timestamp: _t, type, ...rest } = value;
  if (type === 'boundary')
    return { kind: 'entry', entry: { ...rest, type: 'context', at } as unknown as Entry };
  if (!BOOKKEEPING.has(type as string)) return { kind: 'foreign' };
  return { kind: 'entry', entry: { ...rest, type, at } as unknown as Entry };
}

const BOOKKEEPING: ReadonlySet<string> = new Set<EntryBody['type']>([
  'session',
  'answer',
  'spent',
  'retry',
  'tombstone',
  'intent',
  'outcome',
  'ask',
  'ask_answer',
  'checkpoint',
  'transition',
  'summary',
  'context',
  'mended',
  'command',
  'rewind',
  'end',
]);

function decodeMessage(line: Readonly<Record<string, unknown>>, at: number): Message | 'foreign' | undefined {
  const { type, uuid, isSidechain } = line;
  if (type !== 'user' && type !== 'assistant' && type !== 'system' && type !== 'attachment') return undefined;
  // A subagent's lines may stand in the same file; they are another conversation.
  if (typeof uuid !== 'string' || isSidechain === true) return 'foreign';
  const stamped = { uuid, at };
  if (type === 'attachment')
    return isRecord(line['attachment'])
      ? ({ type, ...stamped, attachment: line['attachment'] } as unknown as Message)
      : 'foreign';
  if (type === 'system') {
    const { subtype, content, level, details } = line;
    if (typeof subtype !== 'string') return 'foreign';
    return {
      type,
      ...stamped,
      subtype,
      content: typeof content === 'string' ? content : '',
      ...given({ level, details }),
    } as Message;
  }
  const body = line['message'];
  if (!isRecord(body)) return 'foreign';
  if (type === 'user') {
    const { isMeta, isVirtual, toolUseResult } = line;
    return {
      type,
      ...stamped,
      content: body['content'],
      ...given({ isMeta, isVirtual, toolUseResult }),
    } as Message;
  }
  const { id, model, content, usage } = body;
  const { requestId, isVirtual } = line;
  const apiError = line['apiError'] ?? (line['isApiErrorMessage'] === true ? 'server' : undefined);
  return {
    type,
    ...stamped,
    responseId: typeof id === 'string' ? id : uuid,
    model: typeof model === 'string' ? model : '',
    content: Array.isArray(content) ? content : [],
    ...given({ usage, requestId, apiError, isVirtual }),
  } as Message;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
