/** Sends server-sent events in chunks over a socket that may close between two of them. */
import type { ServerResponse } from 'node:http';
import type { Wire } from './reply.ts';

export class EventStream {
  readonly #response: ServerResponse;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #wire: Wire;
  #bytes = 0;
  #chunks = 0;

  constructor(response: ServerResponse, headers: Readonly<Record<string, string>>, wire: Wire) {
    this.#response = response;
    this.#headers = headers;
    this.#wire = wire;
  }

  /** Sends status and headers, once. */
  open(): void {
    if (this.#response.headersSent) return;
    this.#response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', ...this.#headers });
    this.#response.flushHeaders();
  }

  get opened(): boolean {
    return this.#response.headersSent;
  }

  async send(type: string, data: unknown): Promise<void> {
    this.open();
    const line = this.#wire.crlf === true ? '\r\n' : '\n';
    const bytes = Buffer.from(`event: ${type}${line}data: ${JSON.stringify(data)}${line}${line}`);
    const size = this.#wire.chunkBytes ?? bytes.length;
    for (let start = 0; start < bytes.length; start += size)
      await this.#write(bytes.subarray(start, start + size));
  }

  end(): void {
    this.open();
    this.#response.end();
  }

  /** Closes the connection: before any byte, or in the middle of the body. */
  destroy(): void {
    this.#response.socket?.destroy();
  }

  async #write(chunk: Uint8Array): Promise<void> {
    if (this.#response.destroyed) return;
    const { destroyAfterBytes = Number.POSITIVE_INFINITY, destroyAfterChunks = Number.POSITIVE_INFINITY } =
      this.#wire;
    const room = Math.min(chunk.length, destroyAfterBytes - this.#bytes);
    if (room > 0 && this.#chunks < destroyAfterChunks) await this.#flush(chunk.subarray(0, room));
    this.#bytes += room;
    this.#chunks++;
    if (this.#bytes >= destroyAfterBytes || this.#chunks >= destroyAfterChunks) this.destroy();
  }

  /** Resolves when the bytes were passed to the system, or can no longer be sent. */
  #flush(chunk: Uint8Array): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#response.write(chunk, () => resolve());
    this.#response.once('close', resolve);
    return promise.finally(() => this.#response.removeListener('close', resolve));
  }
}
