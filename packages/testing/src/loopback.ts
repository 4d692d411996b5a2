/** An HTTP server on this machine with its own port. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { errorMessage } from '@heddle/core';

export interface Loopback {
  /** `http://127.0.0.1:…`, without a path. */
  readonly url: string;
  /** Closes open connections. */
  close(): Promise<void>;
}

/** `onThrow` receives the error of a failed handler. Its connection is closed. */
export async function startLoopback(
  answer: (incoming: IncomingMessage, response: ServerResponse) => Promise<void>,
  onThrow: (message: string) => void,
): Promise<Loopback> {
  const server = createServer((incoming, response) => {
    answer(incoming, response).catch((error: unknown) => {
      onThrow(errorMessage(error));
      response.destroy();
    });
  });
  const listening = Promise.withResolvers<void>();
  server.once('error', listening.reject);
  server.listen(0, '127.0.0.1', listening.resolve);
  await listening.promise;
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    async close() {
      if (!server.listening) return;
      const closed = Promise.withResolvers<void>();
      server.close(() => closed.resolve());
      server.closeAllConnections();
      await closed.promise;
    },
  };
}
