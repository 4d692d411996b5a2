/** The HTTP server of a fleet. It checks the token, the rights and the limits of each request, and then runs its route. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { errorMessage } from '@heddle/core';
import { Fleet, NameError } from '../client.ts';
import { isConnectionError } from '../database.ts';
import { tokenIdOf, type TokenRow } from '../tokens.ts';
import { sendEvents } from './event-stream.ts';
import { RateLimit, StreamLimit } from './limits.ts';
import { openApiDescription } from './openapi.ts';
import {
  bearerOf,
  checked,
  lastEventIdOf,
  type Matched,
  matchRoute,
  readJson,
  Refusal,
} from './read-request.ts';
import { problem, sessionName } from './routes.ts';
import { TenantView } from './tenant-view.ts';

export { openApiDescription };

export interface GatewayOptions {
  readonly url: string;
  /** By default the loopback address. Another one needs a proxy with TLS in front. */
  readonly host?: string;
  /** 0: a free port. */
  readonly port?: number;
  /** Requests of one token. */
  readonly requestsPerMinute?: number;
  /** Requests of one address with a missing or wrong token. */
  readonly failuresPerMinute?: number;
  /** Streams of one token at the same time. */
  readonly streams?: number;
  /** Receives one record about each request. It contains neither tokens nor texts. */
  readonly log?: (record: RequestRecord) => void;
}

export interface RequestRecord {
  readonly method: string;
  /** The pattern of the route, without the names in it. */
  readonly route: string;
  readonly status: number;
  readonly ms: number;
  readonly token: string | undefined;
  readonly tenant: string | undefined;
}

export interface Gateway {
  readonly address: string;
  close(): Promise<void>;
}

/** A request that is not a stream ends within this time. */
const REQUEST_MS = 30_000;
const HEADERS_MS = 10_000;
const HEALTH_MS = 5_000;
/** The route needs no token, so many requests share one statement. */
const HEALTH_CACHE_MS = 1_000;
/** Running requests have this time to end when the gateway closes. */
const CLOSE_MS = 5_000;
const CLOSE_POLL_MS = 50;
/** Only the path and the query of an address are used. */
const BASE = 'http://gateway';
const CONNECTIONS = 12;
const MAX_SOCKETS = 1_000;
const DEFAULTS = { requestsPerMinute: 600, failuresPerMinute: 30, streams: 50 };

/** Rejects if the port is taken or the database cannot be reached. */
export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const { host = '127.0.0.1', port = 0 } = options;
  const fleet = await Fleet.connect(options.url, CONNECTIONS);
  const requests = new Requests(fleet, options);
  const server = createServer(
    { requestTimeout: REQUEST_MS, headersTimeout: HEADERS_MS },
    (request, response) => {
      requests.handle(request, response).catch(() => response.destroy());
    },
  );
  server.maxConnections = MAX_SOCKETS;
  const listening = Promise.withResolvers<void>();
  server.once('error', listening.reject).listen(port, host, listening.resolve);
  try {
    await listening.promise;
  } catch (thrown) {
    await fleet.close();
    throw thrown;
  }
  return {
    address: `http://${host.includes(':') ? `[${host}]` : host}:${portOf(server)}`,
    async close() {
      requests.close();
      await closeServer(server);
      await fleet.close();
    },
  };
}

/** Lets running requests end, and closes their connections then. After the deadline it closes all connections. */
async function closeServer(server: Server): Promise<void> {
  const closed = Promise.withResolvers<void>();
  server.close(() => closed.resolve());
  const idle = setInterval(() => server.closeIdleConnections(), CLOSE_POLL_MS);
  const late = setTimeout(() => server.closeAllConnections(), CLOSE_MS);
  await closed.promise;
  clearInterval(idle);
  clearTimeout(late);
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

const HEADERS = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'",
};

class Requests {
  readonly #fleet: Fleet;
  readonly #log: (record: RequestRecord) => void;
  readonly #rate: RateLimit;
  readonly #failures: RateLimit;
  /** Failures that needed a statement. An address that used them up may send only tokens that were valid before. */
  readonly #failedLookups: RateLimit;
  /** The ids of tokens that were valid. */
  readonly #validIds = new Set<string>();
  readonly #streams: StreamLimit;
  readonly #closing = new AbortController();
  #health: { readonly at: number; readonly ping: Promise<void> } | undefined;

  constructor(fleet: Fleet, options: GatewayOptions) {
    const limits = { ...DEFAULTS, ...options };
    this.#fleet = fleet;
    this.#log = options.log ?? (() => undefined);
    this.#rate = new RateLimit(limits.requestsPerMinute);
    this.#failures = new RateLimit(limits.failuresPerMinute);
    this.#failedLookups = new RateLimit(limits.failuresPerMinute);
    this.#streams = new StreamLimit(limits.streams);
  }

