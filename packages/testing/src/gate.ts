/** A gate holds whoever passes until a test opens it: order without sleeping. */
export interface Gate {
  readonly kind: 'gate';
  readonly name: string;
  /** Resolves when someone stands before the gate for the first time. */
  readonly reached: Promise<void>;
  readonly isOpen: boolean;
  /** Lets everyone pass, now and later. Idempotent. */
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
      if (!isOpen) await untilAborted(opening.promise, signal);
    },
  };
}

/** Resolves when the work settles (however) or the signal aborts, whichever comes first. Never rejects, leaves no listener. */
export async function untilAborted(work: Promise<unknown>, signal: AbortSignal | undefined): Promise<void> {
  if (signal?.aborted === true) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const end = () => resolve();
  signal?.addEventListener('abort', end, { once: true });
  work.then(end, end);
  await promise;
  signal?.removeEventListener('abort', end);
}
