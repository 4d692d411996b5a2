import { untilAborted } from '@heddle/core';

/** A gate blocks callers until a test opens it: order without sleeps. */
export interface Gate {
  readonly kind: 'gate';
  readonly name: string;
  /** Resolves when the first caller waits at the gate. */
  readonly reached: Promise<void>;
  readonly isOpen: boolean;
  /** Lets every caller pass, now and later. Idempotent. */
  open(): void;
  /** Resolves when the gate is open or the signal aborts. Never rejects. */
  pass(signal?: AbortSignal): Promise<void>;
}

export function createTestGate(name = 'gate'): Gate {
  const arrival = Promise.withResolvers<void>();
  const opening = Promise.withResolvers<void>();
  let isOpen = false;
  return {
    kind: 'gate',
    name,
    reached: arrival.promise,
    get isOpen() {
      return isOpen;
    },
    open() {
      isOpen = true;
      opening.resolve();
    },
    async pass(signal) {
      arrival.resolve();
      if (!isOpen) await settleOrAbort(opening.promise, signal);
    },
  };
}

/** Resolves when the work settles or the signal aborts, whichever comes first. Never rejects. */
export function settleOrAbort(work: Promise<unknown>, signal: AbortSignal | undefined): Promise<void> {
  return untilAborted(work.then(ignore, ignore), signal, ignore);
}

function ignore(): void {
  // Only the time of the end matters.
}
