/** The server of `heddle view`: on loopback only, read-only, and for the user who started it. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { SessionPlace } from '@heddle/agent/sessions';
import { errorMessage, isRecord } from '@heddle/core';
import type { ViewerInfo } from '../model/api.ts';
import type { PageFiles } from '../build/build-page.ts';
import { pageHtml } from '../build/page-files.ts';
import type { LoadPrice } from '../read/priced-facts.ts';
import { checkOrigin, SECURITY_HEADERS, Tokens } from './guard.ts';
import { type Answer, answerApi } from './routes.ts';
import { SessionStore } from './session-store.ts';

export interface ViewerOptions {
  readonly place: Omit<SessionPlace, 'cwd'>;
  readonly page: PageFiles;
  readonly info: ViewerInfo;
  /** Files outside of the folder of sessions, by id. */
  readonly files?: ReadonlyMap<string, string>;
  /** 0: a free port. */
  readonly port?: number;
  /** Loads the prices for logs that have token counts without costs. */
  readonly loadPrice?: LoadPrice;
  /** Removes known secrets from an answer. */
  readonly redact?: (text: string) => string;
  /** Starts a session from a message of another one, and returns its id. Without it the page shows a command. */
  readonly fork?: (id: string, uuid: string, prompt: string) => Promise<string>;
}

export interface Viewer {
  readonly port: number;
  /** Returns a link with a new one-time token. */
  link(): string;
  close(): Promise<void>;
}

/** The largest body of a request. The page sends only short ones. */
const MAX_BODY = 64 * 1024;

/** Rejects if the port is taken. */
export async function startViewer(options: ViewerOptions): Promise<Viewer> {
  const tokens = new Tokens();
  const store = new SessionStore(options.place, options.files ?? new Map(), options.loadPrice);
  const redact = options.redact ?? ((text: string) => text);
  const closing = new AbortController();
  let port = 0;
  const server = createServer((request, response) => {
    void respond(request, response).catch((thrown: unknown) => {
      send(response, 500, 'text/plain', redact(errorMessage(thrown)));
    });
  });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', reject).listen(options.port ?? 0, '127.0.0.1', resolve);
  await promise;
  port = addressOf(server.address());

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const verdict = checkOrigin(request.headers, port);
    if (!verdict.ok) return send(response, verdict.status, 'text/plain', verdict.message);
    const url = URL.parse(request.url ?? '/', 'http://127.0.0.1');
    if (!url) return send(response, 400, 'text/plain', 'The address of the request is malformed.');
    const { pathname } = url;
    if (pathname === '/api/login' && request.method === 'POST') return login(request, response);
    if (request.method === 'POST') return fork(request, response, pathname);
    if (request.method !== 'GET') return send(response, 405, 'text/plain', 'Only GET is allowed here.');
    const file = pageFile(pathname, options.page);
    if (file) return send(response, 200, file.type, file.body);
    const allowed = tokens.check(request.headers.authorization);
    if (!allowed.ok) return send(response, allowed.status, 'text/plain', allowed.message);
    const gone = new AbortController();
    response.on('close', () => gone.abort());
    const signal = AbortSignal.any([gone.signal, closing.signal]);
    sendAnswer(
      response,
      await answerApi({ path: pathname, query: url.searchParams, signal }, store, options.info),
    );
  }

  async function login(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const key = tokens.redeem(await bodyOf(request));
    if (key === undefined)
      return send(response, 401, 'text/plain', 'This link was used or has expired. Run heddle view again.');
    send(response, 200, 'text/plain', key);
  }

  /** Starts a session from a message. It needs the key, and the permission of the user who started the server. */
  async function fork(request: IncomingMessage, response: ServerResponse, pathname: string): Promise<void> {
    const allowed = tokens.check(request.headers.authorization);
    if (!allowed.ok) return send(response, allowed.status, 'text/plain', allowed.message);
    const id = /^\/api\/sessions\/([\w-]+)\/fork$/.exec(pathname)?.[1];
    if (!options.fork || id === undefined || !store.find(id))
      return send(response, 405, 'text/plain', 'This server does not start sessions.');
    const { uuid, prompt } = forkRequest(await bodyOf(request));
    if (uuid === '' || prompt === '')
      return send(response, 400, 'text/plain', 'A fork needs a message and a prompt.');
    sendAnswer(response, { status: 200, body: JSON.stringify(await options.fork(id, uuid, prompt)) });
  }

  function sendAnswer(response: ServerResponse, answer: Answer): void {
    if (answer.status === 200) send(response, 200, 'application/json', redact(answer.body));
    else send(response, answer.status, 'text/plain', answer.message);
  }

  return {
    port,
    link: () => `http://127.0.0.1:${port}/#token=${tokens.create()}`,
    async close() {
      closing.abort();
      server.closeAllConnections();
      const { promise: closed, resolve: done } = Promise.withResolvers<void>();
      server.close(() => done());
      await closed;
    },
  };
}

function pageFile(
  pathname: string,
  { script, style }: PageFiles,
): { type: string; body: string } | undefined {
  switch (pathname) {
    case '/':
      return { type: 'text/html', body: pageHtml() };
    case '/page.js':
      return { type: 'text/javascript', body: script };
    case '/page.css':
      return { type: 'text/css', body: style };
    default:
      return undefined;
  }
}

function send(response: ServerResponse, status: number, type: string, body: string): void {
  if (response.headersSent || response.destroyed) return;
  response.writeHead(status, { ...SECURITY_HEADERS, 'content-type': `${type}; charset=utf-8` });
  response.end(body);
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = '';
  for await (const chunk of request.setEncoding('utf8')) {
    body += String(chunk);
    if (body.length > MAX_BODY) return '';
  }
  return body;
}

/** Returns empty texts if the body has another shape. */
function forkRequest(body: string): { readonly uuid: string; readonly prompt: string } {
  try {
    const value: unknown = JSON.parse(body);
    const { uuid, prompt } = isRecord(value) ? value : {};
    if (typeof uuid === 'string' && typeof prompt === 'string') return { uuid, prompt: prompt.trim() };
  } catch {
    // It is not JSON.
  }
  return { uuid: '', prompt: '' };
}

function addressOf(address: AddressInfo | string | null): number {
  return typeof address === 'object' && address !== null ? address.port : 0;
}
