/** Waits for ports: an aborted run does not wait for a port that ignores the abort. */
import { untilAborted, WAIT_OVER } from '../abort.ts';
import type { Clock } from '../clock.ts';
import type { LoopEvent } from './events.ts';

export interface PortWaits {
  /** Waits for work of a port. Rejects if the port has not ended when the grace after an abort is over. */
  readonly waitFor: WaitFor;
  /**
   * Waits for work of a port up to a limit. Returns undefined if the work takes longer. Work that ends later is ignored, also
   * if it fails.
   */
  readonly valueWithin: <T>(work: Promise<T>, limitMs: number) => Promise<{ readonly value: T } | undefined>;
  /** Like `yield*` for the generator of a port, with the same grace. `eventsOf` maps an item to events. */
  readonly relaySteps: <T, R>(
    steps: AsyncGenerator<T, R>,
    eventsOf: (step: T) => Iterable<LoopEvent>,
  ) => AsyncGenerator<LoopEvent, R>;
}

type WaitFor = <T>(work: Promise<T>) => Promise<T>;

export function portWaits(signal: AbortSignal, clock: Clock, graceMs: number): PortWaits {
  // The rejection is not a bug: the driver turns it into the end of an aborted effect.
  const waitFor: WaitFor = (work) =>
    untilAborted(work, signal, async (over): Promise<never> => {
      await clock.sleep(graceMs, over);
      throw new Error('Aborted, and not waited for any longer.');
    });
  return {
    waitFor,
    valueWithin: (work, limitMs) => valueWithin(work, limitMs, waitFor, clock),
    relaySteps: (steps, eventsOf) => relaySteps(steps, waitFor, eventsOf),
  };
}

async function valueWithin<T>(
  work: Promise<T>,
  limitMs: number,
  waitFor: WaitFor,
  clock: Clock,
): Promise<{ readonly value: T } | undefined> {
  // Most work of a turn is ready at once. It needs no timer.
  const ready = await Promise.race<T | typeof NOT_READY>([work, Promise.resolve(NOT_READY)]);
  if (ready !== NOT_READY) return { value: ready };
  const timer = new AbortController();
  const late = clock.sleep(limitMs, timer.signal).then(() => undefined);
  try {
    return await Promise.race([waitFor(work).then((value) => ({ value })), late]);
  } finally {
    timer.abort(WAIT_OVER);
  }
}

const NOT_READY = Symbol('not ready');

async function* relaySteps<T, R>(
  steps: AsyncGenerator<T, R>,
  waitFor: WaitFor,
  eventsOf: (step: T) => Iterable<LoopEvent>,
): AsyncGenerator<LoopEvent, R> {
  while (true) {
    const step = await waitFor(steps.next());
    if (step.done) return step.value;
    let isContinued = false;
    try {
      yield* eventsOf(step.value);
      isContinued = true;
    } finally {
      // The consumer left at this yield. The port must learn of it, as it would have through `yield*`.
      if (!isContinued) await waitFor(returnEarly(steps));
    }
  }
}

export async function returnEarly(steps: AsyncIterator<unknown>): Promise<void> {
  await steps.return?.();
}
