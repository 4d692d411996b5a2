/** What the machine may ask of the driver. A closed union; each carries what was decided about it, so the driver holds no policy. */
import type { RepeatedCall } from './state.ts';

export type Effect =
  | { readonly type: 'prepare'; readonly autoCompact: boolean; readonly lineage: CompactionLineage }
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

/** What a report says about the compactions before this one. */
export interface CompactionLineage {
  /** Undefined: the conversation was not compacted before. */
  readonly previousId: string | undefined;
  readonly turnsSince: number;
  /** Failed autocompactions in a row so far. */
  readonly failures: number;
}

export type OverflowCause = 'overflow' | 'media';

/** Small things to do on the way out of an iteration, in order, before the decision itself takes effect. */
export type Step =
  /** Give every call that has no result a synthetic error result. */
  | { readonly type: 'close_open_calls'; readonly why: 'interrupted' | 'failed' }
  /** Take back the last block of a cut answer, with its call and result. */
  | { readonly type: 'drop_unfinished' }
  /** Yield the sendable rest of a cut answer, so that the model can resume where it broke off. */
  | { readonly type: 'keep_partial' }
  /** Yield the text that an abort cut off, marked as interrupted. */
  | { readonly type: 'keep_interrupted' }
  /** Take back all that was yielded of this attempt. */
  | { readonly type: 'tombstone_attempt' }
  /** Yield the error that was withheld while there was hope. */
  | { readonly type: 'release' }
  /** Start the `StopFailure` hooks; they are not waited for. */
  | { readonly type: 'fire_stop_failure' }
  | { readonly type: 'say'; readonly what: Notice };

export type Notice =
  | { readonly about: 'interrupted'; readonly during: 'streaming' | 'tools' }
  | { readonly about: 'prompt_too_long' }
  | { readonly about: 'thrown'; readonly message: string }
  | { readonly about: 'max_turns'; readonly maxTurns: number; readonly turnCount: number }
  | { readonly about: 'hook_stopped'; readonly hook: string; readonly message: string }
  | { readonly about: 'stop_hook_prevented'; readonly hook: string; readonly message: string }
  | { readonly about: 'repetition'; readonly calls: readonly RepeatedCall[] };
