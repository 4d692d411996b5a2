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
  /** A bug of ours, told as an error. */
  | 'internal';

export interface ModelError {
  readonly type: 'model_error';
  readonly class: ModelErrorClass;
  /** A sentence that says what happened and what to do. Never holds a secret. */
  readonly message: string;
  readonly status?: number;
  readonly requestId?: string;
  readonly retryAfterMs?: number;
  /** The server's own word (`x-should-retry`): its no always holds, its yes does not make a hopeless class worth a retry. */
  readonly shouldRetry?: boolean;
  /** For `refused_block`: where in the request it stands. */
  readonly block?: { readonly message: number; readonly block: number };
  /** For `bad_request`: the server rejects how the request asks for thinking. */
  readonly rejects?: 'thinking';
  /** For `overflow`: the tokens that the model reads at once, if the server states them. */
  readonly window?: number;
}

export function modelError(errorClass: ModelErrorClass, message: string): ModelError {
  return { type: 'model_error', class: errorClass, message };
}
