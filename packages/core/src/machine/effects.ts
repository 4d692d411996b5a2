/**
 * The protocol between the machine and the driver: effects and steps that `decide` chooses, and events that report what
 * happened. Closed unions of plain data. An effect carries everything that was decided about it.
 */
import type { AbortCause } from '../abort.ts';
import type { ModelError } from '../messages/model-error.ts';
import type { RepeatedCall } from './state.ts';

export type Effect =
  | {
      readonly type: 'prepare';
      /** Stage finished stretches of work as collapses. */
      readonly stage: boolean;
      readonly autoCompact: boolean;
      readonly lineage: CompactionLineage;
    }
  | {
      readonly type: 'stream';
      readonly maxOutputTokens: number;
      readonly taskBudget: { readonly total: number; readonly remaining: number } | undefined;
    }
  | { readonly type: 'drain' }
  | { readonly type: 'compact'; readonly cause: OverflowCause; readonly lineage: CompactionLineage }
  | { readonly type: 'run_tools' }
  | { readonly type: 'ask'; readonly calls: readonly RepeatedCall[] }
  | {
      readonly type: 'attach';
      readonly drainQueue: boolean;
      readonly nudge: readonly RepeatedCall[];
    }
  | { readonly type: 'stop_hooks'; readonly stopHookActive: boolean };

/** The compactions before this one, for its report. */
export interface CompactionLineage {
  /** Undefined: the conversation was not compacted before. */
  readonly previousId: string | undefined;
  readonly turnsSince: number;
  /** Failed autocompactions in a row so far. */
  readonly failures: number;
}

export type OverflowCause = 'overflow' | 'media';

/** Small steps of the driver, in order, before the decision takes effect. */
export type Step =
  /** Give every call that has no result a synthetic error result. */
  | { readonly type: 'close_open_calls'; readonly why: 'interrupted' | 'failed' }
  /** Retract the last block of a cut answer, with its call and result. */
  | { readonly type: 'drop_unfinished' }
  /** Keep the blocks of a cut answer that can be sent, so that the model can resume after them. */
  | { readonly type: 'keep_partial' }
  /** Yield the text that an abort cut off, marked as interrupted. */
  | { readonly type: 'keep_interrupted' }
  /** Retract everything that this attempt yielded. */
  | { readonly type: 'tombstone_attempt' }
  /** Yield the error that was withheld while a recovery was possible. */
  | { readonly type: 'release' }
  /** Start the `StopFailure` hooks, and do not wait for them. */
  | { readonly type: 'fire_stop_failure' }
  | { readonly type: 'notify'; readonly notice: Notice };

export type Notice =
  | { readonly about: 'interrupted'; readonly during: 'streaming' | 'tools' }
  | { readonly about: 'prompt_too_long' }
  | { readonly about: 'thrown'; readonly message: string }
  | { readonly about: 'max_turns'; readonly maxTurns: number; readonly turnCount: number }
  | { readonly about: 'hook_stopped'; readonly hook: string; readonly message: string }
  | { readonly about: 'stop_hook_prevented'; readonly hook: string; readonly message: string }
  | { readonly about: 'repetition'; readonly calls: readonly RepeatedCall[] };

/** The report of the driver about an effect. Errors of normal operation are values. */
export type MachineEvent =
  | { readonly type: 'began' }
  | ({ readonly type: 'prepared'; readonly context: PreparedContext } & Watched)
  | ({
      readonly type: 'streamed';
      readonly calls: number;
      readonly ended: StreamEnd;
      readonly staged: boolean;
    } & Watched)
  | ({ readonly type: 'drained'; readonly committed: boolean } & Watched)
  | ({ readonly type: 'compacted'; readonly cause: OverflowCause; readonly result: CompactResult } & Watched)
  | ({
      readonly type: 'tools_ran';
      readonly calls: readonly FinishedCall[];
      readonly stoppedBy: HookMessage | undefined;
      /** Tools replaced the tool use context. */
      readonly contextChanged: boolean;
    } & Watched)
  | ({ readonly type: 'asked'; readonly continues: boolean } & Watched)
  | ({ readonly type: 'attached' } & Watched)
  | ({
      readonly type: 'hooks_ran';
      readonly prevented: HookMessage | undefined;
      readonly blocking: readonly HookMessage[];
      /** Output tokens of this run so far, and the time, for the token budget. */
      readonly outputTokens: number;
      readonly now: number;
    } & Watched)
  /** An exception in our own code while an effect was performed. */
  | ({
      readonly type: 'threw';
      readonly during: Effect['type'];
      readonly media: boolean;
      readonly message: string;
    } & Watched);

/** Every effect is watched by the abort signal. */
interface Watched {
  readonly aborted: AbortCause | undefined;
}

export interface PreparedContext {
  /** The estimate, less what snip freed, is at or over the blocking limit. */
  readonly overLimit: boolean;
  /** Collapses are staged and could be drained. */
  readonly staged: boolean;
  readonly autoCompact: AutoCompactResult;
}

export type AutoCompactResult =
  | { readonly outcome: 'idle' }
  | { readonly outcome: 'compacted'; readonly id: string; readonly replacedTokens: number }
  | { readonly outcome: 'failed' };

export type CompactResult =
  | { readonly ok: true; readonly id: string; readonly replacedTokens: number }
  | { readonly ok: false };

export type StreamEnd = { readonly well: true } | { readonly well: false; readonly error: ModelError };

export interface FinishedCall {
  readonly tool: string;
  /** Tool, input and result in one short string. */
  readonly fingerprint: string;
}

export interface HookMessage {
  readonly hook: string;
  readonly message: string;
}
