/** A server on loopback with its own port. The server and its connections are closed after the test. */
import type { AddressInfo, Server, Socket } from 'node:net';
import { closing } from './stage-api.ts';

export interface Listening {
  readonly port: number;
  /** Every connection that was ever made. */
  readonly sockets: ReadonlySet<Socket>;
}

export async function listening(server: Server): Promise<Listening> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    // Connections fail on purpose in these tests.
    socket.on('error', () => undefined);
  });
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, '127.0.0.1', resolve);
  await promise;
  closing({
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  });
  return { port: portOf(server.address()), sockets };
}

function portOf(address: AddressInfo | string | null): number {
  return typeof address === 'object' && address !== null ? address.port : 0;
}
