/** What the context levels need from outside. Functions answer with values; none of them throws. */
import type { CompactionTrigger } from './report.ts';
import type { Attachment } from '../messages/message.ts';
import type { CollapseStore } from './collapse/collapse.ts';
import type { Summarise } from './compaction/summarise.ts';

export interface ContextDoors {
  readonly now: () => number;
  readonly uuid: () => string;
  readonly spills: SpillFiles;
  readonly summarise: Summarise;
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
  instructions(): Promise<readonly ReadAgain[]>;
  /** Files that work will go on with, the most recent first. What cannot be read is left out. */
  files(paths: readonly string[]): Promise<readonly ReadAgain[]>;
  /** Plan, invoked skills, running tasks: whatever else work needs. */
  standing(): Promise<readonly Attachment[]>;
}

export interface ReadAgain {
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
