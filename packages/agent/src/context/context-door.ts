/** The production context door: the levels of the core with the session's folder, the model and the disk behind them. */
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  type AnswerCount,
  type Attachment,
  type Clock,
  type CompactionHooks,
  type ContextChanges,
  contextOptions,
  type ContextPipeline,
  createContextDoor,
  DEFAULT_GATES,
  type Gates,
  type LevelSwitches,
  type ModelPort,
  NO_COMPACTION_HOOKS,
  type PromptHead,
  type RequestOptions,
  modelSummariser,
} from '@heddle/core';
import { SPILLS } from '../session/files/paths.ts';
import { collapseStore } from './collapse-store.ts';
import { rereadFrom } from './reread.ts';
import { spillFiles } from './spill-files.ts';

/** Snip, collapse and clearing by the server are gates of the loop: each has one switch, in `gates`. */
export type ContextSettings = Omit<ContextChanges, 'levels'> & {
  readonly levels?: Partial<Omit<LevelSwitches, 'snip' | 'collapse' | 'cachedMicrocompact'>>;
};

export interface ContextDoorSetup {
  readonly model: ModelPort;
  readonly clock: Clock;
  readonly uuid: () => string;
  readonly random: () => number;
  readonly sessionId: string;
  /** The journal's file: spills and collapses lie in the folder of the same name. Undefined for a session in memory. */
  readonly journalPath: string | undefined;
  readonly cwd: string;
  /** What stands before the conversation in every request. */
  readonly head: PromptHead;
  readonly requestOptions?: RequestOptions | undefined;
  /** The switches that the loop shares with the levels. */
  readonly gates?: Partial<Gates> | undefined;
  readonly changes?: ContextSettings | undefined;
  readonly instructions?: readonly string[] | undefined;
  readonly deniedFiles?: (() => Promise<(file: string) => boolean>) | undefined;
  readonly standing?: (() => Promise<readonly Attachment[]>) | undefined;
  readonly hooks?: CompactionHooks | undefined;
  /** What the API has refused of the conversation so far. */
  readonly refusedBlocks?: (() => Iterable<string>) | undefined;
  readonly learnedWindows?: Map<string, number> | undefined;
  /** The last answer in the log, with what the server counted for it. */
  readonly lastAnswer?: (() => AnswerCount | undefined) | undefined;
}

/** One for the whole session: it remembers what was sent and decided from prompt to prompt. */
export function contextDoorOf(setup: ContextDoorSetup): ContextPipeline {
  const { model, clock, random, head, gates, changes, requestOptions: options } = setup;
  const folder = folderOf(setup);
  const { historySnip, contextCollapse, cachedMicrocompact } = { ...DEFAULT_GATES, ...gates };
  const gated = { snip: historySnip, collapse: contextCollapse, cachedMicrocompact };
  const levels = { ...changes?.levels, ...gated };
  const pipeline: ContextPipeline = createContextDoor(
    {
      options: contextOptions({ ...changes, levels }),
      head,
      ...(setup.learnedWindows ? { learnedWindows: setup.learnedWindows } : {}),
      ...(setup.lastAnswer ? { lastAnswer: setup.lastAnswer } : {}),
    },
    {
      now: clock.now,
      uuid: setup.uuid,
      spills: spillFiles(path.join(folder, SPILLS)),
      summarise: modelSummariser({
        model,
        clock,
        random,
        head,
        serverEdits: (context) => pipeline.serverEdits(context),
        ...(options ? { options } : {}),
        ...(setup.refusedBlocks ? { refusedBlocks: setup.refusedBlocks } : {}),
      }),
      collapses: collapseStore(folder),
      reread: rereadFrom({
        cwd: setup.cwd,
        instructions: setup.instructions ?? [],
        deniedFiles: setup.deniedFiles,
        standing: setup.standing ?? (() => Promise.resolve([])),
      }),
      hooks: setup.hooks ?? NO_COMPACTION_HOOKS,
    },
  );
  return pipeline;
}

/** A session in memory leaves its spills where the system clears them away. */
function folderOf({ journalPath, sessionId }: ContextDoorSetup): string {
  if (journalPath === undefined) return path.join(tmpdir(), `heddle-${sessionId}`);
  return journalPath.replace(/\.jsonl$/, '');
}
