/** A scope that aborts with its parent, and that can be aborted alone. */
export interface AbortScope {
  readonly signal: AbortSignal;
  abort(reason: unknown): void;
  /** Removes the listener on the parent. Call it when the work is done, or a long-lived parent collects listeners. */
  release(): void;
}

export function childScope(parent: AbortSignal): AbortScope {
  const controller = new AbortController();
  const follow = (): void => controller.abort(parent.reason);
  if (parent.aborted) follow();
  else parent.addEventListener('abort', follow, { once: true });
  return {
    signal: controller.signal,
    abort: (reason) => controller.abort(reason),
    release: () => parent.removeEventListener('abort', follow),
  };
}

/** The abort reason if the user sent a new message. The loop then adds no interruption message. */
export const INTERRUPT = 'interrupt';

/** Ends the timer of a wait. An abort without a reason builds an exception with a stack trace, too slow for every wait. */
export const WAIT_OVER = 'wait over';

/** `interrupt` means that the user sent a new message. */
export type AbortCause = 'interrupt' | 'cancel';

export function abortCause(signal: AbortSignal): AbortCause | undefined {
  if (!signal.aborted) return undefined;
  return signal.reason === INTERRUPT ? 'interrupt' : 'cancel';
}

/** Calls `then` once when the signal aborts, or at once if it is aborted. Returns a function that removes the listener. */
export function whenAborted(signal: AbortSignal, then: () => void): () => void {
  if (signal.aborted) {
    then();
    return () => undefined;
  }
  signal.addEventListener('abort', then, { once: true });
  return () => signal.removeEventListener('abort', then);
}

/**
 * Waits for `work`. If the signal aborts first, the result is that of `onAbort`.
 *
 * Contract:
 * - `onAbort` may return at once, throw, or wait for a grace period in which `work` may still settle.
 * - `onAbort` receives a signal that aborts when the wait is over, so that its own timers end.
 * - An abort that came before wins over `work` that has settled already.
 * - The wait ignores an error of `work` after the abort, and leaves no listener on the signal.
 */
export async function untilAborted<T, A>(
  work: Promise<T>,
  signal: AbortSignal | undefined,
  onAbort: (over: AbortSignal) => A | Promise<A>,
): Promise<T | A> {
  if (signal === undefined) return work;
  // Only an abort needs it.
  let over: AbortController | undefined;
  const aborted = Promise.withResolvers<A>();
  const removeListener = whenAborted(signal, () => {
    over = new AbortController();
    try {
      aborted.resolve(onAbort(over.signal));
    } catch (thrown) {
      aborted.reject(thrown);
    }
  });
  try {
    return await Promise.race([aborted.promise, work]);
  } finally {
    removeListener();
    over?.abort(WAIT_OVER);
  }
}
