/** `LoopEvent`: everything `query` yields. What will be done is yielded before it is done; the consumer stores it, then asks for more. */
import type { CompactionTrigger, ContextStep } from '../../context/port.ts';
import type { JsonObject, Json } from '../../json.ts';
import type {
  AssistantMessage,
  AttachmentMessage,
  SystemMessage,
  UserMessage,
} from '../../messages/message.ts';
import type { Usage } from '../../messages/usage.ts';
import type { ModelError } from '../../messages/model-error.ts';
import type { ApiEvent, StopReason } from '../../model/port.ts';
import type { Transition } from '../../machine/terminal.ts';
import type { SessionState } from '../../tools/context.ts';
import type { EffectClass } from '../../tools/tool.ts';

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
  /** Tokens of an attempt that gave no answer: they are billed all the same. */
  | { readonly type: 'spent'; readonly model: string; readonly usage: Usage }
  | {
      readonly type: 'retry';
      /** The attempt that comes, counted from 1. */
      readonly attempt: number;
      readonly maxAttempts: number;
      readonly delayMs: number;
      readonly error: ModelError;
    }
  /** These messages are taken back: they never enter a later request. */
  | { readonly type: 'tombstone'; readonly uuids: readonly string[] }
  /** The call begins only after this was yielded. No intent: it never ran. */
  | {
      readonly type: 'tool_intent';
      readonly toolUseId: string;
      readonly tool: string;
      readonly input: JsonObject;
      readonly effect: EffectClass;
      readonly details?: JsonObject;
    }
  | { readonly type: 'progress'; readonly toolUseId: string; readonly tool: string; readonly data: Json }
  | { readonly type: 'transition'; readonly transition: Transition; readonly turnCount: number }
  | { readonly type: 'tool_use_summary'; readonly summary: string; readonly toolUseIds: readonly string[] }
  /** Tools changed where the agent stands, or what it may do. */
  | { readonly type: 'stance'; readonly stance: SessionState }
  | ({ readonly type: 'context' } & ContextStep)
  /** A compaction begins: it may take a while. What came of it is told by a `context` event, unless it was aborted. */
  | { readonly type: 'compacting'; readonly trigger: CompactionTrigger }
  | { readonly type: 'mended'; readonly mends: readonly string[] }
  /** The API refused these blocks: notes take their place in every request from now on, in later runs, too. */
  | { readonly type: 'refused'; readonly blocks: readonly string[] }
  /** The next request does not begin with the last one: something before its end was changed, and its cached part is lost. */
  | { readonly type: 'prefix_rewritten' }
  /** A queued command joined the run, and, once the run has returned, was completed by it. */
  | { readonly type: 'command'; readonly commandId: string; readonly state: 'started' | 'completed' }
  | HookProgress;

export interface HookProgress {
  readonly type: 'hook_progress';
  readonly hook: string;
  readonly text: string;
}

export interface MessageEvent {
  readonly type: 'message';
  readonly message: UserMessage | AssistantMessage | SystemMessage | AttachmentMessage;
  /** The same message with fields that observers like to see (absolute paths); never sent, never stored. */
  readonly observable?: AssistantMessage;
  /** What the answer has cost so far, on its blocks: the server counts on until its end. Never stored. */
  readonly usage?: Usage;
  /** Set on the message that carries a call's result. */
  readonly outcome?: { readonly toolUseId: string; readonly isError: boolean };
}
