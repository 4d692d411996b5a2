/** Decodes lines of a session file, also those of other tools that use the same layout. */
import {
  type Entry,
  type EntryBody,
  isRecord,
  NO_USAGE,
  updateUsage,
  omitUndefined,
  type QueuedEntry,
} from '@heddle/core';
import { readStoredCosts } from '../../cost/stored-costs.ts';
import { type Blobs, restoreTexts } from '../files/blobs.ts';
import { type PreviousLine, type BoundaryState } from './encode.ts';
import { entryOf } from './entries.ts';
import {
  contentOf,
  isHistoryOrNone,
  isStoredMessage,
  isStringValue,
  type LogLine,
  type StoredMessage,
  isStringList,
} from './shapes.ts';

export type Decoded =
  | {
      readonly kind: 'entry';
      readonly entry: Entry;
      readonly before?: Partial<PreviousLine> & Pick<PreviousLine, 'bill'>;
    }
  /** A line of another tool. It stays in the file and has no meaning here. */
  | { readonly kind: 'foreign' }
  | { readonly kind: 'damaged' };

const FOREIGN: Decoded = { kind: 'foreign' };
const DAMAGED: Decoded = { kind: 'damaged' };

/** Never throws. A line that cannot be decoded is damaged, and the caller decides how to handle it. */
export function decodeEntry(text: string, blobs?: Blobs): Decoded {
  const line = parseLine(text);
  if (!line || !isStringValue(line['type'])) return DAMAGED;
  const at = isStringValue(line['timestamp']) ? Date.parse(line['timestamp']) || 0 : 0;
  switch (line['type']) {
    case 'user':
    case 'assistant':
    case 'system':
    case 'attachment':
      // Lines of a subagent may be in the same file. They belong to another conversation.
      if (!isStringValue(line['uuid']) || line['isSidechain'] === true) return FOREIGN;
      return entry(messageOf(whole(line, blobs), line['uuid'], at), at);
    case 'boundary': {
      const { logicalParentUuid, spent, stance, refused, queued, ...rest } = whole(line, blobs);
      const body = bodyOf(isStringValue(line['to']) ? 'rewind' : 'context', rest);
      if (!body || !('messages' in body)) return DAMAGED;
      const parentUuid = isStringValue(logicalParentUuid) ? logicalParentUuid : null;
      return {
        kind: 'entry',
        entry: Object.assign(body, { at }),
        before: {
          parentUuid,
          bill: readStoredCosts(spent),
          standing: standingOf({ stance, refused, queued }),
        },
      };
    }
    case 'end': {
      const { spent, ...rest } = line;
      const body = bodyOf('end', rest);
      if (!body) return DAMAGED;
      const before = isRecord(spent) ? { before: { bill: readStoredCosts(spent) } } : {};
      return { kind: 'entry', entry: Object.assign(body, { at }), ...before };
    }
    case 'custom-title': {
      const { customTitle: title } = line;
      return isStringValue(title) ? { kind: 'entry', entry: { type: 'title', title, at } } : FOREIGN;
    }
    default: {
      if (!isKind(line['type'])) return FOREIGN;
      const body = bodyOf(line['type'], whole(line, blobs));
      return body ? { kind: 'entry', entry: Object.assign(body, { at }) } : DAMAGED;
    }
  }
}

function standingOf(fields: LogLine): BoundaryState {
  const stance = bodyOf('stance', fields);
  const refused = bodyOf('refused', { blocks: fields['refused'] });
  return {
    ...(stance?.type === 'stance' ? { sessionState: stance.stance } : {}),
    ...(refused?.type === 'refused' ? { refused: new Set(refused.blocks) } : {}),
    queued: queuedOf(fields['queued']),
  };
}

/** Older boundaries have no queue: the prompts follow them as entries. */
function queuedOf(value: unknown): ReadonlyMap<string, QueuedEntry> {
  const prompts: readonly unknown[] = Array.isArray(value) ? value : [];
  const entries = prompts.flatMap((prompt) => (isRecord(prompt) ? [bodyOf('command', prompt)] : []));
  const waiting = entries.filter((entry) => entry?.type === 'command' && entry.state === 'queued');
  return new Map(waiting.map((entry) => [entry.commandId, entry]));
}

