/** A request as received by the fake API: bytes, headers and times. */
import type { IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import type { Clock } from '@heddle/core';

export class RecordedRequest {
  /** Counted from 1 over all paths. */
  readonly number: number;
  readonly method: string;
  readonly path: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Uint8Array;
  /** The parsed JSON. Undefined if it is not JSON. */
  readonly body: unknown;
  /** The time of arrival, by the API's clock or the monotonic clock of the process. */
  readonly at: number;
  /** Resolves when its connection carries nothing more for it. */
  readonly closed: Promise<void>;
  readonly #close: () => void;
  #endedAt: number | undefined;
  #ended: 'answered' | 'broken' | undefined;

  constructor(number: number, incoming: IncomingMessage, bytes: Uint8Array, at: number) {
    this.number = number;
    this.method = incoming.method ?? '';
    this.path = new URL(incoming.url ?? '/', 'http://localhost').pathname;
    this.headers = Object.fromEntries(
      Object.entries(incoming.headers).flatMap(([name, value]) =>
        value === undefined ? [] : [[name, String(value)]],
      ),
    );
    this.bytes = bytes;
    this.body = parsed(bytes);
    this.at = at;
    ({ promise: this.closed, resolve: this.#close } = Promise.withResolvers<void>());
  }

  get endedAt(): number | undefined {
    return this.#endedAt;
  }

  /**
   * `broken`: the connection closed before the response was complete, by either side. Undefined while it
   * runs.
   */
  get ended(): 'answered' | 'broken' | undefined {
    return this.#ended;
  }

  end(how: 'answered' | 'broken', clock: Clock | undefined): void {
    this.#ended = how;
    this.#endedAt = timeOf(clock);
    this.#close();
  }
}

export async function readRequest(
  incoming: IncomingMessage,
  number: number,
  clock: Clock | undefined,
): Promise<RecordedRequest> {
  const bytes = await buffer(incoming);
  return new RecordedRequest(number, incoming, bytes, timeOf(clock));
}

function timeOf(clock: Clock | undefined): number {
  return clock?.now() ?? performance.now();
}

function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return undefined;
  }
}
