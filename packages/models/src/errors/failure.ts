/** An answer that is no answer: what came back, before anything is made of it. */
import type { IncomingHttpHeaders } from 'node:http';

export interface Failure {
  /** Undefined for an error inside a stream, whose own status said that all was well. */
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** Does the request carry images or documents? Asked only where it matters. */
  readonly hasMedia: () => boolean;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** What the server said, as far as it can be read. */
export interface Said {
  /** The API's own word for the error. */
  readonly type: string | undefined;
  readonly text: string;
  readonly requestId: string | undefined;
  /** It speaks the API's language; otherwise something in between answered. */
  readonly isApi: boolean;
}

export function readFailure({ body, headers }: Pick<Failure, 'body' | 'headers'>): Said {
  const header = headers['request-id'];
  const requestId = typeof header === 'string' ? header : undefined;
  const envelope = fieldsOf(parsed(body));
  const error = fieldsOf(envelope['error']);
  if (typeof error['message'] !== 'string') {
    return { type: undefined, text: plainText(body), requestId, isApi: false };
  }
  return {
    type: stringOf(error['type']),
    text: oneLine(error['message']),
    requestId: stringOf(envelope['request_id']) ?? requestId,
    isApi: true,
  };
}

/** Pages of proxies are long; their title says it all. */
function plainText(body: string): string {
  const title = /<title[^>]*>([^<]*)<\/title>/i.exec(body)?.[1];
  if (title !== undefined) return `a web page titled “${oneLine(title)}”`;
  return /^\s*<(!doctype|html)/i.test(body) ? 'a web page' : oneLine(body);
}

/** Longer texts explain nothing and fill screens and logs. */
const LONGEST_TEXT = 500;

function oneLine(text: string): string {
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
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

function stringOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
