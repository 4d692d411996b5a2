/** Reads the parts of a request: its route, token, query and body. A request that makes no sense throws a refusal. */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { type Route, ROUTES } from './routes.ts';

const MAX_BODY_BYTES = 2_000_000;

/** A request that is answered with this status and message. */
export class Refusal extends Error {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.status = status;
    this.headers = headers;
  }
}

export interface Matched {
  readonly route: Route;
  readonly params: Readonly<Record<string, string>>;
}

/** Returns `method` if another method of the path exists. */
export function matchRoute(method: string, pathname: string): Matched | 'method' | undefined {
  let isKnown = false;
  for (const route of ROUTES) {
    const params = paramsOf(route.path, pathname);
    if (!params) continue;
    if (route.method === method) return { route, params };
    isKnown = true;
  }
  return isKnown ? 'method' : undefined;
}

function paramsOf(pattern: string, pathname: string): Record<string, string> | undefined {
  const [wanted, given] = [pattern.split('/'), pathname.split('/')];
  if (wanted.length !== given.length) return undefined;
  const params: Record<string, string> = {};
  for (const [at, part] of wanted.entries()) {
    const name = /^\{(\w+)\}$/.exec(part)?.[1];
    const value = given[at] ?? '';
    if (name === undefined ? part !== value : value === '') return undefined;
    if (name !== undefined) params[name] = decoded(value);
  }
  return params;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export function checked(schema: Route['query'], value: unknown, place: string): unknown {
  const parsed = schema?.safeParse(value);
  if (!parsed) return undefined;
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new Refusal(400, `The ${place} is not valid: ${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`);
}

export function lastEventIdOf(headers: IncomingHttpHeaders): number | undefined {
  const text = String(headers['last-event-id'] ?? '');
  return /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}

export async function readJson(request: IncomingMessage): Promise<unknown> {
  if (!/^application\/json\b/i.test(request.headers['content-type'] ?? ''))
    throw new Refusal(415, 'The body must be application/json.');
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    if (!Buffer.isBuffer(chunk)) continue;
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) throw new Refusal(413, 'The body is too long.');
    chunks.push(chunk);
  }
  try {
    const value: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'));
    return value;
  } catch {
    throw new Refusal(400, 'The body is not JSON.');
  }
}

export function bearerOf({ authorization = '' }: IncomingHttpHeaders): string {
  return /^Bearer (\S{1,200})$/i.exec(authorization)?.[1] ?? '';
}
