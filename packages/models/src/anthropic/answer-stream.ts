/** Reads the body of a response: bytes in, records out, and how the stream ended. */
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import type { ApiEvent, Done, ModelError } from '@heddle/core';
import { EventReader, readWireEvent } from '../stream/wire-event.ts';

export interface AnswerListener {
  onRecord(event: ApiEvent): void;
  /** Called for every chunk that is more than a ping. */
  onContent(): void;
  /** Called when the reader pauses. The following silence is not the server's. */
  onHold(): void;
  /** Called when `message_stop` arrives. */
  onStopped(): void;
  onEnd(end: Done | ModelError): void;
  wordFor(errorEvent: string): ModelError;
  wordForBreak(thrown: unknown): ModelError;
  /** Converts an unexpected exception into a model error. */
  wordForBug(thrown: unknown): ModelError;
}

/** An incomplete event of this many characters cannot be a ping. */
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

  /** Stops waiting for bytes that the caller no longer needs. */
  giveUp(): void {
    this.#end(BROKE_OFF);
    this.#response.destroy();
  }

  /**
   * Reads all waiting chunks at once. A server sends each delta as its own chunk, and one packet may
   * contain hundreds.
   */
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
    // The chunk that caused the pause does not start a new wait for the server.
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

  /** After `message_stop` the response is complete, even if the connection then fails. */
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
