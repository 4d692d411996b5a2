/**
 * The vocabulary of scripts. A step is one attempt of the model: parts, one after another. It is plain
 * data (except gates), so the scripted model and the fake API over HTTP play the same scripts.
 */
import type { ModelError, ModelRequest, StopReason } from '@heddle/core';
import type { Gate } from '../gate.ts';

/** A step as data. One part is a step of one. */
export type ScriptStep = ScriptPart | readonly ScriptPart[];

/** A step that depends on the request. `call` counts from 1. */
export type StepFunction = (request: ModelRequest, call: number) => ScriptStep;

/** One step per call, or a function for every call. */
export type Script = readonly (ScriptStep | StepFunction)[] | StepFunction;

/** The content of a block: each string is a delta, with pauses or gates in between. */
export type ScriptPiece = string | Gate | Pause;

export interface Pause {
  readonly part: 'pause';
  readonly ms: number;
}

export type ScriptPart = BlockPart | StreamPart | EndPart;

/** A content block. `unfinished`: only this share of its characters arrives, and it never stops. */
export type BlockPart = (
  | { readonly part: 'text'; readonly pieces: readonly ScriptPiece[] }
  | { readonly part: 'thinking'; readonly pieces: readonly ScriptPiece[]; readonly signature?: string }
  | { readonly part: 'redacted_thinking'; readonly data: string }
  | {
      readonly part: 'tool_use';
      readonly id: string;
      readonly name: string;
      readonly pieces: readonly ScriptPiece[];
    }
  | { readonly part: 'foreign_block'; readonly block: ForeignData }
) & { readonly unfinished?: number };

export type ForeignData = { readonly type: string } & Readonly<Record<string, unknown>>;

export type StreamPart =
  | Pause
  | Gate
  /** From here on, waits this long before each event. */
  | { readonly part: 'pace'; readonly ms: number }
  /** `message_start` now, even if nothing follows. */
  | { readonly part: 'begin' }
  | { readonly part: 'ping' }
  | { readonly part: 'foreign_event'; readonly event: ForeignData }
  /** Replaces the computed usage of the whole answer, counter by counter. */
  | { readonly part: 'usage'; readonly usage: ScriptedUsage }
  /** `message_delta` now. Without one, the reason follows from the blocks. */
  | { readonly part: 'stop'; readonly reason: StopReason | null; readonly sequence?: string };

/** The end of a step. Parts after it are never played. */
export type EndPart =
  | { readonly part: 'fail'; readonly error: ModelError }
  /** The connection is lost: reset, or closed cleanly but without `message_stop`. */
  | { readonly part: 'hang_up'; readonly clean: boolean }
  /**
   * The connection is lost after this many events of the step, regardless of the position of this part.
   */
  | { readonly part: 'break_at'; readonly events: number }
  /**
   * Silence. Ends with class `stall` after this time on the clock. Without a limit only an abort ends it.
   */
  | { readonly part: 'stall'; readonly ms: number | undefined };

export interface ScriptedUsage {
  readonly input_tokens?: number;
  readonly output_tokens?: number;
  readonly cache_creation_input_tokens?: number;
  readonly cache_read_input_tokens?: number;
  readonly [more: string]: unknown;
}

export function stepParts(step: ScriptStep): readonly ScriptPart[] {
  return isList(step) ? step : [step];
}

function isList(step: ScriptStep): step is readonly ScriptPart[] {
  return Array.isArray(step);
}

export function isGate(part: ScriptPart | ScriptPiece): part is Gate {
  return typeof part === 'object' && 'kind' in part;
}
