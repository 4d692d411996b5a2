/**
 * The port through which the loop asks for context management: the levels that keep a conversation within the window.
 *
 * Contract:
 * - `@heddle/context` implements it; a test may pass another implementation.
 * - Errors of normal operation are values. No function throws.
 */
import type { JsonObject } from '../json.ts';
import type { AutoCompactResult, CompactionLineage, OverflowCause } from '../machine/effects.ts';
import type { Message, MessageHistory } from '../messages/message.ts';
import type { Spent, Usage } from '../messages/usage.ts';
import type { ToolUseContext } from '../tools/tool.ts';

export interface ContextPort {
  /**
   * Runs the levels before a request. It yields each change of the history before it takes effect. A collapse changes only
   * the view, and is stored before it is yielded.
   */
  prepare(request: PrepareRequest): AsyncGenerator<PrepareStep, PreparedHistory>;
  /** Stores the server's token count for a request, the most exact measure of its size. Reports what the server cleared. */
  answered(answer: AnsweredRequest): ContextReport | undefined;
  /** Commits every staged collapse. */
  drain(
    signal?: AbortSignal,
  ): Promise<{ readonly committed: number; readonly report: ContextReport | undefined }>;
  /** Replaces the history by a smaller valid one, or reports why it could not. Empties the staging queue. */
  compact(request: CompactRequest): Promise<Compacted>;
  /** Stores the window that the server stated when it rejected a request. From then on the smaller number counts. */
  learnWindow(model: string, tokens: number): void;
  /** Returns true if a collapse is staged that could be drained. */
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
  /** Stage finished stretches of work as collapses (the default). The machine allows it once after each good answer. */
  readonly stage?: boolean;
  readonly autoCompact: boolean;
  readonly context: ToolUseContext;
}

export type PrepareStep = LevelStep | CompactionStart;

/** The change of one level, with the cost of its own model calls. */
export interface LevelStep extends ContextStep {
  readonly spent?: readonly Spent[];
}

/** Announces a compaction before the summarizer is called, so that a consumer can show why it waits. */
export interface CompactionStart {
  readonly compacting: CompactionTrigger;
}

export interface PreparedHistory {
  /** The history that the run continues with. */
  readonly messages: MessageHistory;
  /** The history to send: `messages` as the collapse store projects it. */
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
      /** The id of this compaction. */
      readonly id: string;
      readonly messages: MessageHistory;
      readonly replacedTokens: number;
      readonly report: ContextReport;
      readonly spent?: readonly Spent[];
    }
  | {
      readonly ok: false;
      readonly why: string;
      /** The conversation is too short: no model was called. */
      readonly nothingToDo?: boolean;
      readonly spent?: readonly Spent[];
      /** The report of the failure. */
      readonly report?: ContextReport;
    };

/**
 * One record holds the report of a level and the history that it produced. After a crash either the old history is in
 * force or the new one.
 */
export interface ContextStep {
  readonly report: ContextReport;
  /** The new history, if the level replaced it. */
  readonly messages?: readonly Message[];
  /** Messages that replace those with the same uuid, if the level changed only single messages. */
  readonly replaced?: readonly Message[];
}

/** The reason for a compaction: the window is nearly full, the user asked, or a request did not fit. */
export type CompactionTrigger = 'auto' | 'manual' | 'reactive';

/** The report of one context level. `rewrotePrefix` announces that cached bytes are lost. */
export interface ContextReport {
  readonly level:
    | 'tool_result_budget'
    | 'snip'
    | 'microcompact'
    | 'cached_microcompact'
    | 'collapse'
    | 'autocompact'
    | 'reactive_compact'
    | 'manual_compact'
    | 'drain';
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  readonly rewrotePrefix: boolean;
  readonly details?: JsonObject;
}

export const COMPACTION_LEVELS: ReadonlySet<ContextReport['level']> = new Set([
  'autocompact',
  'reactive_compact',
  'manual_compact',
]);

/** Adds the previous compaction to the report of a compaction. Other reports are returned unchanged. */
export function withLineage(report: ContextReport, lineage: CompactionLineage): ContextReport {
  if (!COMPACTION_LEVELS.has(report.level)) return report;
  const { previousId, turnsSince, failures } = lineage;
  const previous = previousId === undefined ? {} : { previousId, turnsSince };
  return { ...report, details: { ...report.details, ...previous, failures } };
}
