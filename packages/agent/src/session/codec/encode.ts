/**
 * How entries look on disk: one JSON object a line, in the layout that people's tools already read. Conversation entries
 * carry `uuid` and `parentUuid` and form a chain; all other lines are bookkeeping and carry neither.
 */
import type { Entry, EntryBody, Projection, Usage } from '@heddle/core';
import type { StoredCosts } from '../../cost/stored-costs.ts';

/** What every line says about where it comes from. */
export interface EntryFrame {
  readonly sessionId: string;
  readonly cwd: string;
  readonly version: string;
  readonly gitBranch?: string;
}

/** What came before an entry, as far as its line must tell. */
export interface PreviousLine {
  /** The last message of the conversation so far. */
  readonly parentUuid: string | null;
  readonly bill: StoredCosts;
  /** What holds on behind a boundary, and would be missed by whoever reads from there. */
  readonly standing?: BoundaryState;
}

export type BoundaryState = Partial<Pick<Projection, 'stance' | 'refused'>>;

type ConversationEntry = Extract<Entry, { type: 'user' | 'assistant' | 'system' | 'attachment' }>;

/**
 * A record that replaced the history begins a line like this, so that a reader can find the last one from the end. It
 * says what a reader who starts there would otherwise miss: the end of the chain, the bill, and what was standing.
 */
export const BOUNDARY_START = '{"type":"boundary"';
export const SESSION_START = '{"type":"session"';

/** An end settles what came before it: all calls have their results, and the bill is in the line. */
export const END_START = '{"type":"end"';

export function encode(entry: Entry, frame: EntryFrame, before: PreviousLine): object {
  const { sessionId } = frame;
  const timestamp = new Date(entry.at).toISOString();
  if (isConversation(entry)) return conversationLine(entry.message, frame, before.parentUuid, timestamp);
  const { at: _at, type, ...rest } = entry;
  const { parentUuid: logicalParentUuid, bill: spent, standing } = before;
  if (type === 'end') return { type, ...rest, spent, sessionId, timestamp };
  if (entry.type === 'title') return { type: 'custom-title', customTitle: entry.title, sessionId, timestamp };
  if (!replacesHistory(entry)) return { type, ...rest, sessionId, timestamp };
  const kept = standingFields(standing);
  return { type: 'boundary', ...rest, logicalParentUuid, spent, ...kept, sessionId, timestamp };
}

function standingFields({ stance, refused }: BoundaryState = {}): object {
  return given({ stance, refused: refused?.size ? [...refused] : undefined });
}

function conversationLine(
  message: ConversationEntry['message'],
  frame: EntryFrame,
  parentUuid: string | null,
  timestamp: string,
): object {
  const { type, uuid } = message;
  const line = { type, uuid, parentUuid, isSidechain: false, userType: 'external', ...frame, timestamp };
  switch (message.type) {
    case 'user': {
      const { content, isMeta, isVirtual, toolUseResult } = message;
      return { ...line, message: { role: 'user', content }, ...given({ isMeta, isVirtual, toolUseResult }) };
    }
    case 'assistant': {
      const { responseId: id, model, content, usage, requestId, ...marks } = message;
      const { apiError, apiErrorStatus, incomplete, isVirtual } = marks;
      const answer = {
        id,
        type: 'message',
        role: 'assistant',
        model,
        content,
        ...NO_STOP,
        ...given({ usage: flat(usage) }),
      };
      const isApiErrorMessage = apiError === undefined ? undefined : true;
      const told = { requestId, apiError, isApiErrorMessage, apiErrorStatus, incomplete, isVirtual };
      return { ...line, message: answer, ...given(told) };
    }
    case 'system': {
      const { subtype, content, level, details } = message;
      return { ...line, subtype, content, ...given({ level, details }) };
    }
    case 'attachment':
      return { ...line, attachment: message.attachment };
  }
}

/** As the API reports it: what the server adds beside the counters stands beside them. */
function flat(usage: Usage | undefined): object | undefined {
  if (!usage) return undefined;
  const { more, ...counters } = usage;
  return { ...more, ...counters };
}

/** A line holds one block; how the answer ended is told by a line of its own. */
const NO_STOP = { stop_reason: null, stop_sequence: null };

/** The fields that have a value. */
export function given(fields: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

function isConversation(entry: Entry): entry is ConversationEntry {
  const { type } = entry;
  return type === 'user' || type === 'assistant' || type === 'system' || type === 'attachment';
}

function replacesHistory(entry: EntryBody): boolean {
  return (entry.type === 'context' || entry.type === 'rewind') && entry.messages !== undefined;
}
