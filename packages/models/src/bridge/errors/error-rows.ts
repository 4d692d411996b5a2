/**
 * Maps a provider's error to an error class. The first matching row decides. Kinds and status come first.
 * Texts are used if those are ambiguous, which for some providers is always the case.
 */
import type { ModelErrorClass } from '@heddle/core';
import type { ErrorResponse } from './error-response.ts';

export interface BridgeErrorRow {
  readonly class: ModelErrorClass;
  readonly status?: readonly number[] | { readonly from: number; readonly to: number };
  /** Matches if one of the provider's own error kinds matches. */
  readonly kinds?: RegExp;
  readonly text?: RegExp;
  /** Only for requests that contain images or documents. */
  readonly withMedia?: true;
  readonly what: string;
  /** The advice. `KEY` and `ADDRESS` are replaced by the provider's own variables. */
  readonly advice: string;
  readonly shouldRetry?: false;
}

/**
 * Every provider has its own wording. Each of these comes from a real provider or server; the tests name
 * it.
 */
const TOO_LONG = new RegExp(
  [
    'context[ _]?(length|window|size)',
    'maximum (context|prompt|model) length',
    '(prompt|input) is too long',
    'input token count.*(exceeds|only supports)',
    'input tokens exceed',
    'too many (input )?tokens',
    "exceeds? (the )?(model'?s? )?(maximum|max|available) (number of )?(input )?(context|tokens|length)",
    'exceeded model token limit',
    'tokens \\+ .max_new_tokens. must be',
    'reduce the length',
    'request too large for',
  ].join('|'),
  'i',
);
const MEDIA = /\b(image|picture|pdf|document|media|file|vision|multi-?modal|mime)/i;
const BAD_KEY =
  /api[ _-]?key|incorrect key|security token|credentials?|signature we calculated|bearer token/i;
