/** The body of an answer: bytes in, records out, and how it ended. */
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import type { ApiEvent, Done, ModelError } from '@heddle/core';
import { EventReader, readWireEvent } from '../stream/wire-event.ts';

export interface AnswerListener {
  onRecord(event: ApiEvent): void;
  /** Something other than a ping came. */
  onContent(): void;
  /** Nothing will come for a while because we do not read. */
  onHold(): void;
  /** `message_stop` came. */
  onStopped(): void;
  onEnd(end: Done | ModelError): void;
  wordFor(errorEvent: string): ModelError;
  wordForBreak(thrown: unknown): ModelError;
  /** Something threw that must not. */
  wordForBug(thrown: unknown): ModelError;
}

/** So much of one event is on its way that it cannot be a ping. */
const MORE_THAN_A_PING = 1_024;

export class AnswerStream {
  readonly requestId: string | undefined;
  readonly #response: Readable;
  readonly #listener: AnswerListener;
  readonly #reader = new EventReader((data) => this.#onData(data));
  #hasContent = false;
  #isStopped = false;
  #isOver = false;
  #isHeld = false;

  constructor(response: Readable & Pick<IncomingMessage, 'headers'>, listener: AnswerListener) {
    const id = response.headers['request-id'];
    this.requestId = typeof id === 'string' ? id : undefined;
    this.#response = response;
    this.#listener = listener;
    response
      .on('readable', () => this.#readAll())
      .on('end', () => this.#end(BROKE_OFF))
      .on('error', (error) => this.#end(listener.wordForBreak(error)))
      .on('close', () => this.#end(BROKE_OFF));
  }

  pause(): void {
    this.#isHeld = true;
    this.#listener.onHold();
  }

  resume(): void {
    this.#isHeld = false;
    this.#listener.onContent();
    this.#readAll();
  }

  /** Stops waiting for bytes that nobody needs. */
  giveUp(): void {
    this.#end(BROKE_OFF);
    this.#response.destroy();
  }

  /** All that waits at once: a server sends each delta as a chunk of its own, and hundreds of them come in one packet. */
  #readAll(): void {
    try {
      while (!this.#isHeld) {
        const chunk: unknown = this.#response.read();
        if (!(chunk instanceof Uint8Array)) return;
        this.#onChunk(chunk);
      }
    } catch (thrown) {
      this.#end(this.#listener.wordForBug(thrown));
    }
  }

  #onChunk(chunk: Uint8Array): void {
    if (this.#isStopped || this.#isOver) return;
    this.#hasContent = false;
    this.#reader.feed(chunk);
    // The chunk that made us pause begins no new wait for the server: it is our turn.
    if (this.#isHeld) return;
    if (this.#hasContent || this.#reader.unread > MORE_THAN_A_PING) this.#listener.onContent();
  }

  #onData(data: string): void {
    if (this.#isStopped || this.#isOver) return;
    const event = readWireEvent(data);
    if (event === undefined) return this.#end(unreadable(data));
    if (event.type === 'error') return this.#end(this.#listener.wordFor(data));
    if (event.type !== 'ping') this.#hasContent = true;
    this.#listener.onRecord(event);
    if (event.type !== 'message_stop') return;
    this.#isStopped = true;
    this.#listener.onStopped();
  }

  /** After `message_stop` the answer is complete, whatever becomes of the connection. */
  #end(failure: ModelError): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const { requestId } = this;
    const id = requestId === undefined ? {} : { requestId };
    this.#listener.onEnd(this.#isStopped ? { type: 'done', ...id } : { ...id, ...failure });
  }
}

const BROKE_OFF: ModelError = {
  type: 'model_error',
  class: 'network',
  message: 'The answer ended before it was complete: the connection was closed without message_stop.',
};

function unreadable(data: string): ModelError {
  const kind = /"type"\s*:\s*"([\w-]{1,60})"/.exec(data.slice(0, 1_000))?.[1];
  const what =
    kind === undefined ? 'something that is not JSON' : `an event of type ${kind} that lacks what it needs`;
  return {
    type: 'model_error',
    class: 'server',
    message: `The API sent ${what}. If this happens again, check whether a proxy changes the answers.`,
  };
}
