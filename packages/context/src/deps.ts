/**
 * The ports of the context levels: everything that they need from outside.
 *
 * Contract: errors are values. No function of a port throws.
 */
import type {
  Attachment,
  CompactionTrigger,
  ContextReport,
  History,
  Message,
  ModelErrorClass,
  Spent,
  ToolUseContext,
} from '@heddle/core';

export interface ContextDeps {
  readonly now: () => number;
  readonly uuid: () => string;
  readonly spills: SpillFiles;
  readonly summarize: Summarize;
  readonly collapses: CollapseStore;
  readonly reread: Reread;
  readonly hooks: CompactionHooks;
}

/** Files of the session that contain outputs too large for the conversation. */
export interface SpillFiles {
  /** Returns the path for the output of a call. It is the same after a restart. */
  pathOf(toolUseId: string): string;
  /** Returns true when the whole text is stored. */
  write(toolUseId: string, text: string): Promise<boolean>;
}

/** Content that is read again after a compaction instead of being summarized. */
export interface Reread {
  /** Returns, word for word, the rules for the whole conversation that are not part of the prompt. */
  instructions(): Promise<readonly RereadFiles[]>;
  /** Returns the files that the work continues with, the most recent first. Unreadable files are left out. */
  files(paths: readonly string[]): Promise<readonly RereadFiles[]>;
  /** Returns the plan, invoked skills, running tasks and other state that the work needs. */
  standing(): Promise<readonly Attachment[]>;
}

export interface RereadFiles {
  readonly path: string;
  readonly text: string;
}

/** Hooks of the host around a compaction. The signal aborts when the compaction is no longer awaited. */
export interface CompactionHooks {
  /** May add instructions for the summarizer, or forbid the compaction. */
  before(
    about: { readonly trigger: CompactionTrigger; readonly instructions: string | undefined },
    signal: AbortSignal,
  ): Promise<{ readonly instructions?: string; readonly forbid?: string }>;
  after(
    about: { readonly trigger: CompactionTrigger; readonly handoff: string },
    signal: AbortSignal,
  ): Promise<void>;
}

export const NO_COMPACTION_HOOKS: CompactionHooks = {
  before: () => Promise.resolve({}),
  after: () => Promise.resolve(),
};

export const NOTHING_TO_REREAD: Reread = {
  instructions: () => Promise.resolve([]),
  files: () => Promise.resolve([]),
  standing: () => Promise.resolve([]),
};

/** Asks a model to summarize a conversation. `modelSummarizer` is the implementation for a `ModelPort`. */
export type Summarize = (request: SummaryRequest) => Promise<SummaryAnswer>;

export interface SummaryRequest {
  readonly messages: History<Message>;
  readonly instruction: string;
  readonly maxTokens: number;
  readonly context: ToolUseContext;
}

export type SummaryAnswer =
  | { readonly ok: true; readonly text: string; readonly spent: readonly Spent[] }
  | {
      readonly ok: false;
      readonly why: string;
      readonly class: ModelErrorClass;
      readonly spent: readonly Spent[];
    };

/** Stores committed collapses. Staged collapses are computed again when they are needed. */
export interface CollapseStore {
  /** The collapses that were saved last. */
  committed(): readonly Collapse[];
  /** Replaces the stored collapses, all or none. Returns false if they could not be stored. Then nothing changed. */
  save(collapses: readonly Collapse[]): Promise<boolean>;
}

/** A summary that the model sees in place of a stretch of messages. */
export interface Collapse {
  readonly id: string;
  /** The uuid of the first and of the last message of the stretch. */
  readonly from: string;
  readonly to: string;
  readonly summary: string;
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  readonly at: number;
}

/** The result of one level: a pure step over the history. */
export interface LevelResult {
  /** The same object if the level changed nothing. */
  readonly messages: History<Message>;
  readonly tokensFreed: number;
  /** Undefined if the level changed nothing. */
  readonly report: ContextReport | undefined;
  /** Set if the level changed only single messages. They keep the uuids of those that they replace. */
  readonly replaced?: readonly Message[];
}

export function untouched(messages: History<Message>): LevelResult {
  return { messages, tokensFreed: 0, report: undefined };
}
