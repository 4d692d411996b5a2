/**
 * Receives the redirect of a browser after a login.
 *
 * Contract:
 * - It listens on this machine only, and answers only requests that were addressed to it.
 * - It accepts one redirect: the one with the state of this login. All others are refused, and change nothing.
 */
import { createServer, type IncomingMessage } from 'node:http';
import { untilAborted } from '@heddle/core';
import { cleanLine } from '../server-text.ts';

export interface OAuthCallback {
  readonly url: string;
  /** Must be called before the address of the login is opened. */
  expect(state: string): void;
  /** Resolves to the parameters of the redirect. Throws at the deadline, or if the signal aborts. */
  wait(signal: AbortSignal): Promise<URLSearchParams>;
  close(): void;
}

const HOST = '127.0.0.1';
const PATH = '/callback';

/** `port` 0 chooses a free one. Some servers accept only a registered port. */
export async function openCallback(port = 0): Promise<OAuthCallback> {
  let expected: string | undefined;
  let received = Promise.withResolvers<URLSearchParams>();
  const server = createServer((request, response) => {
    const params = redirectIn(request, actual);
    const isOurs = params !== undefined && expected !== undefined && params.get('state') === expected;
    // A state is used once. A second redirect, or one of another site, is not ours.
    if (isOurs) expected = undefined;
    response
      .writeHead(isOurs ? 200 : params ? 400 : 404, PAGE_HEADERS)
      .end(page(isOurs ? 'The login is complete. You can close this page.' : 'This is not a login.'));
    if (isOurs) received.resolve(params);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, HOST, resolve);
  });
  const address = server.address();
  const actual = typeof address === 'object' && address ? address.port : port;
  return {
    url: `http://${HOST}:${actual}${PATH}`,
    expect(state) {
      expected = state;
      received = Promise.withResolvers<URLSearchParams>();
    },
    async wait(signal) {
      const params = await untilAborted(received.promise, signal, () => {
        throw new Error('The login was not completed in time.');
      });
      const error = params.get('error');
      if (error !== null)
        throw new Error(`The login was refused: ${cleanLine(params.get('error_description') ?? error)}`);
      return params;
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Undefined for another method, path or host. A page on the Internet may have a name that leads to this machine. */
function redirectIn(
  { method, url = '/', headers }: IncomingMessage,
  port: number,
): URLSearchParams | undefined {
  if (method !== 'GET' || (headers.host !== `${HOST}:${port}` && headers.host !== `localhost:${port}`))
    return undefined;
  if (!URL.canParse(url, `http://${HOST}`)) return undefined;
  const { pathname, searchParams } = new URL(url, `http://${HOST}`);
  return pathname === PATH ? searchParams : undefined;
}

const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': "default-src 'none'",
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
  connection: 'close',
} as const;

/** The page contains no value of the request. */
function page(text: string): string {
  return `<!doctype html><meta charset="utf-8"><title>Heddle</title><p>${text}</p>`;
}
