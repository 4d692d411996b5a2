/** Waits that end with the call's signal. */
import { untilAborted } from '@heddle/core';

export class Interrupted extends Error {
  override readonly name = 'Interrupted';
  constructor(message = 'Interrupted. Nothing was changed.') {
    super(message);
  }
}

export function stopIfAborted(signal: AbortSignal): void {
  if (signal.aborted) throw new Interrupted();
}

/** Waits for `work` and throws as soon as the signal aborts. The work continues unwatched, so it must be harmless. */
export function waitOrInterrupt<T>(
  work: Promise<T>,
  signal: AbortSignal,
  interrupted = new Interrupted(),
): Promise<T> {
  return untilAborted(work, signal, (): never => {
    throw interrupted;
  });
}
