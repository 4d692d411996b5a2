/** A proxy between the program and the fake API that counts the bytes of answers and reports when a limit is reached. */
import { connect, createServer, type Socket } from 'node:net';

export interface Tap {
  readonly url: string;
  /** Bytes sent to the program since the last `expect`. */
  readonly sent: number;
  /** Restarts the count. Calls `then` once, when exactly this many bytes have been sent. */
  expect(byte: number, then: () => void): void;
  close(): void;
}

export async function openTap(upstreamUrl: string): Promise<Tap> {
  const upstreamPort = Number(new URL(upstreamUrl).port);
  const sockets = new Set<Socket>();
  let sent = 0;
  let limit = Number.POSITIVE_INFINITY;
  let reached = (): void => undefined;

  const server = createServer((client) => {
    const upstream = connect(upstreamPort, '127.0.0.1');
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('close', () => sockets.delete(socket));
      // Either side may be killed at any time.
      socket.on('error', () => undefined);
    }
    client.pipe(upstream);
    client.on('close', () => upstream.destroy());
    upstream.on('close', () => client.end());
    upstream.on('data', (bytes: Buffer) => {
      const room = limit - sent;
      sent += Math.min(bytes.length, room);
      if (bytes.length < room) return void client.write(bytes);
      limit = Number.POSITIVE_INFINITY;
      client.write(bytes.subarray(0, room), reached);
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;

  return {
    url: `http://127.0.0.1:${port}`,
    get sent() {
      return sent;
    },
    expect(byte, then) {
      sent = 0;
      limit = byte;
      reached = then;
    },
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
