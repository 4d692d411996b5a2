/** Reads a provider's error from any shape that its package produced. No field is assumed to exist. */
import { oneLine } from '../../errors/classify.ts';

export interface ErrorResponse {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, string>>;
  /** The provider's own names for the kind of error: type, code, status, name. */
  readonly kinds: readonly string[];
  readonly text: string;
  /** The wait that the body asks for. */
  readonly waitMs: number | undefined;
  /** The socket error, if the connection failed. */
  readonly cause: unknown;
}

type Fields = Readonly<Record<string, unknown>>;

/** `redact` runs before the text is cut, because half of a key would not be recognized. */
export function readErrorResponse(thrown: unknown, redact: (text: string) => string): ErrorResponse {
  const outer = fieldsOf(thrown);
  const body = stringOf(outer['responseBody']);
  const error =
    innermost(parsed(body)) ??
    innermost(outer['data']) ??
    findErrorFields(outer['value']) ??
    innermost(bodiless(thrown, body)) ??
    {};
  const own = relayed(error) ?? stringOf(error['message']) ?? body ?? messageOf(thrown);
  return {
    status: statusOf(outer) ?? statusOf(error),
    headers: headersOf(outer['responseHeaders']),
    kinds: [outer, error].flatMap(kindsIn),
    text: oneLine(redact(pageTitle(own) ?? own)),
    waitMs: retryDelay(error['details']) ?? waitIn(own),
    cause: outer['cause'],
  };
}

/** Omits the package's own message if the provider's message exists. */
function bodiless(thrown: unknown, body: string | undefined): unknown {
  return body === undefined ? thrown : undefined;
}

/**
 * Finds the fields of the error itself in `{error: {…}}`, `[{error: {…}}]`, `{response: {error: {…}}}` or
 * `{message}`.
 */
function innermost(value: unknown): Fields | undefined {
  const fields = fieldsOf(Array.isArray(value) ? value[0] : value);
  if (typeof fields['error'] === 'string') return { message: fields['error'] };
  for (const name of ['error', 'response']) {
    const found = fields[name] === undefined ? undefined : innermost(fields[name]);
    if (found !== undefined) return found;
  }
  if (typeof fields['message'] === 'string') return fields;
  // The form of some servers: {"detail": "…"}.
  return typeof fields['detail'] === 'string' ? { message: fields['detail'] } : undefined;
}

/**
 * Reads data that a package could not parse, if the provider meant it as an error: `{error: "…"}`,
 * `{object: "error", message}`.
 */
export function findErrorFields(value: unknown): Fields | undefined {
  const fields = fieldsOf(value);
  const isError = 'error' in fields || fields['object'] === 'error' || fields['type'] === 'error';
  return isError ? innermost(fields) : undefined;
}

/** Reads the upstream error that a router relays in `{metadata: {raw: "…"}}`. */
function relayed(error: Fields): string | undefined {
  const { raw, provider_name: name } = fieldsOf(error['metadata']);
  const text = stringOf(raw);
  if (text === undefined) return undefined;
  const words = stringOf(innermost(parsed(text))?.['message']) ?? text;
  return typeof name === 'string' ? `${name}: ${words}` : words;
}

/** The HTTP status of a response that failed midway does not describe the error. */
function statusOf(fields: Fields): number | undefined {
  for (const name of ['statusCode', 'status', 'code']) {
    const value = fields[name];
    if (typeof value === 'number' && value >= 300 && value < 600) return value;
  }
  return undefined;
}

function kindsIn(fields: Fields): readonly string[] {
  return ['type', 'code', 'status', 'name', '__type', 'reason'].flatMap((name) => {
    const value = fields[name];
    return typeof value === 'string' ? [value] : [];
  });
}

/** Reads Google's form: `{"@type": "…RetryInfo", "retryDelay": "34s"}`. */
function retryDelay(details: unknown): number | undefined {
  if (!Array.isArray(details)) return undefined;
  for (const detail of details) {
    const [, seconds] = /^([\d.]+)s$/.exec(stringOf(fieldsOf(detail)['retryDelay']) ?? '') ?? [];
    if (seconds !== undefined) return Number(seconds) * 1_000;
  }
  return undefined;
}

/** Reads the sentence of OpenAI and Groq: "Please try again in 6m12.5s.", "in 20ms". */
function waitIn(text: string): number | undefined {
  const [, minutes = '0', amount, unit] = /try again in (?:(\d+)m)?([\d.]+)(ms|s)\b/.exec(text) ?? [];
  if (amount === undefined) return undefined;
  return Number(minutes) * 60_000 + Number(amount) * (unit === 'ms' ? 1 : 1_000);
}

function headersOf(value: unknown): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {};
  for (const [name, text] of Object.entries(fieldsOf(value))) {
    if (typeof text === 'string') headers[name.toLowerCase()] = text;
  }
  return headers;
}

function pageTitle(text: string): string | undefined {
  const title = /<title[^<>]*>([^<]*)<\/title>/i.exec(text)?.[1];
  if (title !== undefined) return `a web page titled “${title.trim()}”`;
  return /^\s*<(!doctype|html)/i.test(text) ? 'a web page' : undefined;
}

function messageOf(thrown: unknown): string {
  if (thrown instanceof Error) return thrown.message;
  return typeof thrown === 'string' ? thrown : '';
}

function parsed(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

function fieldsOf(value: unknown): Fields {
  if (typeof value !== 'object' || value === null) return {};
  // Some own fields of an error are not enumerable.
  const own = Object.fromEntries(Object.entries(value));
  return value instanceof Error
    ? { ...own, name: value.name, message: value.message, cause: value.cause }
    : own;
}

function stringOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
