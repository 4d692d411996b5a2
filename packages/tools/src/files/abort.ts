/** Waits that end with the call's signal. */

export class Interrupted extends Error {
  override readonly name = 'Interrupted';
  constructor(message = 'Interrupted. Nothing was changed.') {
    super(message);
  }
}

export function stopIfAborted(signal: AbortSignal): void {
  if (signal.aborted) throw new Interrupted();
}

/** The promise's end or the abort, whichever comes first. What goes on behind it must be harmless. */
export async function untilAborted<T>(
  promise: Promise<T>,
  signal: AbortSignal,
  interrupted = new Interrupted(),
): Promise<T> {
  const aborted = Promise.withResolvers<never>();
  const stop = (): void => aborted.reject(interrupted);
  // Also after an abort the promise is listened to: nobody else would, and its failure would end the program.
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await Promise.race([aborted.promise, promise]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
