/** The HTTP server of a fleet. It checks the token, the rights and the limits of each request, and then runs its route. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { errorMessage } from '@heddle/core';
import { Fleet } from '../client.ts';
import { isConnectionError } from '../database.ts';
import type { TokenRow } from '../tokens.ts';
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
import { problem, type RouteReply, sessionName } from './routes.ts';
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
  readonly tell?: (record: RequestRecord) => void;
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
      void requests.handle(request, response);
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
      const closed = Promise.withResolvers<void>();
      server.close(() => closed.resolve());
      server.closeAllConnections();
      await closed.promise;
      await fleet.close();
    },
  };
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
  readonly #tell: (record: RequestRecord) => void;
  readonly #rate: RateLimit;
  readonly #failures: RateLimit;
  readonly #streams: StreamLimit;
  readonly #closing = new AbortController();

  constructor(fleet: Fleet, options: GatewayOptions) {
    const limits = { ...DEFAULTS, ...options };
    this.#fleet = fleet;
    this.#tell = options.tell ?? (() => undefined);
    this.#rate = new RateLimit(limits.requestsPerMinute);
    this.#failures = new RateLimit(limits.failuresPerMinute);
    this.#streams = new StreamLimit(limits.streams);
  }

  close(): void {
    this.#closing.abort();
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const began = Date.now();
    const url = new URL(request.url ?? '/', 'http://gateway');
    const matched = matchRoute(request.method ?? '', url.pathname);
    let token: TokenRow | undefined;
    try {
      if (request.method === 'GET' && url.pathname === '/v1/openapi.json')
        return send(response, 200, openApiDescription());
      if (request.method === 'GET' && url.pathname === '/v1/health') return await this.#health(response);
      token = await this.#authorize(request);
      if (matched === 'method') throw new Refusal(405, 'The method is not allowed here.');
      if (!matched) throw new Refusal(404, 'There is no such route.');
      if (!token.rights.includes(matched.route.right))
        throw new Refusal(403, `The token does not have the right ${matched.route.right}.`);
      await this.#run(matched, token, url, request, response);
    } catch (thrown) {
      const refusal = refusalOf(thrown);
      // The rest of a body that was not read would be taken for the next request.
      send(response, refusal.status, problem(refusal.message), { ...refusal.headers, connection: 'close' });
    } finally {
      const route = typeof matched === 'object' ? matched.route.path : 'none';
      const { method = '' } = request;
      const status = response.statusCode;
      this.#tell({ method, route, status, ms: Date.now() - began, token: token?.id, tenant: token?.tenant });
    }
  }

  async #health(response: ServerResponse): Promise<void> {
    await this.#fleet.ping();
    send(response, 200, { ok: true });
  }

  async #authorize({ headers, socket }: IncomingMessage): Promise<TokenRow> {
    const token = await this.#fleet.tokens.check(bearerOf(headers));
    const waitSeconds = token
      ? this.#rate.take(token.id)
      : this.#failures.take(socket.remoteAddress ?? 'unknown');
    if (waitSeconds > 0)
      throw new Refusal(429, 'Too many requests. Wait, and try again.', {
        'retry-after': String(waitSeconds),
      });
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
  ): Promise<void> {
    if ('session' in params && !sessionName.safeParse(params['session']).success)
      throw new Refusal(400, 'The name of a session has letters, digits, dots, dashes and underscores only.');
    const query = checked(route.query, Object.fromEntries(url.searchParams), 'query');
    const body = route.body && checked(route.body, await readJson(request), 'body');
    const release = route.isStream ? this.#streams.open(token.id) : () => undefined;
    if (!release) throw new Refusal(429, 'The token has too many open streams.', { 'retry-after': '10' });
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    const lastEventId = lastEventIdOf(request.headers);
    const signal = AbortSignal.any([gone.signal, this.#closing.signal]);
    try {
      const view = new TenantView(this.#fleet, token.tenant);
      const by = token.label;
      const run = route.run({ view, params, query, body, by, lastEventId, signal });
      const reply = await withDeadline(run);
      if (!('stream' in reply)) return send(response, reply.status, reply.body);
      const isValid = async (): Promise<boolean> =>
        (await this.#fleet.tokens.check(bearerOf(request.headers))) !== undefined;
      await sendEvents(response, HEADERS, { ...reply, signal, isValid });
    } finally {
      release();
    }
  }
}

async function withDeadline(work: Promise<RouteReply>): Promise<RouteReply> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Refusal(503, 'The request took too long.')), REQUEST_MS);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

function refusalOf(thrown: unknown): Refusal {
  if (thrown instanceof Refusal) return thrown;
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
