/** `QueryConfig`: plain data, taken once when a run begins and never changed. Every number is a default a user can change. */

import { DEFAULT_RETRY, type RetryPolicy } from './attempts.ts';

/** The origin of a run. The terminal, scripts and hosts all use `sdk`. `repl_main_thread` is accepted from other callers. */
export type QuerySource =
  | 'repl_main_thread'
  | 'sdk'
  | 'compact'
  | `agent:${string}`
  | (string & { readonly source?: never });

export interface Gates {
  readonly streamingToolExecution: boolean;
  readonly emitToolUseSummaries: boolean;
  readonly fastMode: boolean;
  readonly outputEscalation: boolean;
  readonly tokenBudget: boolean;
  readonly historySnip: boolean;
  readonly contextCollapse: boolean;
  readonly cachedMicrocompact: boolean;
  readonly reactiveCompact: boolean;
  readonly autoCompact: boolean;
  readonly repetition: boolean;
}

export interface Limits {
  /** Output cap of a call, in tokens, and the raised cap after an answer was cut. */
  readonly maxOutputTokens: number;
  readonly escalatedOutputTokens: number;
  /** How often a cut answer is asked to resume. */
  readonly outputRecoveries: number;
  /** How often stop hooks may send one run back to work. */
  readonly stopHookBlocks: number;
  /** Failed autocompactions in a row after which it is no longer tried. */
  readonly autoCompactFailures: number;
  /** The same call with the same input and the same result: a nudge after so many, the end after so many. */
  readonly repetitionNudge: number;
  readonly repetitionStop: number;
  /** The share of a token budget at which the loop stops asking for more. */
  readonly budgetShare: number;
  /** Gains count as diminished when, after so many continuations, two in a row stayed under so many tokens. */
  readonly budgetContinuations: number;
  readonly budgetMinimumGain: number;
  /** Calls of one batch that run at the same time. */
  readonly toolConcurrency: number;
  /** How long an aborted tool may take to wind up before its result is written without it, in milliseconds. */
  readonly abortGraceMs: number;
  /** How long a call that a new message must not break may still take, in milliseconds. */
  readonly blockGraceMs: number;
  /** How long the run waits for one step at the end of a turn, in milliseconds. User hooks have their own limits. */
  readonly turnEndStepMs: number;
}

export interface QueryConfig {
  readonly sessionId: string;
  readonly querySource: QuerySource;
  /** Subagents never continue on a token budget and skip the main thread's end-of-turn work. */
  readonly isSubagent: boolean;
  /** No background work at the end of a turn. */
  readonly bare: boolean;
  /** A user can be asked whether a repeating run should continue. */
  readonly canAsk: boolean;
  /** Undefined or 0: no limit. */
  readonly maxTurns: number | undefined;
  /** In output tokens; undefined or 0: none. */
  readonly tokenBudget: number | undefined;
  readonly taskBudget: { readonly total: number } | undefined;
  /** The output cap that the caller asked for, in tokens. It is never raised. */
  readonly outputCap: number | undefined;
  /** Yield the raw events of the stream, too. */
  readonly partialMessages: boolean;
  readonly gates: Gates;
  readonly limits: Limits;
  readonly retry: RetryPolicy;
}

/** A complete configuration from the few things a caller cares about. */
export function queryConfig(given: { readonly sessionId: string } & ConfigChanges): QueryConfig {
  const { gates, limits, retry, ...rest } = given;
  return {
    querySource: 'sdk',
    isSubagent: false,
    bare: false,
    canAsk: false,
    maxTurns: undefined,
    tokenBudget: undefined,
    taskBudget: undefined,
    outputCap: undefined,
    partialMessages: false,
    ...rest,
    gates: { ...DEFAULT_GATES, ...gates },
    limits: { ...DEFAULT_LIMITS, ...limits },
    retry: { ...DEFAULT_RETRY, ...retry },
  };
}

export type ConfigChanges = Partial<Omit<QueryConfig, 'gates' | 'limits' | 'retry'>> & {
  readonly gates?: Partial<Gates>;
  readonly limits?: Partial<Limits>;
  readonly retry?: Partial<RetryPolicy>;
};

export const DEFAULT_GATES: Gates = {
  streamingToolExecution: true,
  emitToolUseSummaries: false,
  fastMode: false,
  outputEscalation: true,
  tokenBudget: true,
  historySnip: false,
  contextCollapse: false,
  cachedMicrocompact: false,
  reactiveCompact: true,
  autoCompact: true,
  repetition: true,
};

export const DEFAULT_LIMITS: Limits = {
  maxOutputTokens: 8_192,
  escalatedOutputTokens: 64_000,
  outputRecoveries: 3,
  stopHookBlocks: 8,
  autoCompactFailures: 3,
  repetitionNudge: 5,
  repetitionStop: 12,
  budgetShare: 0.9,
  budgetContinuations: 3,
  budgetMinimumGain: 500,
  toolConcurrency: 10,
  abortGraceMs: 400,
  blockGraceMs: 30_000,
  turnEndStepMs: 5_000,
};
