/**
 * Builders for readable scripts: `[say('Let me look'), call('Read', { path: 'a' }, 'r1'), breakOff()]`.
 */
import type { JsonObject, ModelErrorClass, StopReason } from '@heddle/core';
import { type ErrorDetails, errorOf } from './errors.ts';
import type {
  BlockPart,
  EndPart,
  ForeignData,
  ScriptPart,
  Pause,
  ScriptPiece,
  ScriptedUsage,
  ScriptStep,
  StreamPart,
} from './part.ts';
import { omitUndefined } from '@heddle/core';

/** A step. A plain list of parts is equivalent. Without parts: an empty answer. */
export function answer(...parts: readonly ScriptPart[]): ScriptStep {
  return parts;
}

/**
 * A text block. One string is cut into chunks. Several pieces are one delta each, with gates and pauses in
 * between.
 */
export function say(...pieces: readonly ScriptPiece[]): BlockPart {
  return { part: 'text', pieces: chunked(pieces) };
}

/** A thinking block, signed by the requested model. */
export function think(...pieces: readonly ScriptPiece[]): BlockPart {
  return { part: 'thinking', pieces: chunked(pieces) };
}

/** Thinking with the test's own signature. */
export function thinkSigned(thinking: string, signature: string): BlockPart {
  return { part: 'thinking', pieces: chunked([thinking]), signature };
}

export function redacted(data: string): BlockPart {
  return { part: 'redacted_thinking', data };
}

export interface CallOptions {
  /**
   * The streamed JSON text instead of the input's own: for JSON that is broken, gated or cut in unusual
   * places.
   */
  readonly json?: readonly ScriptPiece[];
}

/** A tool call. Its JSON arrives in chunks. The server sends none for `{}`. */
export function call(name: string, input: JsonObject, id: string, options: CallOptions = {}): BlockPart {
  const json = Object.keys(input).length === 0 ? '' : JSON.stringify(input);
  return { part: 'tool_use', id, name, pieces: options.json ?? chunked([json]) };
}

/** The block begins, this share of it arrives, and it never stops. */
export function unfinished(block: BlockPart, share = 0.5): BlockPart {
  return { ...block, unfinished: share };
}

/** A block of an unknown type. It arrives whole. */
export function foreignBlock(block: ForeignData): BlockPart {
  return { part: 'foreign_block', block };
}

export function foreignEvent(event: ForeignData): StreamPart {
  return { part: 'foreign_event', event };
}

export function ping(): StreamPart {
  return { part: 'ping' };
}

export function begin(): StreamPart {
  return { part: 'begin' };
}

export function pause(ms: number): Pause {
  return { part: 'pause', ms };
}

/** From here on, waits this long before each event. */
export function pace(ms: number): StreamPart {
  return { part: 'pace', ms };
}

export function usage(usage: ScriptedUsage): StreamPart {
  return { part: 'usage', usage };
}

export function stop(reason: StopReason | null, sequence?: string): StreamPart {
  return { part: 'stop', reason, ...omitUndefined({ sequence }) };
}

/** Cut at the output cap. Put `unfinished(…)` before it if the last block should not stop. */
export function cut(): StreamPart {
  return stop('max_tokens');
}

export function pauseTurn(): StreamPart {
  return stop('pause_turn');
}

export function refuse(): StreamPart {
  return stop('refusal');
}

/** The context window was full before the answer was complete. */
export function windowFull(): StreamPart {
  return stop('model_context_window_exceeded');
}

/**
 * An error of this class, with the API's status and message. Alone: instead of an answer. After events: in
 * the stream.
 */
export function fail(errorClass: ModelErrorClass, details: ErrorDetails = {}): EndPart {
  return { part: 'fail', error: errorOf(errorClass, details) };
}

/** The socket breaks. As the first part: the connection failed. */
export function breakOff(): EndPart {
  return { part: 'hang_up', clean: false };
}

/** The stream ends cleanly but without `message_stop`. */
export function hangUp(): EndPart {
  return { part: 'hang_up', clean: true };
}

/** The socket breaks after this many events of the step. */
export function breakAt(events: number): EndPart {
  return { part: 'break_at', events };
}

/** Silence until the port's deadline (90 s without content), then class `stall`. */
export function stall(ms = 90_000): EndPart {
  return { part: 'stall', ms };
}

/** Silence that only an abort ends. */
export function hang(): EndPart {
  return { part: 'stall', ms: undefined };
}

/** Characters per delta, unless the script sets it. */
const CHUNK = 48;

function chunked(pieces: readonly ScriptPiece[]): readonly ScriptPiece[] {
  const [only] = pieces;
  return pieces.length === 1 && typeof only === 'string' ? chunksOf(only, CHUNK) : pieces;
}

/** Cuts a text into chunks of about this size, never within a surrogate pair. */
export function chunksOf(text: string, size: number): string[] {
  const chunks: string[] = [];
  let start = 0;
  while (start < text.length) {
    let end = start + size;
    if (/[\uD800-\uDBFF]/.test(text.charAt(end - 1))) end++;
    chunks.push(text.slice(start, end));
    start = end;
  }
  return chunks;
}
