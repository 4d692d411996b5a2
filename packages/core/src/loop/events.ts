/**
 * `LoopEvent`: everything that `query` yields. The loop yields an event before it acts on it. The consumer stores the event
 * and then asks for the next one.
 */
import type { CompactionTrigger, ContextStep } from '../context/port.ts';
import type { JsonObject, Json } from '../json.ts';
import type { AssistantMessage, AttachmentMessage, SystemMessage, UserMessage } from '../messages/message.ts';
import type { Usage } from '../messages/usage.ts';
import type { ModelError, RateLimits } from '../messages/model-error.ts';
import type { ApiEvent, StopReason } from '../model/port.ts';
import type { Transition } from '../machine/state.ts';
import type { CallPlace, EffectClass, SessionState } from '../tools/tool.ts';

export type LoopEvent =
  | { readonly type: 'stream_request_start' }
  | MessageEvent
  /** A raw event of the stream, for consumers of partial messages. Makes no entry in the log. */
  | { readonly type: 'stream_event'; readonly event: ApiEvent }
  | {
      readonly type: 'answer_end';
      readonly responseId: string;
      readonly model: string;
      readonly stopReason: StopReason | undefined;
      readonly usage: Usage;
      readonly requestId?: string;
    }
  /** Tokens of an attempt without an answer. The provider bills them as well. */
  | { readonly type: 'spent'; readonly model: string; readonly usage: Usage }
  | {
      readonly type: 'retry';
      /** The number of the next attempt, counted from 1. */
      readonly attempt: number;
      readonly maxAttempts: number;
      readonly delayMs: number;
      readonly error: ModelError;
    }
  /** These messages are retracted: they never enter a later request. */
  | { readonly type: 'tombstone'; readonly uuids: readonly string[] }
  /** The call starts only after this event. A call without an intent never ran. */
  | ToolIntent
  | { readonly type: 'progress'; readonly toolUseId: string; readonly tool: string; readonly data: Json }
  | { readonly type: 'transition'; readonly transition: Transition; readonly turnCount: number }
  | { readonly type: 'tool_use_summary'; readonly summary: string; readonly toolUseIds: readonly string[] }
  /** Tools changed the working directory, the permission mode or the loaded tools. */
  | { readonly type: 'stance'; readonly stance: SessionState }
  | ({ readonly type: 'context' } & ContextStep)
  /** A compaction starts and may take a while. A `context` event reports its result, unless it was aborted. */
  | { readonly type: 'compacting'; readonly trigger: CompactionTrigger }
  | { readonly type: 'mended'; readonly mends: readonly string[] }
  /** The API rejected these blocks. Notes replace them in every later request, also of later runs. */
  | { readonly type: 'refused'; readonly blocks: readonly string[] }
  /** The next request does not start with the bytes of the last one, so its cached prefix is lost. */
  | { readonly type: 'prefix_rewritten' }
  /** The state of the user's subscription, after each response that reports it. Makes no entry in the log. */
  | { readonly type: 'rate_limits'; readonly limits: RateLimits }
  /** A queued prompt joined the run (`started`), or the run with it has returned (`completed`). */
  | { readonly type: 'command'; readonly commandId: string; readonly state: 'started' | 'completed' }
  | HookProgress;

/** `workingDirectory` and `places` are not stored. */
export interface ToolIntent extends CallPlace {
  readonly type: 'tool_intent';
  readonly toolUseId: string;
  readonly tool: string;
  readonly input: JsonObject;
  readonly effect: EffectClass;
  readonly details?: JsonObject;
}

export interface HookProgress {
  readonly type: 'hook_progress';
  readonly hook: string;
  readonly text: string;
}

export interface MessageEvent {
  readonly type: 'message';
  readonly message: UserMessage | AssistantMessage | SystemMessage | AttachmentMessage;
  /** The same message with derived fields for observers, such as absolute paths. Never sent, never stored. */
  readonly observable?: AssistantMessage;
  /** The usage of the answer so far, on its blocks. The server counts until the end. Never stored. */
  readonly usage?: Usage;
  /** Set on the message that carries a call's result. */
  readonly outcome?: { readonly toolUseId: string; readonly isError: boolean };
}
