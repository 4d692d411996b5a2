/**
 * `Entry`: one record of the session log. The log is append-only and complete. The model sees a projection of it
 * (`projection.ts`). Deltas and progress are not logged. The engine defines the format on disk.
 */
import type { JsonObject } from '../json.ts';
import type { ContentBlock } from '../messages/blocks.ts';
import type { ContextStep } from '../context/port.ts';
import type {
  AssistantMessage,
  AttachmentMessage,
  Message,
  SystemMessage,
  UserMessage,
} from '../messages/message.ts';
import type { Usage } from '../messages/usage.ts';
import type { Terminal, Transition } from '../machine/state.ts';
import type { ModelError } from '../messages/model-error.ts';
import type { StopReason } from '../model/port.ts';
import type { EffectClass, SessionState } from '../tools/tool.ts';

export type EntryBody =
  /** The first entry: the constant parts of the session, so that a resumed session sends the same bytes. */
  | { readonly type: 'session'; readonly snapshot: SessionSnapshot }
  | { readonly type: 'user'; readonly message: UserMessage }
  | { readonly type: 'assistant'; readonly message: AssistantMessage }
  | { readonly type: 'system'; readonly message: SystemMessage }
  | { readonly type: 'attachment'; readonly message: AttachmentMessage }
  /** A request is sent. For people only: nothing depends on it, and old logs lack it. */
  | {
      readonly type: 'request';
      readonly model: string;
      /** The number of characters of each part. */
      readonly chars: RequestSizes;
      /** The window of the model, and the size at which the history is compacted, in tokens. */
      readonly window: number;
      readonly threshold: number;
    }
  | {
      readonly type: 'answer';
      readonly responseId: string;
      readonly model: string;
      readonly stopReason: StopReason | null;
      readonly usage: Usage;
      /** The time of the first record of the stream. Old logs lack it. */
      readonly firstAt?: number;
      /** The price at the time of the answer. Absent if no price was known. */
      readonly costUsd?: number;
      /** The parts of the cost by model, if the model called helper models. A model without a price is missing. */
      readonly costs?: Readonly<Record<string, number>>;
    }
  | {
      readonly type: 'spent';
      readonly model: string;
      readonly usage: Usage;
      readonly costUsd?: number;
      readonly costs?: Readonly<Record<string, number>>;
    }
  | { readonly type: 'retry'; readonly attempt: number; readonly delayMs: number; readonly error: ModelError }
  | { readonly type: 'tombstone'; readonly uuids: readonly string[] }
  | {
      readonly type: 'intent';
      readonly toolUseId: string;
      readonly tool: string;
      readonly input: JsonObject;
      readonly effect: EffectClass;
      readonly details?: JsonObject;
    }
  | { readonly type: 'outcome'; readonly toolUseId: string; readonly isError: boolean }
  | { readonly type: 'ask'; readonly toolUseId: string; readonly tool: string; readonly input: JsonObject }
  | {
      readonly type: 'ask_answer';
      readonly toolUseId: string;
      readonly behavior: 'allow' | 'deny';
      readonly message?: string;
    }
  | {
      readonly type: 'checkpoint';
      readonly toolUseId: string;
      readonly path: string;
      readonly hash: string | null;
    }
  | { readonly type: 'transition'; readonly transition: Transition; readonly turnCount: number }
  | { readonly type: 'summary'; readonly summary: string; readonly toolUseIds: readonly string[] }
  /** A context level made a change. If it replaced the history, the new one is in the same record. */
  | ({ readonly type: 'context' } & ContextStep)
  /** The session state from here on. A boundary contains it, because earlier entries are not read. */
  | { readonly type: 'stance'; readonly stance: SessionState }
  | { readonly type: 'mended'; readonly mends: readonly string[] }
  /** Blocks that the API refused, by their `rejectedBlockName`. A boundary contains them. */
  | { readonly type: 'refused'; readonly blocks: readonly string[] }
  | {
      readonly type: 'command';
      readonly commandId: string;
      readonly state: 'started' | 'completed' | 'cancelled';
    }
  /** A prompt that arrived during a run. A boundary contains it while it waits. */
  | QueuedEntry
  /**
   * The conversation continues after this message. Later messages stay in the log. If the message is older than a
   * compaction, the record has the history up to it, so that a reader need not read earlier entries.
   */
  | { readonly type: 'rewind'; readonly to: string; readonly messages?: readonly Message[] }
  /** The user's name for the session. An empty title removes it. */
  | { readonly type: 'title'; readonly title: string }
  | { readonly type: 'end'; readonly terminal: Terminal };

export interface QueuedEntry {
  readonly type: 'command';
  readonly commandId: string;
  readonly state: 'queued';
  readonly prompt: string | readonly ContentBlock[];
  /** `now` ends the running turn, `next` joins it, `later` waits for a turn of its own. */
  readonly priority: 'now' | 'next' | 'later';
  /** The subagent that the prompt is for. Absent for the main thread. */
  readonly agentId?: string;
}

export interface RequestSizes {
  readonly system: number;
  readonly tools: number;
  readonly messages: number;
  readonly results: number;
}

export interface SessionSnapshot {
  readonly cwd: string;
  readonly model: string;
  readonly systemPrompt: readonly string[];
  readonly userContext: Readonly<Record<string, string>>;
  readonly systemContext: Readonly<Record<string, string>>;
  readonly forkedFrom?: string;
  /** The agent that the conversation runs as. */
  readonly agent?: string;
}

export type Entry = EntryBody & { readonly at: number };
