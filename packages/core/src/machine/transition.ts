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
