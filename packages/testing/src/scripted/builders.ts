/** Builders, so that a script reads like prose: `[say('Let me look'), call('Read', { path: 'a' }, 'r1'), breakOff()]`. */
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

/** A step. Parts in a plain list do as well. No parts at all: an empty answer. */
export function answer(...parts: readonly ScriptPart[]): ScriptStep {
  return parts;
}

/** A text block. One string is cut into chunks; several pieces are one delta each, with gates and pauses between. */
export function say(...pieces: readonly ScriptPiece[]): BlockPart {
  return { part: 'text', pieces: chunked(pieces) };
}

/** A thinking block, signed by the model that is asked. */
export function think(...pieces: readonly ScriptPiece[]): BlockPart {
  return { part: 'thinking', pieces: chunked(pieces) };
}

/** Thinking with a signature of the test's own. */
export function thinkSigned(thinking: string, signature: string): BlockPart {
  return { part: 'thinking', pieces: chunked([thinking]), signature };
}

export function redacted(data: string): BlockPart {
  return { part: 'redacted_thinking', data };
}

export interface CallOptions {
  /** The input's JSON text as it is streamed, instead of the input's own: for JSON that is broken, gated or oddly cut. */
  readonly json?: readonly ScriptPiece[];
}

/** A tool call. Its JSON comes in chunks; the server sends none at all for `{}`. */
export function call(name: string, input: JsonObject, id: string, options: CallOptions = {}): BlockPart {
  const json = Object.keys(input).length === 0 ? '' : JSON.stringify(input);
  return { part: 'tool_use', id, name, pieces: options.json ?? chunked([json]) };
}

/** The block begins, this share of it comes, and it never stops. */
export function unfinished(block: BlockPart, share = 0.5): BlockPart {
  return { ...block, unfinished: share };
}

/** A block of a kind that nobody here knows; it comes whole. */
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

/** From here on, so long before each event. */
export function pace(ms: number): StreamPart {
  return { part: 'pace', ms };
}

export function usage(usage: ScriptedUsage): StreamPart {
  return { part: 'usage', usage };
}

export function stop(reason: StopReason | null, sequence?: string): StreamPart {
  return { part: 'stop', reason, ...(sequence === undefined ? {} : { sequence }) };
}

/** Cut at the output cap. Put `unfinished(…)` before it where the last block is not to stop. */
export function cut(): StreamPart {
  return stop('max_tokens');
}

export function pauseTurn(): StreamPart {
  return stop('pause_turn');
}

export function refuse(): StreamPart {
  return stop('refusal');
}

/** The window was full before the answer was. */
export function windowFull(): StreamPart {
  return stop('model_context_window_exceeded');
}

/** An error of this class, with the status and words the API would use. Alone: instead of an answer. Behind events: in the stream. */
export function fail(errorClass: ModelErrorClass, details: ErrorDetails = {}): EndPart {
  return { part: 'fail', error: errorOf(errorClass, details) };
}

/** The socket breaks. As the first part: there was no connection at all. */
export function breakOff(): EndPart {
  return { part: 'hang_up', clean: false };
}

/** The stream ends as if all were well, but `message_stop` never came. */
export function hangUp(): EndPart {
  return { part: 'hang_up', clean: true };
}

/** The socket breaks after so many events of this step. */
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

/** Characters of a delta where the script does not say otherwise. */
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
