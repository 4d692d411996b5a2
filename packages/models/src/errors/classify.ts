/** From an answer that is none to an error that says what to do. */
import type { ModelError } from '@heddle/core';
import type { Secrets } from '../secrets/secrets.ts';
import { type Failure, readFailure, type Said } from './failure.ts';
import { resetOf, waitOf } from './retry-after.ts';
import { statedWindow } from './stated-window.ts';
import { NO_API, PLACE, type Row, TABLE, UNKNOWN } from './table.ts';

export function classify(failure: Failure, secrets: Secrets): ModelError {
  const said = readFailure(failure);
  const row = rowFor(failure, said);
  const retryAfterMs = waitOf(failure.headers, row.class, failure.now);
  const shouldRetry = row.shouldRetry ?? wordOnRetry(failure);
  const window = row.class === 'overflow' ? statedWindow(said.text) : undefined;
  const block = row.class === 'refused_block' ? placeIn(said.text) : undefined;
  return {
    type: 'model_error',
    class: row.class,
    message: secrets.redact(sentence(row, failure, said, retryAfterMs)),
    ...(failure.status === undefined ? statusOf(said) : { status: failure.status }),
    ...(said.requestId === undefined ? {} : { requestId: said.requestId }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...(shouldRetry === undefined ? {} : { shouldRetry }),
    ...(block === undefined ? {} : { block }),
    ...(row.rejects === undefined ? {} : { rejects: row.rejects }),
    ...(window === undefined ? {} : { window }),
  };
}

function rowFor(failure: Failure, said: Said): Row {
  if (failure.status !== undefined && failure.status < 300 && !said.isApi) return NO_API;
  return TABLE.find((row) => fits(row, failure, said)) ?? UNKNOWN;
}

function fits({ status, type, text, withMedia }: Row, failure: Failure, said: Said): boolean {
  const isKind =
    (type !== undefined && said.type === type) || (status !== undefined && within(status, failure.status));
  if (!isKind || (text !== undefined && !text.test(said.text))) return false;
  return withMedia !== true || failure.hasMedia();
}

function within(range: NonNullable<Row['status']>, status: number | undefined): boolean {
  if (status === undefined) return false;
  return typeof range === 'number' ? status === range : status >= range.from && status <= range.to;
}

/** `x-should-retry` is the server's own word. */
function wordOnRetry({ headers }: Failure): boolean | undefined {
  const word = headers['x-should-retry'];
  return word === 'true' ? true : word === 'false' ? false : undefined;
}

function placeIn(text: string): ModelError['block'] {
  const [, message, block] = PLACE.exec(text) ?? [];
  return message === undefined || block === undefined
    ? undefined
    : { message: Number(message), block: Number(block) };
}

/** Inside a stream the status is the one that the error would have had in its place. */
function statusOf({ type }: Said): Pick<ModelError, 'status'> {
  const row = TABLE.find((row) => type !== undefined && row.type === type);
  if (type === 'invalid_request_error') return { status: 400 };
  if (type === 'api_error') return { status: 500 };
  return typeof row?.status === 'number' ? { status: row.status } : {};
}

function sentence(
  row: Row,
  { status, headers, now }: Failure,
  said: Said,
  retryAfterMs: number | undefined,
): string {
  const source =
    said.isApi || said.text === '' ? said.text : `instead of the API, something answered: ${said.text}`;
  const place = headers.location === undefined ? '' : ` to ${headers.location}`;
  const details = [status === undefined ? '' : String(status), source]
    .filter((part) => part !== '')
    .join(': ');
  const reset =
    row.class === 'rate_limit' && retryAfterMs !== undefined ? `${resetOf(now, retryAfterMs)} ` : '';
  return `${row.what}${place}${details === '' ? '' : ` (${details})`}. ${reset}${row.advice}`;
}
