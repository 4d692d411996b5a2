/** What can come back to the machine. A closed union of plain data; errors of life are values in it. */
import type { AbortCause } from '../abort.ts';
import type { ModelError } from '../messages/model-error.ts';
import type { Effect, OverflowCause } from './effect.ts';

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
    } & Watched)
  | ({ readonly type: 'asked'; readonly goOn: boolean } & Watched)
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
