/** A server in the process of the host: each message is one request on the host's control channel. */
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { isRecord } from '@heddle/core';

/** Sends a message to a server of the host. Resolves to its reply, or to undefined if there is none. */
export type SendToHost = (server: string, message: unknown, signal: AbortSignal) => Promise<unknown>;

export class HostTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;

  readonly #server: string;
  readonly #send: SendToHost;
  readonly #closing = new AbortController();

  constructor(server: string, send: SendToHost) {
    this.#server = server;
    this.#send = send;
  }

  start(): Promise<void> {
    return Promise.resolve();
  }

  /** Resolves at once: a reply may take as long as a call. A request that fails is answered with an error. */
  send(message: JSONRPCMessage): Promise<void> {
    const id = 'id' in message ? message.id : undefined;
    const isRequest = 'method' in message && id !== undefined;
    void this.#exchange(message, isRequest ? id : undefined);
    return Promise.resolve();
  }

  async #exchange(message: JSONRPCMessage, id: string | number | undefined): Promise<void> {
    try {
      const reply = await this.#send(this.#server, message, this.#closing.signal);
      if (id === undefined) return;
      if (isRecord(reply) && reply['id'] === id) this.receive(reply);
      else this.#fail(id, 'The host gave an answer to another message.');
    } catch (thrown) {
      const error = thrown instanceof Error ? thrown : new Error(String(thrown));
      if (id === undefined) this.onerror?.(error);
      else this.#fail(id, error.message);
    }
  }

  /** Takes a message that the host sent by itself: a notification, or a request to the client. */
  receive(message: unknown): void {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the protocol layer checks every message
    if (isRecord(message) && !this.#closing.signal.aborted) this.onmessage?.(message as JSONRPCMessage);
  }

  close(): Promise<void> {
    if (!this.#closing.signal.aborted) {
      this.#closing.abort();
      this.onclose?.();
    }
    return Promise.resolve();
  }

  #fail(id: string | number, message: string): void {
    this.receive({ jsonrpc: '2.0', id, error: { code: -32_603, message } });
  }
}
