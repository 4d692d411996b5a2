/** Why a run ended. Every run ends with exactly one of these and yields nothing after it. */
import type { ModelError } from '../messages/model-error.ts';
import type { BudgetReport } from './budget.ts';
import type { RepeatedCall } from './state.ts';

export type Terminal =
  | {
      readonly reason: 'completed';
      /** The answer was still cut at the cap after all recoveries. */
      readonly truncated?: true;
      readonly refused?: true;
      readonly budget?: BudgetReport;
    }
  | { readonly reason: 'api_error'; readonly error: ModelError }
  | { readonly reason: 'max_turns'; readonly turnCount: number; readonly maxTurns: number }
  | { readonly reason: 'max_budget_usd'; readonly limitUsd: number; readonly spentUsd: number }
  | { readonly reason: 'aborted_streaming' }
  | { readonly reason: 'aborted_tools' }
  | { readonly reason: 'blocking_limit' }
  | { readonly reason: 'stop_hook_prevented'; readonly hook: string; readonly message: string }
  | { readonly reason: 'hook_stopped'; readonly hook: string; readonly message: string }
  | { readonly reason: 'prompt_too_long' }
  | { readonly reason: 'image_error'; readonly message: string }
  | { readonly reason: 'model_error'; readonly message: string }
  | { readonly reason: 'repetition_stopped'; readonly calls: readonly RepeatedCall[] };

export type TerminalReason = Terminal['reason'];

/** `max_budget_usd` is returned by the engine around the loop, which alone knows prices. */
export const TERMINAL_REASONS = [
  'completed',
  'api_error',
  'max_turns',
  'max_budget_usd',
  'aborted_streaming',
  'aborted_tools',
  'blocking_limit',
  'stop_hook_prevented',
  'hook_stopped',
  'prompt_too_long',
  'image_error',
  'model_error',
  'repetition_stopped',
] as const satisfies readonly TerminalReason[];
/** Why an iteration continued. */

export type Transition =
  | { readonly reason: 'next_turn' }
  | { readonly reason: 'max_output_tokens_escalate'; readonly maxOutputTokens: number }
  | { readonly reason: 'max_output_tokens_recovery'; readonly attempt: number }
  | { readonly reason: 'collapse_drain_retry' }
  | { readonly reason: 'reactive_compact_retry' }
  | { readonly reason: 'stop_hook_blocking'; readonly blocks: number }
  | { readonly reason: 'token_budget_continuation'; readonly percentUsed: number };

export type TransitionReason = Transition['reason'];

export const TRANSITION_REASONS = [
  'next_turn',
  'max_output_tokens_escalate',
  'max_output_tokens_recovery',
  'collapse_drain_retry',
  'reactive_compact_retry',
  'stop_hook_blocking',
  'token_budget_continuation',
] as const satisfies readonly TransitionReason[];
