/** Formats an error as the API sends it: status, headers, envelope. */
import type { ModelError, ModelErrorClass } from '@heddle/core';

export interface HttpError {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: ErrorEnvelope;
}

export interface ErrorEnvelope {
  readonly type: 'error';
  readonly error: { readonly type: string; readonly message: string };
  readonly request_id: string;
}

export function httpErrorOf(error: ModelError, requestId: string): HttpError {
  const { retryAfterMs, shouldRetry } = error;
  return {
    status: error.status ?? 500,
    headers: {
      ...(retryAfterMs === undefined ? {} : { 'retry-after': String(Math.ceil(retryAfterMs / 1_000)) }),
      ...(shouldRetry === undefined ? {} : { 'x-should-retry': String(shouldRetry) }),
    },
    body: envelopeOf(error, requestId),
  };
}

export function envelopeOf(error: ModelError, requestId: string): ErrorEnvelope {
  const type = error.status === 413 ? 'request_too_large' : TYPE_OF[error.class];
  return { type: 'error', error: { type, message: error.message }, request_id: requestId };
}

const TYPE_OF: Readonly<Record<ModelErrorClass, string>> = {
  overflow: 'invalid_request_error',
  media: 'invalid_request_error',
  bad_request: 'invalid_request_error',
  refused_block: 'invalid_request_error',
  rate_limit: 'rate_limit_error',
  overloaded: 'overloaded_error',
  auth: 'authentication_error',
  permission: 'permission_error',
  not_found: 'not_found_error',
  server: 'api_error',
  output_cap: 'api_error',
  network: 'api_error',
  stall: 'timeout_error',
  refusal: 'api_error',
  empty: 'api_error',
  internal: 'api_error',
  aborted: 'api_error',
};
