/**
 * Replies of the fake API: the steps of the scripted model with options for their transport, or raw bytes.
 */
import type { ScriptStep } from '../scripted/part.ts';
import type { RequestBody } from '../request-body.ts';

export type Reply = ScriptStep | WiredStep | RawReply;

/** A reply that depends on the request. `call` counts the requests for messages, from 1. */
export type ReplyFunction = (body: RequestBody, call: number) => Reply;

export type ApiScript = readonly (Reply | ReplyFunction)[] | ReplyFunction;

export interface WiredStep {
  readonly reply: 'wired';
  readonly step: ScriptStep;
  readonly wire: Wire;
}

/** Transport options of a stream. */
export interface Wire {
  /** Bytes per chunk. A chunk may split a line, an event or a character. */
  readonly chunkBytes?: number;
  /** The socket is destroyed after so many bytes of the body. */
  readonly destroyAfterBytes?: number;
  /** The socket is destroyed after so many chunks. */
  readonly destroyAfterChunks?: number;
  /** Status and headers are sent at once, before the first event. */
  readonly headersFirst?: boolean;
  /** Lines end in CR LF, as with some proxies. */
  readonly crlf?: boolean;
  /** Added to the headers of the response. */
  readonly headers?: Readonly<Record<string, string>>;
}

export interface RawReply {
  readonly reply: 'raw';
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

export function wired(wire: Wire, step: ScriptStep): WiredStep {
  return { reply: 'wired', step, wire };
}

export function raw(
  status: number,
  body: string | Uint8Array,
  headers: Readonly<Record<string, string>> = { 'content-type': 'application/json' },
): RawReply {
  return { reply: 'raw', status, headers, body };
}

/** The page of a proxy when the API behind it is down. */
export function html(status = 502, title = 'Bad Gateway'): RawReply {
  const body = `<!DOCTYPE html><html><head><title>${status} ${title}</title></head><body><h1>${title}</h1></body></html>`;
  return raw(status, body, { 'content-type': 'text/html' });
}