  close(): void {
    this.#closing.abort();
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const began = Date.now();
    // The client may go at any time, also while its token is checked.
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    response.on('error', () => undefined);
    let matched: ReturnType<typeof matchRoute>;
    let token: TokenRow | undefined;
    try {
      const address = request.url ?? '/';
      if (!URL.canParse(address, BASE)) throw new Refusal(400, 'The address is not valid.');
      const url = new URL(address, BASE);
      matched = matchRoute(request.method ?? '', url.pathname);
      if (request.method === 'GET' && url.pathname === '/v1/openapi.json')
        return send(response, 200, openApiDescription());
      if (request.method === 'GET' && url.pathname === '/v1/health') return await this.#sendHealth(response);
      token = await this.#authorize(request);
      if (matched === 'method') throw new Refusal(405, 'The method is not allowed here.');
      if (!matched) throw new Refusal(404, 'There is no such route.');
      if (!token.rights.includes(matched.route.right))
        throw new Refusal(403, `The token does not have the right ${matched.route.right}.`);
      if (gone.signal.aborted) return;
      await this.#run(matched, token, url, request, response, gone.signal);
    } catch (thrown) {
      const refusal = refusalOf(thrown);
      // The rest of a body that was not read would be taken for the next request.
      send(response, refusal.status, problem(refusal.message), { ...refusal.headers, connection: 'close' });
    } finally {
      const route = typeof matched === 'object' ? matched.route.path : 'none';
      const { method = '' } = request;
      const status = response.statusCode;
      this.#log({ method, route, status, ms: Date.now() - began, token: token?.id, tenant: token?.tenant });
    }
  }

  async #sendHealth(response: ServerResponse): Promise<void> {
    const now = Date.now();
    if (!this.#health || now - this.#health.at >= HEALTH_CACHE_MS)
      this.#health = { at: now, ping: withDeadline(this.#fleet.ping(), HEALTH_MS) };
    await this.#health.ping;
    send(response, 200, { ok: true });
  }

  async #authorize({ headers, socket }: IncomingMessage): Promise<TokenRow> {
    const address = socket.remoteAddress ?? 'unknown';
    const bearer = bearerOf(headers);
    const id = tokenIdOf(bearer);
    if (id !== undefined && !this.#validIds.has(id)) refuseFor(this.#failedLookups.secondsUntilFree(address));
    const token = await this.#fleet.tokens.check(bearer);
    if (token) this.#validIds.add(token.id);
    else if (id !== undefined) this.#failedLookups.take(address);
    refuseFor(token ? this.#rate.take(token.id) : this.#failures.take(address));
    if (token) return token;
    throw new Refusal(401, 'The token is missing, unknown, expired or revoked.', {
      'www-authenticate': 'Bearer',
    });
  }

  async #run(
    { route, params }: Matched,
    token: TokenRow,
    url: URL,
    request: IncomingMessage,
    response: ServerResponse,
    gone: AbortSignal,
  ): Promise<void> {
    if ('session' in params && !sessionName.safeParse(params['session']).success)
      throw new Refusal(400, 'The name of a session has letters, digits, dots, dashes and underscores only.');
    const query = checked(route.query, Object.fromEntries(url.searchParams), 'query');
    const body = route.body && checked(route.body, await readJson(request), 'body');
    const release = route.isStream ? this.#streams.open(token.id) : () => undefined;
    if (!release) throw new Refusal(429, 'The token has too many open streams.', { 'retry-after': '10' });
    const lastEventId = lastEventIdOf(request.headers);
    const signal = AbortSignal.any([gone, this.#closing.signal]);
    try {
      const view = new TenantView(this.#fleet, token.tenant);
      const by = token.label;
      const run = route.run({ view, params, query, body, by, lastEventId, signal });
      const reply = await withDeadline(run, REQUEST_MS);
      if (!('stream' in reply)) return send(response, reply.status, reply.body);
      const isValid = async (): Promise<boolean> =>
        (await this.#fleet.tokens.check(bearerOf(request.headers))) !== undefined;
      await sendEvents(response, HEADERS, { ...reply, signal, isValid });
    } finally {
      release();
    }
  }
}

function refuseFor(waitSeconds: number): void {
  if (waitSeconds > 0)
    throw new Refusal(429, 'Too many requests. Wait, and try again.', { 'retry-after': String(waitSeconds) });
}

async function withDeadline<T>(work: Promise<T>, ms: number): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Refusal(503, 'The request took too long.')), ms);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

function refusalOf(thrown: unknown): Refusal {
  if (thrown instanceof Refusal) return thrown;
  if (thrown instanceof NameError) return new Refusal(400, thrown.message);
  if (isConnectionError(thrown)) return new Refusal(503, 'The database is away.', { 'retry-after': '1' });
  // The message of an unexpected error may contain parts of a statement. It stays here.
  process.stderr.write(`heddle: a request failed: ${errorMessage(thrown)}\n`);
  return new Refusal(500, 'The request failed.');
}

function send(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  if (response.headersSent || response.destroyed) return;
  response.writeHead(status, { ...HEADERS, ...headers, 'content-type': 'application/json; charset=utf-8' });
  response.end(JSON.stringify(body));
}
