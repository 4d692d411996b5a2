/** `ContextOptions`: every switch and number of the context levels. Only values that depend on the model are functions. */

export interface ContextOptions {
  /** The model's window, in tokens. */
  readonly windowOf: (model: string) => number;
  /** Real tokens of the model for each estimated one, until the server has counted an answer. */
  readonly tokenScaleOf: (model: string) => number;
  /** Tokens kept free for the answer, and for the answer of the summarizer. */
  readonly reservedOutput: number;
  /** A compaction is due at this share of the window, or at the user's cap if that is lower. */
  readonly autoCompactRatio: number;
  readonly autoCompactCap: number | undefined;
  /** A smaller window, in tokens, for the decision to compact. */
  readonly autoCompactWindow: number | undefined;
  /** The user is warned at this share of what triggers a compaction. */
  readonly warningRatio: number;
  readonly levels: LevelSwitches;
  readonly resultBudget: ResultBudgetOptions;
  readonly snip: SnipOptions;
  readonly microcompact: MicrocompactOptions;
  readonly collapse: CollapseOptions;
  readonly compaction: CompactionOptions;
}

/** Switches of the levels. The machine switches autocompact and reactive compaction. */
export interface LevelSwitches {
  readonly resultBudget: boolean;
  readonly snip: boolean;
  readonly microcompact: boolean;
  /** The server clears old results instead: the client leaves them alone. */
  readonly cachedMicrocompact: boolean;
  readonly collapse: boolean;
  /** The last stage, which needs no model. */
  readonly reducer: boolean;
}

export interface ResultBudgetOptions {
  /** Characters that the results of one answer may have together. */
  readonly perRound: number;
  /** Characters of a spilled result that are still shown. */
  readonly preview: number;
}

/** Ratios of the threshold at which a compaction is due. */
export interface SnipOptions {
  readonly over: number;
  readonly downTo: number;
  /** Rounds at the end that are never dropped. */
  readonly keepRounds: number;
}

export interface MicrocompactOptions {
  readonly over: number;
  /** Results at the end that are never replaced. */
  readonly keepRecent: number;
  /** Each replacement loses the cached prefix: it must free this much, and happen at most every so many rounds. */
  readonly minFreed: number;
  readonly everyRounds: number;
  /** Smaller results, in tokens, are left alone. */
  readonly minResult: number;
  /** After this pause the cache has expired, and a replacement costs nothing. */
  readonly coldAfterMs: number;
}

export interface CollapseOptions {
  /** The first threshold: from here on one staged collapse is committed in each iteration. */
  readonly over: number;
  /** A stretch has at least so many rounds and tokens, and ends so many rounds before the end. */
  readonly minRounds: number;
  readonly minTokens: number;
  readonly keepRounds: number;
}

export interface CompactionOptions {
  /** Shares of the usable window: the last steps, the user's own words, the files that are attached again. */
  readonly tail: number;
  readonly requests: number;
  readonly files: number;
  readonly maxFiles: number;
  /** Tokens that a summary may have. */
  readonly summaryTokens: number;
  /** A compaction that frees a smaller share is discarded. */
  readonly leastFreed: number;
  /** The share of the usable window that the reducer aims at. */
  readonly reduceTo: number;
}

export type ContextChanges = Partial<
  Omit<ContextOptions, 'levels' | 'resultBudget' | 'snip' | 'microcompact' | 'collapse' | 'compaction'>
> & {
  readonly levels?: Partial<LevelSwitches>;
  readonly resultBudget?: Partial<ResultBudgetOptions>;
  readonly snip?: Partial<SnipOptions>;
  readonly microcompact?: Partial<MicrocompactOptions>;
  readonly collapse?: Partial<CollapseOptions>;
  readonly compaction?: Partial<CompactionOptions>;
};

export function contextOptions(given: ContextChanges = {}): ContextOptions {
  const { levels, resultBudget, snip, microcompact, collapse, compaction, ...rest } = given;
  return {
    ...DEFAULT_CONTEXT,
    ...rest,
    levels: { ...DEFAULT_CONTEXT.levels, ...levels },
    resultBudget: { ...DEFAULT_CONTEXT.resultBudget, ...resultBudget },
    snip: { ...DEFAULT_CONTEXT.snip, ...snip },
    microcompact: { ...DEFAULT_CONTEXT.microcompact, ...microcompact },
    collapse: { ...DEFAULT_CONTEXT.collapse, ...collapse },
    compaction: { ...DEFAULT_CONTEXT.compaction, ...compaction },
  };
}

export const DEFAULT_CONTEXT: ContextOptions = {
  windowOf: () => 200_000,
  tokenScaleOf: () => 1,
  reservedOutput: 20_000,
  autoCompactRatio: 0.9,
  autoCompactCap: undefined,
  autoCompactWindow: undefined,
  warningRatio: 0.85,
  levels: {
    resultBudget: true,
    snip: false,
    microcompact: true,
    cachedMicrocompact: false,
    collapse: false,
    reducer: true,
  },
  resultBudget: { perRound: 200_000, preview: 2_000 },
  snip: { over: 0.8, downTo: 0.5, keepRounds: 10 },
  microcompact: {
    over: 0.4,
    keepRecent: 8,
    minFreed: 20_000,
    everyRounds: 20,
    minResult: 300,
    coldAfterMs: 60 * 60_000,
  },
  collapse: { over: 0.6, minRounds: 2, minTokens: 1_000, keepRounds: 6 },
  compaction: {
    tail: 0.12,
    requests: 0.08,
    files: 0.1,
    maxFiles: 5,
    summaryTokens: 8_192,
    leastFreed: 0.2,
    reduceTo: 0.5,
  },
};
