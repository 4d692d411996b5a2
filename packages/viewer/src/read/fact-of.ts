/** Converts a decoded line to its fact. Pure. The file may have been edited, so nothing is assumed about nested values. */
import {
  type ContentBlock,
  type Entry,
  isInterruption,
  isRecord,
  type Message,
  textOf,
  omitUndefined,
} from '@heddle/core';
import type { AnswerFact, ContentSize, FactPart, LogFact, MessageFact, TokenCounts } from '../model/facts.ts';

const LABEL_LENGTH = 160;

export function factOf(entry: Entry, line: number): LogFact | undefined {
  const place = { line, at: entry.at };
  switch (entry.type) {
    case 'session': {
      const { cwd, model, systemPrompt, forkedFrom } = entry.snapshot;
      return {
        type: 'session',
        ...place,
        cwd: textIn(cwd),
        model: textIn(model),
        systemChars: sizeOf(systemPrompt),
        ...omitUndefined({ forkedFrom }),
      };
    }
    case 'user':
    case 'assistant':
    case 'system':
    case 'attachment':
      return { ...place, ...messageFact(entry.message) };
    case 'request':
      return requestFact(entry, place);
    case 'answer':
    case 'spent':
      return answerFact(entry, place);
    case 'retry': {
      const { attempt, delayMs, error } = entry;
      const about = { error: textIn(error.class), message: label(textIn(error.message)) };
      return { type: 'retry', ...place, attempt: numberIn(attempt), delayMs: numberIn(delayMs), ...about };
    }
    case 'tombstone':
      return { type: 'tombstone', ...place, uuids: entry.uuids };
    case 'intent': {
      const { toolUseId, tool, effect } = entry;
      return { type: 'intent', ...place, id: toolUseId, tool: textIn(tool), effect };
    }
    case 'outcome':
      return { type: 'outcome', ...place, id: entry.toolUseId, isError: entry.isError };
    case 'ask':
      return { type: 'ask', ...place, id: entry.toolUseId, tool: textIn(entry.tool) };
    case 'ask_answer':
      return { type: 'ask_answer', ...place, id: entry.toolUseId, behavior: textIn(entry.behavior) };
    case 'transition': {
      const { reason, ...details } = entry.transition;
      const turnCount = numberIn(entry.turnCount);
      return {
        type: 'transition',
        ...place,
        reason: textIn(reason),
        details: fieldsText(details),
        turnCount,
      };
    }
    case 'context':
      return contextFact(entry, place);
    case 'rewind': {
      const { to, messages } = entry;
      return { type: 'rewind', ...place, to, ...(messages ? { history: historySize(messages) } : {}) };
    }
    case 'title':
      return { type: 'title', ...place, title: entry.title };
    case 'end': {
      const { reason, ...details } = entry.terminal;
      const message = label(
        'message' in entry.terminal ? textIn(entry.terminal.message) : fieldsText(details),
      );
      return { type: 'end', ...place, reason, message };
    }
    case 'checkpoint':
    case 'summary':
    case 'stance':
    case 'mended':
    case 'refused':
    case 'command':
      return undefined;
  }
}

type EntryOf<Type extends Entry['type']> = Extract<Entry, { type: Type }>;

/** The line of an entry in the log, and its time. */
type Place = Pick<LogFact, 'line' | 'at'>;

function requestFact({ model, chars, window, threshold }: EntryOf<'request'>, place: Place): LogFact {
  const sizes = {
    system: numberIn(chars.system),
    tools: numberIn(chars.tools),
    messages: numberIn(chars.messages),
    results: numberIn(chars.results),
  };
  return {
    type: 'request',
    ...place,
    model,
    sizes,
    window: numberIn(window),
    threshold: numberIn(threshold),
  };
}

function answerFact(entry: EntryOf<'answer' | 'spent'>, place: Place): LogFact {
  const { type, model, usage, costUsd } = entry;
  return {
    type,
    ...place,
    model,
    responseId: entry.type === 'answer' ? textIn(entry.responseId) : '',
    stopReason: entry.type === 'answer' ? textIn(entry.stopReason) : '',
    tokens: tokensIn(usage),
    ...(typeof costUsd === 'number' ? { costUsd } : {}),
    ...(entry.type === 'answer' && entry.firstAt !== undefined ? { firstAt: numberIn(entry.firstAt) } : {}),
  };
}

function contextFact({ report, messages, replaced }: EntryOf<'context'>, place: Place): LogFact {
  const { level, tokensBefore, tokensAfter, rewrotePrefix, details } = report;
  const failed = details?.['failed'];
  return {
    type: 'context',
    ...place,
    level: textIn(level),
    tokensBefore: numberIn(tokensBefore),
    tokensAfter: numberIn(tokensAfter),
    rewrotePrefix,
    ...(failed === undefined ? {} : { failed: label(textIn(failed) || fieldsText({ failed })) }),
    ...(messages ? { history: historySize(messages) } : {}),
    ...(replaced
      ? { replaced: replaced.map((message) => ({ uuid: message.uuid, ...messageSize(message) })) }
      : {}),
  };
}

/** Returns the token counts in a message of another program. Heddle stores them in a line of their own. */
export function answerInMessage(entry: Entry, line: number): AnswerFact | undefined {
  if (entry.type !== 'assistant') return undefined;
  const { usage, responseId, model, apiError } = entry.message;
  if (!usage || apiError !== undefined) return undefined;
  return {
    type: 'answer',
    line,
    at: entry.at,
    model,
    responseId,
    stopReason: '',
    tokens: tokensIn(usage),
    isFromMessage: true,
  };
}

