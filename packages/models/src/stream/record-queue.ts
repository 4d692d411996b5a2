/**
 * Queues records between a socket and the reader of a response. It is a plain iterator instead of a
 * generator, because fifty thousand deltas may pass through it. Available records need no promise.
 */
import type { Done, ModelError, ModelRecord, RecordIterator } from '@heddle/core';

export interface QueueListener {
  /** Called when so many records wait that the sender should pause. */
  onFull(): void;
  /** Called when the reader has caught up after that. */
  onDrained(): void;
  /** Called when the reader stops early. */
  onLeft(): void;
}

type Next = IteratorResult<ModelRecord, undefined>;

export class RecordQueue implements RecordIterator {
  readonly #listener: QueueListener;
  #records: ModelRecord[] = [];
  #read = 0;
  #waiting: ((next: Next) => void) | undefined;
  #ended = false;
  #isFull = false;

  constructor(listener: QueueListener) {
    this.#listener = listener;
  }

  push(record: ModelRecord): void {
    if (this.#ended) return;
    const waiting = this.#waiting;
    if (waiting) {
      this.#waiting = undefined;
      waiting({ done: false, value: record });
      return;
    }
    this.#records.push(record);
    if (this.#isFull || this.#records.length - this.#read < FULL) return;
    this.#isFull = true;
    this.#listener.onFull();
  }

  /** Adds the last record. Records pushed after it are not delivered. */
  end(record: Done | ModelError): void {
    this.push(record);
    this.#ended = true;
  }

  ready(): ModelRecord | undefined {
    const record = this.#records[this.#read];
    if (record === undefined) return undefined;
    this.#read++;
    if (this.#read === this.#records.length) this.#caughtUp();
    return record;
  }

  next(): Promise<Next> {
    const record = this.ready();
    if (record !== undefined) return Promise.resolve({ done: false, value: record });
    if (this.#ended) return Promise.resolve(OVER);
    return new Promise((resolve) => {
      this.#waiting = resolve;
    });
  }

  return(): Promise<Next> {
    this.#ended = true;
    this.#records = [];
    this.#read = 0;
    this.#waiting?.(OVER);
    this.#waiting = undefined;
    this.#listener.onLeft();
    return Promise.resolve(OVER);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #caughtUp(): void {
    this.#records = [];
    this.#read = 0;
    if (!this.#isFull) return;
    this.#isFull = false;
    this.#listener.onDrained();
  }
}

const OVER = { done: true, value: undefined } as const;

/** The most records that may wait: a few hundred kilobytes, far more than a fast reader leaves. */
const FULL = 2_048;
