/**
 * Delivers the messages of a connection in the order of the server. The library handles a response at once, and a
 * notification a microtask later. Without a pause between them, the last progress of a call would come after its result, and be dropped.
 */
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';

type Handler = NonNullable<Transport['onmessage']>;

export class OrderedMessages {
  readonly #waiting: (readonly [message: JSONRPCMessage, handle: () => void])[] = [];
  #isDelivering = false;

  /** Calls `handle` when the earlier messages are handled. It must not throw. */
  add(message: JSONRPCMessage, handle: () => void): void {
    this.#waiting.push([message, handle]);
    if (!this.#isDelivering) void this.#deliver();
  }

  async #deliver(): Promise<void> {
    this.#isDelivering = true;
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      const [message, handle] = next;
      handle();
      if (!('id' in message)) await Promise.resolve();
    }
    this.#isDelivering = false;
  }
}

/**
 * Makes a transport of the library deliver in order. The library reads and replaces the handler of a transport while it
 * connects, so each handler gets its own function, and is found again by it.
 */
export function orderMessages(transport: Transport): void {
  const queue = new OrderedMessages();
  const handlers = new WeakMap<Handler, Handler>();
  let current: Handler | undefined;
  const ordered = (handler: Handler): Handler => {
    const add: Handler = (message, extra) =>
      queue.add(message, () => {
        try {
          handler(message, extra);
        } catch (thrown) {
          transport.onerror?.(thrown instanceof Error ? thrown : new Error(String(thrown)));
        }
      });
    handlers.set(add, handler);
    return add;
  };
  Object.defineProperty(transport, 'onmessage', {
    get: () => current && ordered(current),
    set: (handler: Handler | undefined) => {
      current = handler && (handlers.get(handler) ?? handler);
    },
  });
}
