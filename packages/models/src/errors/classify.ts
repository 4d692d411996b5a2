/** Converts an error response into a model error with advice. */
import { isRecord, type ModelError, omitUndefined } from '@heddle/core';
import type { IncomingHttpHeaders } from 'node:http';
import type { Secrets } from '../secrets/secrets.ts';
import { describeReset, retryDelayOf } from './retry-after.ts';
import { readStatedWindow } from './stated-window.ts';
import { type ErrorRow, NO_API, BLOCK_POSITION, TABLE, UNKNOWN } from './error-rows.ts';

export function classifyFailure(failure: Failure, secrets: Secrets): ModelError {
  const body = readFailure(failure, secrets);
  const row = rowFor(failure, body);
  const retryAfterMs = retryDelayOf(failure.headers, row.class, failure.now);
  const shouldRetry = row.shouldRetry ?? wordOnRetry(failure);
  const window = row.class === 'overflow' ? readStatedWindow(body.text) : undefined;
  const block = row.class === 'refused_block' ? placeIn(body.text) : undefined;
  return {
    type: 'model_error',
    class: row.class,
    message: secrets.redact(sentence(row, failure, body, retryAfterMs)),
    ...(failure.status === undefined ? statusOf(body) : { status: failure.status }),
    ...omitUndefined({
      requestId: body.requestId,
      retryAfterMs,
      shouldRetry,
      block,
      rejects: row.rejects,
      window,
    }),
  };
}

function rowFor(failure: Failure, body: FailureBody): ErrorRow {
  if (failure.status !== undefined && failure.status < 300 && !body.isApi) return NO_API;
  return TABLE.find((row) => fits(row, failure, body)) ?? UNKNOWN;
}

function fits({ status, type, text, withMedia }: ErrorRow, failure: Failure, body: FailureBody): boolean {
  const isKind =
    (type !== undefined && body.type === type) || (status !== undefined && within(status, failure.status));
  if (!isKind || (text !== undefined && !text.test(body.text))) return false;
  return withMedia !== true || failure.hasMedia();
}

function within(range: NonNullable<ErrorRow['status']>, status: number | undefined): boolean {
  if (status === undefined) return false;
  return typeof range === 'number' ? status === range : status >= range.from && status <= range.to;
}

/** Reads `x-should-retry`, the server's own decision. */
function wordOnRetry({ headers }: Failure): boolean | undefined {
  const word = headers['x-should-retry'];
  return word === 'true' ? true : word === 'false' ? false : undefined;
}

function placeIn(text: string): ModelError['block'] {
  const [, message, block] = BLOCK_POSITION.exec(text) ?? [];
  return message === undefined || block === undefined
    ? undefined
    : { message: Number(message), block: Number(block) };
}

/** Inside a stream, uses the status that the error would have had as a response. */
function statusOf({ type }: FailureBody): Pick<ModelError, 'status'> {
  const row = TABLE.find((row) => type !== undefined && row.type === type);
  if (type === 'invalid_request_error') return { status: 400 };
  if (type === 'api_error') return { status: 500 };
  return typeof row?.status === 'number' ? { status: row.status } : {};
}

function sentence(
  row: ErrorRow,
  { status, headers, now }: Failure,
  body: FailureBody,
  retryAfterMs: number | undefined,
): string {
  const source =
    body.isApi || body.text === '' ? body.text : `instead of the API, something answered: ${body.text}`;
  const place = headers.location === undefined ? '' : ` to ${headers.location}`;
  const details = [status === undefined ? '' : String(status), source]
    .filter((part) => part !== '')
    .join(': ');
  const reset =
    row.class === 'rate_limit' && retryAfterMs !== undefined ? `${describeReset(now, retryAfterMs)} ` : '';
  return `${row.what}${place}${details === '' ? '' : ` (${details})`}. ${reset}${row.advice}`;
}

export interface Failure {
  /** Undefined for an error inside a stream, whose HTTP status was a success. */
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** Returns true if the request contains images or documents. Called only if the answer matters. */
  readonly hasMedia: () => boolean;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** The readable part of an error body. */
interface FailureBody {
  /** The error type of the API. */
  readonly type: string | undefined;
  readonly text: string;
  readonly requestId: string | undefined;
  /** True if the body has the format of the API. Otherwise a proxy or gateway responded. */
  readonly isApi: boolean;
}

/** Secrets are redacted before a text is cut, because half of a key would not be recognized. */
function readFailure({ body, headers }: Pick<Failure, 'body' | 'headers'>, secrets: Secrets): FailureBody {
  const header = headers['request-id'];
  const requestId = typeof header === 'string' ? header : undefined;
  const envelope = fieldsOf(parsed(body));
  const error = fieldsOf(envelope['error']);
  if (typeof error['message'] !== 'string') {
    return { type: undefined, text: plainText(secrets.redact(body)), requestId, isApi: false };
  }
  return {
    type: stringOf(error['type']),
    text: oneLine(secrets.redact(error['message'])),
    requestId: stringOf(envelope['request_id']) ?? requestId,
    isApi: true,
  };
}

/** Shortens the page of a proxy to its title. */
function plainText(body: string): string {
  const title = /<title[^<>]*>([^<]*)<\/title>/i.exec(body)?.[1];
  if (title !== undefined) return `a web page titled “${oneLine(title)}”`;
  return /^\s*<(!doctype|html)/i.test(body) ? 'a web page' : oneLine(body);
}

/** Longer texts do not explain more, and they fill screens and logs. */
const LONGEST_TEXT = 500;

/** Returns a text of a server as one line. A long one is cut. */
export function oneLine(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > LONGEST_TEXT ? `${line.slice(0, LONGEST_TEXT)}…` : line;
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {};
}

function stringOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

export function internalError(thrown: unknown, secrets: Secrets): ModelError {
  const what =
    thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : 'a thrown value that is not an Error';
  return {
    type: 'model_error',
    class: 'internal',
    message: secrets.redact(`The call failed because of a bug in Heddle (${what}). Please report it.`),
  };
}
