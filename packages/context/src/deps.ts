/** What the context levels need from outside. Functions answer with values; none of them throws. */
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
import { type Breakdown, type BreakdownInput, breakdownOf } from './breakdown.ts';
import type { CollapseStore } from './collapse/collapse.ts';
import { type Thresholds, type WindowState, windowState } from './thresholds.ts';

export interface ContextDeps {
  readonly now: () => number;
  readonly uuid: () => string;
  readonly spills: SpillFiles;
  readonly summarize: Summarize;
  readonly collapses: CollapseStore;
  readonly reread: Reread;
  readonly hooks: CompactionHooks;
}

/** Files of the session that hold what was too large for the conversation. */
export interface SpillFiles {
  /** Where the output of this call would be: the same for the same call, also after a restart. */
  pathOf(toolUseId: string): string;
  /** True once all of it is stored. */
  write(toolUseId: string, text: string): Promise<boolean>;
}

/** What is read again after a compaction rather than remembered. */
export interface Reread {
  /** Rules that hold for the whole conversation, where they are not part of the prompt: word for word. */
  instructions(): Promise<readonly RereadFiles[]>;
  /** Files that work will go on with, the most recent first. What cannot be read is left out. */
  files(paths: readonly string[]): Promise<readonly RereadFiles[]>;
  /** Plan, invoked skills, running tasks: whatever else work needs. */
  standing(): Promise<readonly Attachment[]>;
}

export interface RereadFiles {
  readonly path: string;
  readonly text: string;
}

/** The signal aborts when nobody waits for the compaction any more. */
export interface CompactionHooks {
  /** May add instructions to the summariser's, or forbid the compaction. */
  before(
    about: { readonly trigger: CompactionTrigger; readonly instructions: string | undefined },
    signal: AbortSignal,
  ): Promise<{ readonly instructions?: string; readonly forbid?: string }>;
  after(
    about: { readonly trigger: CompactionTrigger; readonly handOver: string },
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

/** The result of one level: a pure step over the history. */
export interface LevelResult {
  /** The same object where nothing was done. */
  readonly messages: History<Message>;
  readonly tokensFreed: number;
  /** Undefined where nothing was done. */
  readonly report: ContextReport | undefined;
  /** Where single messages took the place of others: they carry the uuids of those. */
  readonly replaced?: readonly Message[];
}

export function untouched(messages: History<Message>): LevelResult {
  return { messages, tokensFreed: 0, report: undefined };
}

/** The categories are estimates and add up to `used`; `state.tokens` starts from what the server counted last. */
export interface ContextUsage extends Breakdown {
  readonly model: string;
  readonly thresholds: Thresholds;
  readonly state: WindowState;
}

export function contextUsageOf(
  input: BreakdownInput & { readonly model: string; readonly tokens: number },
): ContextUsage {
  const { model, thresholds, tokens } = input;
  return { ...breakdownOf(input), model, thresholds, state: windowState(tokens, thresholds) };
}

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
