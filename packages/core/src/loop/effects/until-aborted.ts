/**
 * Waits for a door, but not for one that does not hear an abort: after the grace it is left behind. The exception is no bug:
 * `perform` makes of it what it makes of every end of an aborted effect.
 */
import { whenAborted } from '../../abort.ts';
import type { LoopEvent } from '../run/events.ts';
import { returnEarly } from '../run/leave.ts';
import type { Run } from '../run/run.ts';

export async function untilAborted<T>(
  { scope, deps, config }: Pick<Run, 'scope' | 'deps' | 'config'>,
  work: Promise<T>,
): Promise<T> {
  let grace: AbortController | undefined;
  const { promise: leftBehind, reject } = Promise.withResolvers<never>();
  const giveUp = async (): Promise<void> => {
    grace = new AbortController();
    await deps.clock.sleep(config.limits.abortGraceMs, grace.signal);
    reject(new Error('Aborted, and not waited for any longer.'));
  };
  const ignoreAbort = whenAborted(scope.signal, () => void giveUp());
  try {
    return await Promise.race([work, leftBehind]);
  } finally {
    ignoreAbort();
    grace?.abort();
  }
}

/** `yield*` for a door's generator, with the same patience. `tell` says what a step of it is to the consumer. */
export async function* relayUntilAborted<T, R>(
  run: Run,
  steps: AsyncGenerator<T, R>,
  tell: (step: T) => Iterable<LoopEvent>,
): AsyncGenerator<LoopEvent, R> {
  while (true) {
    const step = await untilAborted(run, steps.next());
    if (step.done) return step.value;
    let isWanted = false;
    try {
      yield* tell(step.value);
      isWanted = true;
    } finally {
      // The consumer walked away at this yield: the door hears of it, as it would have through `yield*`.
      if (!isWanted) await untilAborted(run, returnEarly(steps));
    }
  }
}
