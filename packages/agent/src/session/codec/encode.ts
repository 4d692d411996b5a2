/**
 * Encodes entries: one JSON object per line, in a layout that other tools already read. Conversation entries have
 * `uuid` and `parentUuid` and form a chain. All other lines are bookkeeping and have neither.
 */
import type { Entry, EntryBody, Projection, Usage } from '@heddle/core';
import type { StoredCosts } from '../../cost/stored-costs.ts';
import { omitUndefined } from '@heddle/core';

/** The fields that every line has about its origin. */
export interface EntryFrame {
  readonly sessionId: string;
  readonly cwd: string;
  readonly version: string;
  readonly gitBranch?: string;
  /** Set in the session of a subagent. */
  readonly agentId?: string;
  /** Set in the session of a member of a team. Other tools use the same names. */
  readonly teamName?: string;
  readonly agentName?: string;
  /** Set by a run without a terminal. Other tools use the same name. */
  readonly entrypoint?: 'sdk-cli';
}

/** Facts about earlier entries that a line must contain. */
export interface PreviousLine {
  /** The last message of the conversation so far. */
  readonly parentUuid: string | null;
  readonly bill: StoredCosts;
  /** State that stays valid after a boundary. A reader that starts there needs it. */
  readonly standing?: BoundaryState;
}

export type BoundaryState = Partial<Pick<Projection, 'sessionState' | 'refused' | 'queued'>>;

type ConversationEntry = Extract<Entry, { type: 'user' | 'assistant' | 'system' | 'attachment' }>;

/**
 * The start of a line that replaced the history. A reader can find the last one from the end of the file. The line
 * contains what a reader that starts there needs: the end of the chain, the costs, and the current state.
 */
export const BOUNDARY_START = '{"type":"boundary"';
export const SESSION_START = '{"type":"session"';

/** An end line completes everything before it: all calls have results, and the costs are in the line. */
export const END_START = '{"type":"end"';

export function encodeEntry(entry: Entry, frame: EntryFrame, before: PreviousLine): object {
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

function standingFields({ sessionState: stance, refused, queued }: BoundaryState = {}): object {
  return omitUndefined({
    stance,
    refused: refused?.size ? [...refused] : undefined,
    queued: queued?.size ? [...queued.values()] : undefined,
  });
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
      const { content, isMeta, isVirtual, toolUseResult, usedCommand } = message;
      return {
        ...line,
        message: { role: 'user', content },
        ...omitUndefined({ isMeta, isVirtual, toolUseResult, usedCommand }),
      };
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
        ...omitUndefined({ usage: flat(usage) }),
      };
      const isApiErrorMessage = apiError === undefined ? undefined : true;
      const reported = { requestId, apiError, isApiErrorMessage, apiErrorStatus, incomplete, isVirtual };
      return { ...line, message: answer, ...omitUndefined(reported) };
    }
    case 'system': {
      const { subtype, content, level, details } = message;
      return { ...line, subtype, content, ...omitUndefined({ level, details }) };
    }
    case 'attachment':
      return { ...line, attachment: message.attachment };
  }
}

/** Uses the format of the API: additional values of the server are next to the counters. */
function flat(usage: Usage | undefined): object | undefined {
  if (!usage) return undefined;
  const { more, ...counters } = usage;
  return { ...more, ...counters };
}

/** A line contains one block. Another line contains the stop reason of the response. */
const NO_STOP = { stop_reason: null, stop_sequence: null };

function isConversation(entry: Entry): entry is ConversationEntry {
  const { type } = entry;
  return type === 'user' || type === 'assistant' || type === 'system' || type === 'attachment';
}

function replacesHistory(entry: EntryBody): boolean {
  return (entry.type === 'context' || entry.type === 'rewind') && entry.messages !== undefined;
}
