/**
 * Performs one effect and reports what happened. An exception in here is a bug of ours, or a door that was left behind after
 * an abort; it becomes a value and ends the run.
 */
import type { Effect } from '../../machine/effect.ts';
import type { MachineEvent } from '../../machine/happened.ts';
import { errorMessage } from '../../thrown.ts';
import { abortCause } from '../../abort.ts';
import { attach } from './attach.ts';
import { compactNow, drainCollapses, prepareContext } from './context.ts';
import type { LoopEvent } from '../run/events.ts';
import { LocalMediaError } from '../run/media-error.ts';
import type { Run } from '../run/run.ts';
import { runTools } from './run-tools.ts';
import { runStopHooks } from './stop-hooks.ts';
import { streamAnswer } from './stream.ts';
import { untilAborted } from './until-aborted.ts';

export async function* perform(run: Run, effect: Effect): AsyncGenerator<LoopEvent, MachineEvent> {
  try {
    return yield* dispatch(run, effect);
  } catch (thrown) {
    return {
      type: 'threw',
      during: effect.type,
      media: thrown instanceof LocalMediaError,
      message: errorMessage(thrown),
      aborted: abortCause(run.scope.signal),
    };
  }
}

async function* dispatch(run: Run, effect: Effect): AsyncGenerator<LoopEvent, MachineEvent> {
  switch (effect.type) {
    case 'prepare':
      return yield* prepareContext(run, effect);
    case 'stream':
      return yield* streamAnswer(run, effect);
    case 'drain':
      return yield* drainCollapses(run);
    case 'compact':
      return yield* compactNow(run, effect);
    case 'run_tools':
      return yield* runTools(run);
    case 'attach':
      return yield* attach(run, effect);
    case 'stop_hooks':
      return yield* runStopHooks(run, effect);
    case 'ask': {
      const goOn = await untilAborted(run, run.deps.askToGoOn(effect.calls, run.scope.signal));
      return { type: 'asked', goOn, aborted: abortCause(run.scope.signal) };
    }
  }
}
