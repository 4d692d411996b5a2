/** The life cycle of one attempt, shared by the Messages API and the bridge. */
import type { Done, ModelError } from '@heddle/core';
import type { Secrets } from '../secrets/secrets.ts';
import { RecordQueue } from './record-queue.ts';

interface AttemptSetup {
  readonly signal: AbortSignal;
  readonly secrets: Secrets;
  readonly onFull: () => void;
  readonly onDrained: () => void;
  /** Releases timers and the connection. A complete response keeps its connection for reuse. */
  readonly onClose: (isComplete: boolean) => void;
}

/**
 * Starts an attempt, delivers its records, and ends it.
 *
 * Contract:
 * - The attempt ends once: with the first final record, an abort, or when the consumer leaves.
 * - `onClose` runs once, before the final record is delivered.
 * - The work must not throw.
 */
export class AttemptLifecycle {
  readonly records: RecordQueue;
  readonly #setup: AttemptSetup;
  #isOver = false;

  constructor(setup: AttemptSetup) {
    const { onFull, onDrained } = setup;
    this.#setup = setup;
    this.records = new RecordQueue({ onFull, onDrained, onLeft: () => this.#close(false) });
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Starts the work, unless the signal has aborted already. */
  start(work: () => Promise<void>): void {
    const { signal } = this.#setup;
    if (signal.aborted) return this.end(ABORTED_CALL);
    signal.addEventListener('abort', this.#onAbort, { once: true });
    void work();
  }

  /** Delivers the final record. Later calls are ignored. */
  end(record: Done | ModelError): void {
    if (this.#isOver) return;
    this.#close(record.type === 'done');
    // A server or a proxy may repeat a key in the request id and in its errors.
    const { secrets } = this.#setup;
    const id = record.requestId === undefined ? {} : { requestId: secrets.redact(record.requestId) };
    const isError = record.type === 'model_error';
    this.records.end({ ...record, ...id, ...(isError ? { message: secrets.redact(record.message) } : {}) });
  }

  readonly #onAbort = (): void => this.end(ABORTED_CALL);

  #close(isComplete: boolean): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#setup.signal.removeEventListener('abort', this.#onAbort);
    this.#setup.onClose(isComplete);
  }
}

export const ABORTED_CALL: ModelError = {
  type: 'model_error',
  class: 'aborted',
  message: 'The call was interrupted.',
};
