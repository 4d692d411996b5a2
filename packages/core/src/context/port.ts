/**
 * `ContextDoor`: what the loop asks of whoever keeps the conversation within the window. `pipeline.ts` is the one behind it;
 * a test may put another there. Functions answer with values for errors of life.
 */
import type { JsonObject } from '../json.ts';
import type { OverflowCause } from '../machine/effect.ts';
import type { AutoCompactResult } from '../machine/happened.ts';
import type { MessageHistory } from '../messages/message.ts';
import type { Spent, Usage } from '../messages/usage.ts';
import type { ToolUseContext } from '../tools/context.ts';
import type { CompactionTrigger, ContextReport, ContextStep } from './deps.ts';

export interface ContextPort {
  prepare(request: PrepareRequest): AsyncGenerator<PrepareStep, PreparedHistory>;
  /** The server has answered, and counted what it was sent: the most exact word on its size. Tells what it cleared. */
  answered(answer: AnsweredRequest): ContextReport | undefined;
  /** Commits every staged collapse. */
  drain(
    signal?: AbortSignal,
  ): Promise<{ readonly committed: number; readonly report: ContextReport | undefined }>;
  /** Replaces the history by something smaller and valid, or says that it could not. Empties the staging queue. */
  compact(request: CompactRequest): Promise<Compacted>;
  /** The server stated the model's window when it rejected a request. From then on the smaller number counts. */
  learnWindow(model: string, tokens: number): void;
  /** Are collapses staged that could be drained? */
  staged(): boolean;
}

export interface AnsweredRequest {
  readonly responseId: string;
  readonly usage: Usage;
  /** Edits that the server made to the conversation by itself. */
  readonly appliedEdits?: readonly JsonObject[];
}

export interface PrepareRequest {
  readonly messages: MessageHistory;
  readonly autoCompact: boolean;
  readonly context: ToolUseContext;
}

export type PrepareStep = LevelStep | CompactionStart;

/** What a level did, and what it spent on calls of its own. */
export interface LevelStep extends ContextStep {
  readonly spent?: readonly Spent[];
}

/** Told before the summariser is asked: whoever watches should know what is waited for. */
export interface CompactionStart {
  readonly compacting: CompactionTrigger;
}

export interface PreparedHistory {
  /** The history that goes on. */
  readonly messages: MessageHistory;
  /** What is sent: the history as the collapse store projects it. */
  readonly view: MessageHistory;
  readonly overLimit: boolean;
  readonly autoCompact: AutoCompactResult;
}

export interface CompactRequest {
  readonly messages: MessageHistory;
  readonly cause: OverflowCause;
  readonly context: ToolUseContext;
}

export type Compacted =
  | {
      readonly ok: true;
      /** Names this compaction. */
      readonly id: string;
      readonly messages: MessageHistory;
      readonly replacedTokens: number;
      readonly report: ContextReport;
      readonly spent?: readonly Spent[];
    }
  | {
      readonly ok: false;
      readonly why: string;
      /** The conversation is too short: no model was asked. */
      readonly nothingToDo?: boolean;
      readonly spent?: readonly Spent[];
      /** What is told of the failure. */
      readonly report?: ContextReport;
    };
