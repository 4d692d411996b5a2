/** The events on the wire during one step, piece by piece. */
import type { ApiEvent, ModelError } from '@heddle/core';
import type { Gate } from '../gate.ts';

export type Act =
  | { readonly act: 'event'; readonly event: ApiEvent }
  | { readonly act: 'wait'; readonly ms: number }
  | { readonly act: 'gate'; readonly gate: Gate }
  | EndAct;

/** The last act of every step, and only the last. */
export type EndAct =
  | { readonly act: 'done' }
  | { readonly act: 'fail'; readonly error: ModelError }
  | { readonly act: 'hang_up'; readonly clean: boolean }
  | { readonly act: 'silence'; readonly ms: number | undefined };
