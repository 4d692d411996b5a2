/** Receives the redirect of a browser after a login, on this machine only. */
import { createServer } from 'node:http';
import { untilAborted } from '@heddle/core';

export interface OAuthCallback {
  readonly url: string;
  /** Resolves to the parameters of the redirect. Throws at the deadline, or if the signal aborts. */
  wait(state: string | undefined, signal: AbortSignal): Promise<URLSearchParams>;
  close(): void;
}

const PATH = '/callback';

const PAGE =
  '<!doctype html><meta charset="utf-8"><title>Heddle</title><p>The login is complete. You can close this page.</p>';

/** `port` 0 chooses a free one. Some servers accept only a registered port. */
export async function openCallback(port = 0): Promise<OAuthCallback> {
  let receive: (params: URLSearchParams) => void = () => undefined;
  const early: URLSearchParams[] = [];
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
    if (pathname !== PATH) return response.writeHead(404).end();
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', connection: 'close' }).end(PAGE);
    early.push(searchParams);
    return receive(searchParams);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, '127.0.0.1', resolve);
  });
  const address = server.address();
  const actual = typeof address === 'object' && address ? address.port : port;
  return {
    url: `http://127.0.0.1:${actual}${PATH}`,
    async wait(state, signal) {
      // A page of another site may call this address, too. Only the redirect of this login has its state.
      const isOurs = (params: URLSearchParams): boolean =>
        state === undefined || params.get('state') === state;
      const received = new Promise<URLSearchParams>((resolve) => {
        receive = (params) => {
          if (isOurs(params)) resolve(params);
        };
        early.forEach(receive);
      });
      const params = await untilAborted(received, signal, () => {
        throw new Error('The login was not completed in time.');
      });
      early.length = 0;
      const error = params.get('error');
      if (error !== null)
        throw new Error(`The login was refused: ${params.get('error_description') ?? error}`);
      return params;
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