const OVERLOADED = /overloaded|over capacity|at capacity|high demand|capacity (constraints|exceeded)/i;
/** Matches the text that `error-response.ts` returns for a web page. */
const PAGE = /^a web page/;
const NO_TOOLS =
  /(not|n't) support (tools|function calling|tool (use|calling|calls))|support tool use|enable-auto-tool-choice/i;

const CLIENT = { from: 400, to: 499 } as const;

const ROWS: readonly BridgeErrorRow[] = [
  {
    kinds: /^(context_length_exceeded|string_above_max_length|exceed_context_size_error)$/,
    class: 'overflow',
    what: 'The conversation is longer than the model can read',
    advice: 'Compact it, or begin a new one.',
  },
  {
    kinds: /^(insufficient_quota|billing_hard_limit_reached|billing_not_active)$/,
    class: 'permission',
    what: 'The account has no credit left',
    advice: 'Check the plan and the credit of the account that the key belongs to.',
  },
  {
    text: /could not load the default credentials|invalid_grant|invalid_rapt/i,
    class: 'auth',
    what: 'Google gave no login',
    advice: 'Log in with: gcloud auth application-default login',
  },
  {
    status: [402],
    class: 'permission',
    what: 'The account cannot be billed',
    advice: 'Check the plan and the credit of the account that the key belongs to.',
  },
  {
    status: [401],
    class: 'auth',
    what: 'The provider refused the key',
    advice: 'Check KEY.',
  },
  {
    kinds:
      /^(invalid_api_key|authentication_error|UNAUTHENTICATED|API_KEY_INVALID|UnrecognizedClientException|ExpiredTokenException|InvalidSignatureException)/,
    class: 'auth',
    what: 'The provider refused the key',
    advice: 'Check KEY.',
  },
  {
    status: [400, 403],
    text: BAD_KEY,
    class: 'auth',
    what: 'The provider refused the key',
    advice: 'Check KEY.',
  },
  {
    status: [403, 404, 405],
    text: PAGE,
    class: 'network',
    what: 'A web page answered instead of the provider',
    advice: 'Check ADDRESS, and whether a proxy or a login page stands in between.',
    shouldRetry: false,
  },
  {
    status: [403],
    class: 'permission',
    what: 'The key may not do this',
    advice: 'Choose another model, or ask for access with the account that the key belongs to.',
  },
  {
    status: CLIENT,
    text: NO_TOOLS,
    class: 'bad_request',
    what: 'The model cannot call tools as it is served here',
    advice: 'An agent needs them: choose a model that can, or start the server with them.',
  },
  // The model's output could not be parsed as a call. The next attempt produces a different output.
  {
    kinds: /^(tool_use_failed|output_parse_failed)$/,
    class: 'server',
    what: 'The model wrote a call that the provider could not read',
    advice: 'It is tried again by itself; if this lasts, choose another model.',
  },
  {
    kinds: /^model_not_found$/,
    class: 'not_found',
    what: 'The provider does not know the model',
    advice: 'Check its name: `heddle models` lists what is known.',
  },
  {
    status: [404],
    class: 'not_found',
    what: 'The provider does not know what was asked for',
    advice: 'Check the name of the model (`heddle models` lists what is known) and ADDRESS.',
  },
  {
    status: CLIENT,
    text: /\bmodel\b.*\b(not found|does not exist|is not available|not supported|no such)|invalid model/i,
    class: 'not_found',
    what: 'The provider does not know the model',
    advice: 'Check its name: `heddle models` lists what is known.',
  },
  {
    status: [407],
    class: 'network',
    what: 'The proxy wants a login',
    advice: 'Put user and password into HTTPS_PROXY.',
    shouldRetry: false,
  },
  {
    status: [413],
    text: MEDIA,
    withMedia: true,
    class: 'media',
    what: 'The images or documents of the request are too large',
    advice: 'Send smaller or fewer ones.',
  },
  {
    status: [413],
    class: 'overflow',
    what: 'The request is larger than the provider takes',
    advice: 'Compact the conversation, or begin a new one.',
  },
  {
    status: [429],
    text: TOO_LONG,
    class: 'overflow',
    what: 'The request is larger than the provider takes',
    advice: 'Compact the conversation, or begin a new one.',
  },
  {
    status: [498, 500, 503, 529],
    text: OVERLOADED,
    class: 'overloaded',
    what: 'The provider is overloaded',
    advice: 'It is tried again by itself; if this lasts, wait a while, or set a fallback model.',
  },
  {
    status: [529],
    class: 'overloaded',
    what: 'The provider is overloaded',
    advice: 'It is tried again by itself; if this lasts, wait a while, or set a fallback model.',
  },
  {
    kinds: /^(overloaded_error|engine_overloaded|server_overloaded|ModelNotReadyException)$/,
    class: 'overloaded',
    what: 'The provider is overloaded',
    advice: 'It is tried again by itself; if this lasts, wait a while, or set a fallback model.',
  },
  {
    status: [429],
    class: 'rate_limit',
    what: 'The rate limit is reached',
    advice: 'Wait, or use a key with a higher limit.',
  },
  {
    kinds:
      /^(rate_limit_exceeded|rate_limit_error|RESOURCE_EXHAUSTED|ThrottlingException|throttlingException)/,
    class: 'rate_limit',
    what: 'The rate limit is reached',
    advice: 'Wait, or use a key with a higher limit.',
  },
  {
    status: [408, 409, 425],
    class: 'network',
    what: 'The request did not get through',
    advice: 'Try again.',
  },
  {
    status: [400, 422, 500],
    text: TOO_LONG,
    class: 'overflow',
    what: 'The conversation is longer than the model can read',
    advice: 'Compact it, or begin a new one.',
  },
  {
    status: { from: 500, to: 599 },
    class: 'server',
    what: 'The provider has a problem of its own',
    advice: 'Try again in a while.',
  },
  {
    status: CLIENT,
    text: MEDIA,
    withMedia: true,
    class: 'media',
    what: 'The provider refused an image or a document',
    advice: 'Send a smaller one, or choose a model that can see.',
  },
  {
    status: CLIENT,
    class: 'bad_request',
    what: 'The provider refused the request',
    advice: 'This is not a matter of trying again: change the settings that it names, or report it.',
  },
  {
    status: { from: 300, to: 399 },
    class: 'bad_request',
    what: 'The address has moved',
    advice: 'Check ADDRESS.',
  },
  // Inside a stream there is no status.
  {
    text: /did not stream its answer/,
    class: 'bad_request',
    what: 'The server does not stream its answers',
    advice: 'Check ADDRESS: the server, or something in front of it, must be told to.',
  },
  {
    text: /AWS credential provider failed/,
    class: 'auth',
    what: 'AWS gave no credentials',
    advice: 'Check AWS_PROFILE, or log in anew: aws sso login',
  },
  {
    text: TOO_LONG,
    class: 'overflow',
    what: 'The conversation is longer than the model can read',
    advice: 'Compact it, or begin a new one.',
  },
  {
    kinds: /^invalid_request_error$/,
    class: 'bad_request',
    what: 'The provider refused the request',
    advice: 'This is not a matter of trying again: change the settings that it names, or report it.',
  },
  {
    text: OVERLOADED,
    class: 'overloaded',
    what: 'The provider is overloaded',
    advice: 'It is tried again by itself; if this lasts, wait a while, or set a fallback model.',
  },
];

/** Used for an unknown kind of error. */
const UNKNOWN: BridgeErrorRow = {
  class: 'server',
  what: 'The provider reported an error',
  advice: 'Try again in a while.',
};

export function findErrorRow(response: ErrorResponse, hasMedia: () => boolean): BridgeErrorRow {
  return ROWS.find((row) => fits(row, response, hasMedia)) ?? UNKNOWN;
}

function fits(
  { status, kinds, text, withMedia }: BridgeErrorRow,
  response: ErrorResponse,
  hasMedia: () => boolean,
): boolean {
  if (status !== undefined && !within(status, response.status)) return false;
  if (kinds !== undefined && !response.kinds.some((kind) => kinds.test(kind))) return false;
  if (text !== undefined && !text.test(response.text)) return false;
  return withMedia !== true || hasMedia();
}

function within(range: NonNullable<BridgeErrorRow['status']>, status: number | undefined): boolean {
  if (status === undefined) return false;
  return 'from' in range ? status >= range.from && status <= range.to : range.includes(status);
}
