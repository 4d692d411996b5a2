/**
 * Maps an error response of the API to an error class. The first matching row decides. Status and type
 * come first. Texts are used only if those are ambiguous, because texts change without notice.
 */
import type { ModelError, ModelErrorClass } from '@heddle/core';

export interface ErrorRow {
  readonly status?: number | { readonly from: number; readonly to: number };
  /**
   * The error type of the API. A row with both matches if either does: inside a stream the status is
   * missing.
   */
  readonly type?: string;
  readonly text?: RegExp;
  /** Only for requests that contain images or documents. */
  readonly withMedia?: true;
  readonly class: ModelErrorClass;
  /** Describes the failure. The server's own message follows. */
  readonly what: string;
  /** The advice for the user. */
  readonly advice: string;
  /** Set if it differs from the default of the class. */
  readonly shouldRetry?: false;
  /** The part that the server rejects, if the request can succeed without it. */
  readonly rejects?: ModelError['rejects'];
}

/** The position of a rejected block in the request. */
export const BLOCK_POSITION = /\bmessages\.(\d+)\.content\.(\d+)/;

const TOO_LONG =
  /prompt is too long|exceed(s|ed)? (the )?(context|model's maximum)|context (limit|window)|too many tokens/i;
const MEDIA = /\b(image|pdf|document|media|page)s?\b/i;
const MEDIA_TOO_LARGE =
  /\b(image|pdf|document|media)s?\b.*\b(exceeds?|too (large|big|many)|maximum|larger than|at most|dimensions?)\b|\b(maximum|too many)\b.*\b(pdf|image|document) ?(pages?|s)?\b/i;
/** "When `thinking` is enabled, a final `assistant` message must start with a thinking block…", "thinking.type.disabled is not supported". */
const THINKING =
  /must start with a thinking block|thinking\.type\.\w+"? is not supported|(adaptive )?thinking is not supported|does not support (adaptive |extended )?thinking|thinking\.\w+: |budget_tokens/i;
const NO_CREDIT = /credit balance|billing|spend(ing)? limit/i;

const CLIENT = { from: 400, to: 499 } as const;
const SERVER = { from: 500, to: 599 } as const;

export const TABLE: readonly ErrorRow[] = [
  {
    status: 529,
    type: 'overloaded_error',
    class: 'overloaded',
    what: 'The API is overloaded',
    advice: 'It is tried again by itself; if this lasts, wait a while, or set a fallback model.',
  },
  {
    status: 401,
    type: 'authentication_error',
    class: 'auth',
    what: 'The API refused the key',
    advice: 'Check ANTHROPIC_API_KEY, ANTHROPIC_AUTH_TOKEN or the key helper.',
  },
  {
    status: 402,
    type: 'billing_error',
    class: 'permission',
    what: 'The account cannot be billed',
    advice: 'Check the plan and the credit of the account that the key belongs to.',
  },
  {
    status: 403,
    type: 'permission_error',
    class: 'permission',
    what: 'The key may not do this',
    advice: 'Choose another model, or ask for access with the account that the key belongs to.',
  },
  {
    status: 404,
    type: 'not_found_error',
    class: 'not_found',
    what: 'The API does not know what was asked for',
    advice: 'Check the name of the model (`heddle models` lists them) and ANTHROPIC_BASE_URL.',
  },
  {
    status: 407,
    class: 'network',
    what: 'The proxy wants a login',
    advice: 'Put user and password into HTTPS_PROXY.',
    shouldRetry: false,
  },
  {
    status: 413,
    type: 'request_too_large',
    text: MEDIA,
    withMedia: true,
    class: 'media',
    what: 'The images or documents of the request are too large',
    advice: 'Send smaller or fewer ones.',
  },
  {
    status: 413,
    type: 'request_too_large',
    class: 'overflow',
    what: 'The request is larger than the API takes',
    advice: 'Compact the conversation, or begin a new one.',
  },
  {
    status: 429,
    type: 'rate_limit_error',
    class: 'rate_limit',
    what: 'The rate limit is reached',
    advice: 'Wait, or use a key with a higher limit.',
  },
  {
    status: { from: 408, to: 409 },
    class: 'network',
    what: 'The request did not get through',
    advice: 'Try again.',
  },
  {
    status: 504,
    type: 'timeout_error',
    class: 'server',
    what: 'The API took too long',
    advice: 'Try again; a shorter request may help.',
  },
  {
    status: SERVER,
    type: 'api_error',
    class: 'server',
    what: 'The API has a problem of its own',
    advice: 'Try again in a while.',
  },
  {
    status: CLIENT,
    type: 'invalid_request_error',
    text: TOO_LONG,
    class: 'overflow',
    what: 'The conversation is longer than the model can read',
    advice: 'Compact it, or begin a new one.',
  },
  {
    status: CLIENT,
    type: 'invalid_request_error',
    text: MEDIA_TOO_LARGE,
    withMedia: true,
    class: 'media',
    what: 'An image or document is too large',
    advice: 'Send a smaller one.',
  },
  {
    status: CLIENT,
    type: 'invalid_request_error',
    text: NO_CREDIT,
    class: 'permission',
    what: 'The account cannot be billed',
    advice: 'Check the plan and the credit of the account that the key belongs to.',
  },
  {
    status: CLIENT,
    type: 'invalid_request_error',
    text: THINKING,
    class: 'bad_request',
    rejects: 'thinking',
    what: 'The API rejected the thinking settings',
    advice: 'Heddle sends the request again without them. To avoid this, set --thinking disabled.',
  },
  {
    status: CLIENT,
    type: 'invalid_request_error',
    text: BLOCK_POSITION,
    class: 'refused_block',
    what: 'The API refused a part of the conversation',
    advice: 'It is replaced by a note and the request is sent again.',
  },
  {
    status: CLIENT,
    type: 'invalid_request_error',
    class: 'bad_request',
    what: 'The API refused the request',
    advice: 'This is not a matter of trying again: change the settings that it names, or report it.',
  },
  {
    status: { from: 300, to: 399 },
    class: 'bad_request',
    what: 'The address has moved',
    advice: 'Check ANTHROPIC_BASE_URL.',
  },
];

/**
 * Used for a response that is neither in the table nor a stream. A retry cannot help, because the address
 * belongs to something else.
 */
export const NO_API: ErrorRow = {
  class: 'network',
  what: 'This is not the Messages API',
  advice: 'Check ANTHROPIC_BASE_URL, and whether a proxy or a login page stands in between.',
  shouldRetry: false,
};

/** Used for an unknown error type in a stream. */
export const UNKNOWN: ErrorRow = {
  class: 'server',
  what: 'The API reported an error',
  advice: 'Try again in a while.',
};