/** Returns undefined if the text is not a JSON object. A byte order mark is ignored: some editors begin a file with it. */
export function parseLine(text: string): LogLine | undefined {
  try {
    const value: unknown = JSON.parse(text.startsWith('\ufeff') ? text.slice(1) : text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Restores the texts of a line. A tool's structured output stays a reference until it is needed, because the model
 * never sees it.
 */
function whole(line: LogLine, blobs: Blobs | undefined): LogLine {
  if (!blobs || line['storedApart'] !== true) return line;
  const { toolUseResult, ...rest } = line;
  const restored = restoreTexts(rest, blobs);
  return isRecord(restored) ? { ...restored, ...omitUndefined({ toolUseResult }) } : line;
}

function entry(message: StoredMessage | 'damaged' | 'foreign', at: number): Decoded {
  if (message === 'foreign') return FOREIGN;
  if (message === 'damaged') return DAMAGED;
  return { kind: 'entry', entry: Object.assign(entryOf(message), { at }) };
}

function messageOf(line: LogLine, uuid: string, at: number): StoredMessage | 'damaged' | 'foreign' {
  switch (line['type']) {
    case 'user': {
      const content = isRecord(line['message']) ? contentOf(line['message']['content']) : undefined;
      if (content === undefined) return 'damaged';
      const fields: Record<string, unknown> = { type: 'user', uuid, at, content };
      if (isUsedCommand(line['usedCommand'])) fields['usedCommand'] = line['usedCommand'];
      return message(fields, line, ['isMeta', 'isVirtual', 'toolUseResult']);
    }
    case 'assistant':
      return answerOf(line, uuid, at);
    case 'system': {
      const { subtype, content } = line;
      if (!isStringValue(subtype)) return 'foreign';
      const text = isStringValue(content) ? content : '';
      return message({ type: 'system', uuid, at, subtype, content: text }, line, ['level', 'details']);
    }
    default: {
      const { attachment } = line;
      // Other tools store attachments of other shapes, and repeat them in every session.
      if (!isRecord(attachment) || !isStringValue(attachment['kind'])) return 'foreign';
      return message({ type: 'attachment', uuid, at, attachment }, line, []);
    }
  }
}

function isUsedCommand(value: unknown): boolean {
  return isRecord(value) && isStringValue(value['name']) && isStringValue(value['words']);
}

function answerOf(line: LogLine, uuid: string, at: number): StoredMessage | 'damaged' {
  const body = line['message'];
  if (!isRecord(body)) return 'damaged';
  const content = contentOf(body['content']);
  if (content === undefined) return 'damaged';
  const { id, model, usage } = body;
  const fields: Record<string, unknown> = {
    type: 'assistant',
    uuid,
    at,
    responseId: isStringValue(id) ? id : uuid,
    model: isStringValue(model) ? model : '',
    content: isStringValue(content) ? [{ type: 'text', text: content }] : content,
  };
  if (isRecord(usage)) fields['usage'] = updateUsage(NO_USAGE, usage);
  if (line['isApiErrorMessage'] === true) fields['apiError'] = 'server';
  return message(fields, line, ['requestId', 'apiError', 'apiErrorStatus', 'incomplete', 'isVirtual']);
}

/** Long sessions have tens of thousands of messages. Each is created once and never copied. */
function message(
  fields: Record<string, unknown>,
  line: LogLine,
  optional: readonly string[],
): StoredMessage | 'damaged' {
  for (const key of optional) if (line[key] !== undefined) fields[key] = line[key];
  return isStoredMessage(fields) ? fields : 'damaged';
}

type Bookkeeping = Exclude<EntryBody['type'], 'user' | 'assistant' | 'system' | 'attachment' | 'title'>;

/** Checks the required fields of each kind of bookkeeping line. */
const READERS: Readonly<Record<Bookkeeping, (line: LogLine) => boolean>> = {
  session: ({ snapshot }) => isRecord(snapshot) && isStringList(snapshot['systemPrompt']),
  request: ({ model, chars }) => isStringValue(model) && isRecord(chars),
  answer: ({ model, usage }) => isStringValue(model) && isRecord(usage),
  spent: ({ model, usage }) => isStringValue(model) && isRecord(usage),
  retry: ({ error }) => isRecord(error),
  tombstone: ({ uuids }) => isStringList(uuids),
  intent: ({ toolUseId, effect }) => isStringValue(toolUseId) && isStringValue(effect),
  outcome: ({ toolUseId }) => isStringValue(toolUseId),
  ask: ({ toolUseId }) => isStringValue(toolUseId),
  ask_answer: ({ toolUseId }) => isStringValue(toolUseId),
  checkpoint: ({ toolUseId }) => isStringValue(toolUseId),
  transition: ({ transition }) => isRecord(transition),
  summary: ({ summary }) => isStringValue(summary),
  context: ({ report, messages, replaced }) =>
    isRecord(report) && [messages, replaced].every(isHistoryOrNone),
  stance: ({ stance }) =>
    isRecord(stance) &&
    isStringValue(stance['workingDirectory']) &&
    isStringList(stance['tools']) &&
    isTurnModel(stance['turnModel']),
  mended: ({ mends }) => isStringList(mends),
  refused: ({ blocks }) => isStringList(blocks),
  command: ({ commandId, state, prompt }) =>
    isStringValue(commandId) && (state !== 'queued' || contentOf(prompt) !== undefined),
  rewind: ({ to, messages }) => isStringValue(to) && isHistoryOrNone(messages),
  end: ({ terminal }) => isRecord(terminal) && isStringValue(terminal['reason']),
};

function isTurnModel(value: unknown): boolean {
  if (value === undefined) return true;
  return (
    isRecord(value) &&
    [value['model'], value['effort']].every((one) => one === undefined || isStringValue(one))
  );
}

function bodyOf(type: string, line: LogLine): EntryBody | undefined {
  const { sessionId: _s, timestamp: _t, storedApart: _a, ...rest } = line;
  const body = { ...rest, type };
  return isBookkeeping(body) ? body : undefined;
}

function isBookkeeping(body: LogLine): body is LogLine & EntryBody {
  const { type } = body;
  return isStringValue(type) && isKind(type) && READERS[type](body);
}

function isKind(type: string): type is Bookkeeping {
  return Object.hasOwn(READERS, type);
}
