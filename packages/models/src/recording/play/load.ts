/**
 * Reads a recording. An unfinished last line, left by a crash, is ignored. Any other damage is reported.
 * Texts may have been edited before the file was shared: they are compared as they are.
 */
import {
  type ApiEvent,
  type Done,
  History,
  isRecord,
  type ModelError,
  type RequestMessage,
  type RequestOptions,
  type SystemLayer,
  type ToolSpec,
} from '@heddle/core';
import { digestOfParts, FORMAT, type HeaderLine, type RecordingLine, type RequestLine } from '../format.ts';

export interface PlainRequest {
  readonly model: string;
  readonly maxTokens: number;
  readonly options: RequestOptions;
  readonly system: readonly SystemLayer[];
  readonly tools: readonly ToolSpec[];
  readonly messages: History<RequestMessage>;
}

export interface RecordedAttempt {
  readonly number: number;
  readonly request: PlainRequest;
  readonly events: { readonly at: number; readonly record: ApiEvent }[];
  /** Undefined if the recording ends during this response, or the session did not wait for its end. */
  end: { readonly at: number; readonly record: Done | ModelError; readonly isAborted: boolean } | undefined;
}

export interface Recording {
  readonly header: HeaderLine;
  readonly attempts: readonly RecordedAttempt[];
  /** The context window that the model reported, if any. */
  readonly window: number | undefined;
}

/** Throws an error that describes the problem with the file. */
export function readRecording(text: string): Recording {
  const reader = new Reader();
  const lines = text.split('\n');
  for (const [at, line] of lines.entries()) {
    const isLast = at === lines.length - 1;
    if (line === '') continue;
    const parsed = parseRecordingLine(line);
    if (parsed === undefined && isLast) break;
    if (at === 0 && parsed?.type !== 'heddle_recording') throw new Error('it is not a recording');
    if (parsed === undefined) throw new Error(`line ${at + 1} cannot be read`);
    const problem = reader.take(parsed);
    if (problem !== undefined) throw new Error(`line ${at + 1}: ${problem}`);
  }
  return reader.recording();
}

interface Stored {
  readonly system: readonly string[];
  readonly tools: readonly string[];
  readonly messages: readonly string[];
  readonly attempt: RecordedAttempt;
}

class Reader {
  #header: HeaderLine | undefined;
  readonly #parts = new Map<string, object>();
  readonly #stored = new Map<number, Stored>();
  #window: number | undefined;

  recording(): Recording {
    if (!this.#header) throw new Error('it is not a recording');
    const attempts = [...this.#stored.values()].map(({ attempt }) => attempt);
    return { header: this.#header, attempts, window: this.#window };
  }

  /** Returns the problem with this line, if any. */
  take(line: RecordingLine): string | undefined {
    switch (line.type) {
      case 'heddle_recording':
        this.#header = line;
        return line.format === FORMAT
          ? undefined
          : `it was recorded in format ${line.format}; this program reads format ${FORMAT}`;
      case 'part':
        this.#parts.set(line.digest, line.value);
        return undefined;
      case 'request':
        return this.#request(line);
      case 'event':
        return this.#of(line, ({ events }) => events.push({ at: line.at, record: line.record }));
      case 'end':
        return this.#of(line, (attempt) => {
          attempt.end = { at: line.at, record: line.record, isAborted: line.aborted === true };
        });
      case 'left':
        return undefined;
    }
  }

  #of(
    { attempt }: { readonly attempt: number },
    note: (attempt: RecordedAttempt) => void,
  ): string | undefined {
    const known = this.#stored.get(attempt)?.attempt;
    if (!known) return `there is no request ${attempt} before it`;
    note(known);
    return undefined;
  }

  #request(line: RequestLine): string | undefined {
    const followed = line.follows === undefined ? undefined : this.#stored.get(line.follows);
    const system = line.system ?? followed?.system ?? [];
    const tools = line.tools ?? followed?.tools ?? [];
    const messages = [...(followed?.messages.slice(0, line.keep) ?? []), ...line.messages];
    if (digestOfParts(system, tools, messages) !== line.whole) return 'a line before it is missing';
    const { attempt: number, model, maxTokens, options } = line;
    const before = followed?.attempt.request.messages ?? History.of<RequestMessage>([]);
    const kept = before.length === line.keep ? before : History.of(before.since(0).slice(0, line.keep));
    const request: PlainRequest = {
      model,
      maxTokens,
      options,
      system: this.#values(system, isLayer),
      tools: this.#values(tools, isTool),
      messages: kept.append(this.#values(line.messages, isRecordedMessage)),
    };
    const attempt: RecordedAttempt = { number, request, events: [], end: undefined };
    this.#window ??= line.window;
    this.#stored.set(number, { system, tools, messages, attempt });
    const isWhole =
      request.system.length === system.length &&
      request.tools.length === tools.length &&
      request.messages.length === messages.length;
    return isWhole ? undefined : 'a part of it is missing';
  }

  #values<T>(digests: readonly string[], isOne: (value: unknown) => value is T): T[] {
    return digests.flatMap((digest) => {
      const value: unknown = this.#parts.get(digest);
      return isOne(value) ? [value] : [];
    });
  }
}

/** Returns undefined if it is not a complete line of a recording. */
function parseRecordingLine(line: string): RecordingLine | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isLine(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

type Fields = Readonly<Record<string, unknown>>;

const SHAPES: Readonly<Record<RecordingLine['type'], (line: Fields) => boolean>> = {
  heddle_recording: ({ format, at, model, places }) =>
    isNumber(format) && isText(at) && isText(model) && Array.isArray(places) && places.every(isPlace),
  part: ({ digest, value }) => isText(digest) && isRecord(value),
  request: ({ attempt, at, model, maxTokens, window = 0, options, system, tools, keep, messages, whole }) =>
    [attempt, at, maxTokens, window, keep].every(isNumber) &&
    [model, whole].every(isText) &&
    isRecord(options) &&
    [system ?? [], tools ?? [], messages].every(areTexts),
  event: ({ attempt, at, record }) => isNumber(attempt) && isNumber(at) && hasType(record),
  end: ({ attempt, at, record }) =>
    isNumber(attempt) && isNumber(at) && (hasType(record, 'done') || hasType(record, 'model_error')),
  left: ({ attempt }) => isNumber(attempt),
};

function isLine(value: unknown): value is RecordingLine {
  if (!isRecord(value)) return false;
  const { type } = value;
  return isText(type) && isKind(type) && SHAPES[type](value);
}

function isKind(type: string): type is RecordingLine['type'] {
  return Object.hasOwn(SHAPES, type);
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number';
}

function areTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every(isText);
}

function hasType(value: unknown, type?: string): boolean {
  return isRecord(value) && (type === undefined ? isText(value['type']) : value['type'] === type);
}

function isPlace(value: unknown): boolean {
  return isRecord(value) && isText(value['name']) && isText(value['path']);
}

function isLayer(value: unknown): value is SystemLayer {
  return isRecord(value) && isText(value['text']);
}

function isTool(value: unknown): value is ToolSpec {
  return isRecord(value) && isText(value['name']) && isText(value['description']);
}

function isRecordedMessage(value: unknown): value is RequestMessage {
  return isRecord(value) && isText(value['role']) && Array.isArray(value['content']);
}
