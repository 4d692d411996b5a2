/** Converts an exception of a provider's package into a model error with advice. */
import type { ModelError } from '@heddle/core';
import { type Connection, networkError } from '../../errors/network.ts';
import { describeReset, retryDelayOf } from '../../errors/retry-after.ts';
import { readStatedWindow } from '../../errors/stated-window.ts';
import type { Secrets } from '../../secrets/secrets.ts';
import { findErrorFields, type ErrorResponse, readErrorResponse } from './error-response.ts';
import { type BridgeErrorRow, findErrorRow } from './error-rows.ts';
import { omitUndefined } from '@heddle/core';

export interface ProviderInfo {
  /** The display name of the provider. */
  readonly name: string;
  readonly connection: Connection;
  readonly secrets: Secrets;
  /** Names for the advice: the variables that hold the key and the address. */
  readonly key: string;
  readonly address: string;
  /** The advice if no server listens. Only for servers on this machine. */
  readonly howToStart?: string;
  /** The advice if the address is right but the resource does not exist. */
  readonly howElse?: string;
}

export interface Moment {
  readonly hasMedia: () => boolean;
  readonly now: number;
  readonly requestId: string | undefined;
}

export function classifyThrown(thrown: unknown, scene: ProviderInfo, moment: Moment): ModelError {
  const response = readErrorResponse(thrown, (text) => scene.secrets.redact(text));
  const died = response.status === undefined ? connectionError(thrown) : undefined;
  if (died !== undefined) return brokenConnection(died, scene, moment.requestId);
  const row = isMisuse(response)
    ? MISUSE
    : isGarbled(response) && !isReportedError(thrown)
      ? GARBLED
      : findErrorRow(response, moment.hasMedia);
  const retryAfterMs = retryDelayOf(response.headers, row.class, moment.now) ?? bodyWait(response, row);
  const word = response.headers['x-should-retry'];
  const shouldRetry = row.shouldRetry ?? (word === 'true' ? true : word === 'false' ? false : undefined);
  const window = row.class === 'overflow' ? readStatedWindow(response.text) : undefined;
  const requestId = response.headers['x-request-id'] ?? moment.requestId;
  return {
    type: 'model_error',
    class: row.class,
    message: scene.secrets.redact(sentence(row, response, scene, moment.now, retryAfterMs)),
    ...omitUndefined({ status: response.status, requestId, retryAfterMs, shouldRetry, window }),
  };
}

/** The package rejected the arguments before it sent a request. */
const MISUSE: BridgeErrorRow = {
  class: 'bad_request',
  what: 'The request cannot be put into the words of this provider',
  advice: 'Choose another model, or report it.',
};

/** The package could not read the response. Its message quotes all of it. */
const GARBLED: BridgeErrorRow = {
  class: 'server',
  what: 'The provider sent something that cannot be read',
  advice: 'It is tried again by itself; if this lasts, check ADDRESS.',
};

function isGarbled({ kinds, status }: ErrorResponse): boolean {
  return (
    status === undefined &&
    kinds.some((kind) => /^AI_(TypeValidation|JSONParse|InvalidResponseData)/.test(kind))
  );
}

/** Returns true if the package could not read the error but this code can. */
function isReportedError(thrown: unknown): boolean {
  return thrown instanceof Error && 'value' in thrown && findErrorFields(thrown.value) !== undefined;
}

function isMisuse({ kinds, status }: ErrorResponse): boolean {
  return (
    status === undefined && kinds.some((kind) => /^AI_(Unsupported|InvalidPrompt|InvalidArgument)/.test(kind))
  );
}

function bodyWait({ waitMs }: ErrorResponse, row: BridgeErrorRow): number | undefined {
  return row.class === 'rate_limit' ? waitMs : undefined;
}

function sentence(
  row: BridgeErrorRow,
  response: ErrorResponse,
  scene: ProviderInfo,
  now: number,
  waitMs: number | undefined,
): string {
  const words = row === GARBLED ? '' : response.text;
  const details = [response.status === undefined ? '' : String(response.status), words]
    .filter(Boolean)
    .join(': ');
  const reset = row.class === 'rate_limit' && waitMs !== undefined ? `${describeReset(now, waitMs)} ` : '';
  const advice = row.advice.replace('KEY', scene.key).replace('ADDRESS', scene.address);
  const isAbsent = response.status === 404 || response.status === 405;
  const more = isAbsent && scene.howElse !== undefined ? ` ${scene.howElse}` : '';
  return `${scene.name}: ${row.what}${details === '' ? '' : ` (${details})`}. ${reset}${advice}${more}`;
}

function brokenConnection(died: Error, scene: ProviderInfo, requestId: string | undefined): ModelError {
  const error = networkError(died, scene.connection, scene.secrets, requestId);
  const isAbsent = 'code' in died && died.code === 'ECONNREFUSED' && scene.howToStart !== undefined;
  // A server on this machine that is not running does not start by itself.
  return isAbsent ? { ...error, message: `${error.message} ${scene.howToStart}`, shouldRetry: false } : error;
}

/** Returns the socket error at any depth of the causes. Undefined if the socket did not fail. */
function connectionError(thrown: unknown): Error | undefined {
  let found: Error | undefined;
  for (let error = thrown, depth = 0; error instanceof Error && depth < 8; error = error.cause, depth++) {
    if (isOfSocket(error)) found = error;
  }
  return found && withUsualCode(found);
}

function isOfSocket(error: Error): boolean {
  if ('code' in error && typeof error.code === 'string')
    return /^(E(?!RR_)[A-Z]|UND_ERR|ERR_(SSL|TLS|PROXY)|[A-Z_]*CERT|HPE_)/.test(error.code);
  return error.name === 'TypeError' && /^(terminated|fetch failed)$/.test(error.message);
}

/** Node's HTTP client has its own names for common socket errors. */
const USUAL_CODES: Readonly<Record<string, string>> = {
  UND_ERR_SOCKET: 'ECONNRESET',
  UND_ERR_ABORTED: 'ECONNRESET',
  UND_ERR_CONNECT_TIMEOUT: 'ETIMEDOUT',
  UND_ERR_HEADERS_TIMEOUT: 'ETIMEDOUT',
  UND_ERR_BODY_TIMEOUT: 'ETIMEDOUT',
};

function withUsualCode(error: Error): Error {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : 'UND_ERR_SOCKET';
  return Object.assign(new Error(error.message), { code: USUAL_CODES[code] ?? code });
}