type MessageBody = Omit<MessageFact, 'line' | 'at'>;

function messageFact(message: Extract<Entry, { message: Message }>['message']): MessageBody {
  const { uuid } = message;
  switch (message.type) {
    case 'user': {
      const parts = partsOf(message.content);
      const text = label(textOf(plain(message.content)));
      const isAnswer = parts.some(({ kind }) => kind === 'result');
      const kind = isAnswer ? 'results' : message.isMeta || isInterruption(text) ? 'meta' : 'prompt';
      return { type: 'message', role: 'user', uuid, kind, label: text, parts };
    }
    case 'assistant': {
      const { model, responseId, apiError, content, incomplete } = message;
      return {
        type: 'message',
        role: 'assistant',
        uuid,
        kind: apiError === undefined ? 'answer' : 'failure',
        label: label(textOf(plain(content))),
        parts: partsOf(content),
        model,
        responseId,
        ...(incomplete ? { incomplete: true } : {}),
      };
    }
    case 'system': {
      const { subtype, content } = message;
      const parts = [{ kind: 'text', size: sizeOf(content) }] as const;
      return { type: 'message', role: 'system', uuid, kind: 'notice', label: label(content), parts, subtype };
    }
    case 'attachment': {
      const { attachment } = message;
      const parts = [{ kind: 'text', size: sizeOf(attachment) }] as const;
      const kind = attachment.kind === 'queued_command' ? 'prompt' : 'meta';
      const text = 'text' in attachment ? textIn(attachment.text) : '';
      const prompt = attachment.kind === 'queued_command' ? textOf(plain(attachment.prompt)) : text;
      return {
        type: 'message',
        role: 'attachment',
        uuid,
        kind,
        label: label(prompt),
        parts,
        subtype: attachment.kind,
      };
    }
  }
}

function partsOf(content: string | readonly ContentBlock[]): FactPart[] {
  if (typeof content === 'string') return [{ kind: 'text', size: content.length }];
  return content.map((block): FactPart => {
    switch (block.type) {
      case 'text':
        return { kind: 'text', size: sizeOf(block.text) };
      case 'thinking':
        return { kind: 'thinking', size: sizeOf(block.thinking) };
      case 'tool_use': {
        const { id, name, input } = block;
        return {
          kind: 'call',
          size: sizeOf(input),
          id: textIn(id),
          tool: textIn(name),
          about: aboutOf(input),
        };
      }
      case 'tool_result': {
        const { tool_use_id: id, content: inner, is_error: isError } = block;
        return { kind: 'result', size: sizeOf(inner), id: textIn(id), isError: isError === true };
      }
      case 'image':
      case 'document':
        return { kind: 'media', size: sizeOf(block.source) };
      default:
        return { kind: 'other', size: sizeOf(block) };
    }
  });
}

function historySize(messages: readonly Message[]): ContentSize & { readonly count: number } {
  const sizes = messages.map(messageSize);
  return {
    count: messages.length,
    messages: sizes.reduce((sum, size) => sum + size.messages, 0),
    results: sizes.reduce((sum, size) => sum + size.results, 0),
  };
}

function messageSize(message: Message): ContentSize {
  if (message.type !== 'user' && message.type !== 'assistant')
    return { messages: sizeOf(message), results: 0 };
  let messages = 0;
  let results = 0;
  for (const part of partsOf(message.content)) {
    if (part.kind === 'result') results += part.size;
    else messages += part.size;
  }
  return { messages, results };
}

/** Returns the number of characters in a value. */
function sizeOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 4;
  return Object.values(value).reduce((sum: number, inner: unknown) => sum + sizeOf(inner) + 2, 0);
}

/** Leaves out text blocks whose text is not a string. */
function plain(content: string | readonly ContentBlock[]): string | readonly ContentBlock[] {
  if (typeof content === 'string') return content;
  return content.filter((block) => block.type === 'text' && typeof block.text === 'string');
}

const TELLING = ['command', 'file_path', 'notebook_path', 'pattern', 'path', 'url', 'query', 'description'];

function aboutOf(input: unknown): string {
  if (!isRecord(input)) return '';
  const values = [...TELLING.map((name) => input[name]), ...Object.values(input)];
  return label(values.find((value) => typeof value === 'string') ?? '');
}

function tokensIn(usage: unknown): TokenCounts {
  const counts = isRecord(usage) ? usage : {};
  return {
    input: numberIn(counts['input_tokens']),
    output: numberIn(counts['output_tokens']),
    cacheRead: numberIn(counts['cache_read_input_tokens']),
    cacheWrite: numberIn(counts['cache_creation_input_tokens']),
  };
}

function label(text: string): string {
  const line = text
    .slice(0, LABEL_LENGTH * 2)
    .replaceAll(/\s+/g, ' ')
    .trim();
  return line.length <= LABEL_LENGTH ? line : `${line.slice(0, LABEL_LENGTH - 1).toWellFormed()}…`;
}

function fieldsText(fields: object): string {
  return Object.entries(fields)
    .map(([name, value]) => `${name} ${typeof value === 'object' ? JSON.stringify(value) : String(value)}`)
    .join(', ');
}

function textIn(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function numberIn(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : 0;
}
