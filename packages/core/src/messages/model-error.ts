/** The failure of one attempt, as a value. Its class decides the recovery. Its text only explains. */

export type ModelErrorClass =
  | 'overflow'
  | 'media'
  | 'output_cap'
  | 'rate_limit'
  | 'overloaded'
  | 'server'
  | 'auth'
  | 'permission'
  | 'not_found'
  | 'network'
  | 'stall'
  | 'refusal'
  | 'bad_request'
  | 'refused_block'
  | 'empty'
  | 'aborted'
  /** A bug of Heddle, reported as an error. */
  | 'internal';

export interface ModelError {
  readonly type: 'model_error';
  readonly class: ModelErrorClass;
  /** Describes the failure and what to do. It never contains a secret. */
  readonly message: string;
  readonly status?: number;
  readonly requestId?: string;
  readonly retryAfterMs?: number;
  /** The server's header `x-should-retry`. `false` prevents a retry. `true` does not make a permanent error retryable. */
  readonly shouldRetry?: boolean;
  /** For `refused_block`: its position in the request. */
  readonly block?: { readonly message: number; readonly block: number };
  /** For `bad_request`: the server rejects how the request asks for thinking. */
  readonly rejects?: 'thinking';
  /** For `overflow`: the tokens that the model reads at once, if the server states them. */
  readonly window?: number;
  readonly rateLimits?: RateLimits;
}

/** The limits of a subscription, as the server reports them with a response. The fields are those of the SDK protocol. */
export interface RateLimits {
  /** `allowed_warning`: a limit is almost reached. */
  readonly status: 'allowed' | 'allowed_warning' | 'rejected';
  /** Seconds since the epoch. */
  readonly resetsAt?: number;
  /** The limit that is reached first, such as `five_hour`. */
  readonly rateLimitType?: string;
  /** The used part of that limit, from 0 to 1. */
  readonly utilization?: number;
  /** The part of the limit whose use causes the warning. */
  readonly surpassedThreshold?: number;
  /** Whether requests beyond the plan are allowed, for a price. */
  readonly overageStatus?: RateLimits['status'];
  readonly overageResetsAt?: number;
  readonly overageDisabledReason?: string;
  readonly isUsingOverage: boolean;
}

export function modelError(errorClass: ModelErrorClass, message: string): ModelError {
  return { type: 'model_error', class: errorClass, message };
}
